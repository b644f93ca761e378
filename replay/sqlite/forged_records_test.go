package sqlite_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay/sqlite"
)

// A page of forged records would have a cursor that leads nowhere, or values
// that are not what they should be.
func TestForgedRecords(t *testing.T) {
	data := sample(t, ledger.Log)
	for _, change := range []string{
		"UPDATE records SET sha = 'x' || ordinal", "UPDATE records SET sha = CAST(sha AS BLOB)", "UPDATE records SET sha = ''  WHERE ordinal = 7",
		"UPDATE records SET payload = '{'", "UPDATE records SET payload = x'00'", "UPDATE records SET offset = 'x'", "UPDATE records SET id = x'ff'",
	} {
		path := filepath.Join(t.TempDir(), "ledger.db")
		write(t, path, data)
		plain, err := sql.Open("sqlite3", path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = plain.Exec(change)
		if err := errors.Join(err, plain.Close()); err != nil {
			t.Fatal(err)
		}
		page, err := open(t, path, sqlite.Limits{}).Records(t.Context(), sqlite.RecordQuery{Limit: 10})
		if !errors.Is(err, sqlite.ErrNotProjection) {
			t.Errorf("%s: %v, %v", change, page, err)
		}
	}
}

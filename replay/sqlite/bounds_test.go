package sqlite_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/replay/sqlite"
	"github.com/gitledger/gitledger/shard"
)

// TestProjectionBounds: 1,024 files and 100 MiB are read, one more of either is
// not (S7-04).
func TestProjectionBounds(t *testing.T) {
	prepare := func(dir string) error {
		d, err := shard.OpenDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		_, err = sqlite.Prepare(t.Context(), d, config(ledger.Raw), filepath.Join(t.TempDir(), "ledger.db"), sqlite.Options{})
		return err
	}
	add := func(dir string, i int, data []byte, size int64) {
		id := shard.ID(record.FoldUUID(record.Sum(fmt.Append(nil, i))))
		path := filepath.Join(dir, filepath.FromSlash(id.Path()))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
	}

	many := t.TempDir()
	for i := range 1024 {
		r, err := record.Seal(record.Draft{ID: record.DeterministicID("bounds", i), Type: "t", Payload: []byte("1")})
		if err != nil {
			t.Fatal(err)
		}
		line := append(r.Line(), '\n')
		add(many, i, line, int64(len(line)))
	}
	if err := prepare(many); err != nil {
		t.Errorf("1,024 files: %v", err)
	}
	add(many, 1024, nil, 0)
	if err := prepare(many); !errors.Is(err, shard.ErrTooLarge) {
		t.Errorf("1,025 files: %v", err)
	}

	// Files of zero bytes' value hold no record, which is found when they are read.
	large := t.TempDir()
	for i := range 10 {
		add(large, i, nil, 10<<20)
	}
	if err := prepare(large); !errors.Is(err, ledger.ErrMalformed) {
		t.Errorf("100 MiB: %v", err)
	}
	add(large, 10, nil, 1)
	if err := prepare(large); !errors.Is(err, shard.ErrTooLarge) {
		t.Errorf("100 MiB and a byte: %v", err)
	}
}

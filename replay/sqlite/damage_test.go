package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay/sqlite"
)

var seed = flag.Uint64("seed", uint64(time.Now().UnixNano()), "seed of the random tests")

func random(tb testing.TB) *rand.Rand {
	tb.Logf("-seed %d", *seed)
	return rand.New(rand.NewPCG(*seed, 0))
}

// sample is an intact database.
func sample(tb testing.TB, t ledger.Type) []byte {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "ledger.db")
	prepare(tb, grown(tb, t, 120), config(t), path)
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// readAll queries whatever a database file holds. It may fail, but only with
// the errors that are documented.
func readAll(tb testing.TB, path string) (opened bool) {
	tb.Helper()
	db, err := sqlite.Open(tb.Context(), path, sqlite.Limits{Time: 2 * time.Second})
	if err != nil {
		mustBeDocumented(tb, err)
		return false
	}
	defer db.Close()
	for _, query := range []string{
		"SELECT * FROM records ORDER BY timestamp",
		"SELECT * FROM records WHERE id > 'ldg-5' ORDER BY id DESC",
		"SELECT * FROM records INDEXED BY records_shard_offset WHERE shard > 'a'",
		"SELECT * FROM parents AS p JOIN records AS r ON r.sha = p.parent_sha",
		"SELECT * FROM shards, replay_metadata, diagnostics",
		"SELECT json_extract(payload, '$.operation'), count(*) FROM records GROUP BY 1",
		"SELECT * FROM state ORDER BY 1 DESC",
		"SELECT * FROM note_state AS s JOIN note_citations AS c ON c.note_id = s.note_id ORDER BY net_votes",
		"SELECT typeof(sql), rootpage FROM sqlite_schema",
	} {
		if _, err := db.Query(tb.Context(), query); err != nil {
			mustBeDocumented(tb, err)
		}
	}
	if _, err := db.Records(tb.Context(), sqlite.RecordQuery{Type: "ledger_append"}); err != nil {
		mustBeDocumented(tb, err)
	}
	return true
}

func mustBeDocumented(tb testing.TB, err error) {
	tb.Helper()
	for _, known := range []error{sqlite.ErrNotProjection, sqlite.ErrStatement, sqlite.ErrTooLarge, sqlite.ErrTimeout, sqlite.ErrStorage, sqlite.ErrDenied} {
		var e *sqlite.Error
		if errors.Is(err, known) && errors.As(err, &e) {
			return
		}
	}
	tb.Errorf("an undocumented error: %v", err)
}

// damage changes a database in one of several ways.
func damage(data []byte, r *rand.Rand) []byte {
	out := append([]byte(nil), data...)
	switch r.IntN(5) {
	case 0: // truncated
		return out[:r.IntN(len(out))]
	case 1: // one page over another
		const page = 4096
		pages := len(out) / page
		copy(out[r.IntN(pages)*page:][:page], data[r.IntN(pages)*page:])
	case 2: // a stretch of noise
		at := r.IntN(len(out))
		for i := at; i < min(at+r.IntN(200), len(out)); i++ {
			out[i] = byte(r.Uint32())
		}
	case 3: // the head of a page
		at := r.IntN(len(out)/4096)*4096 + r.IntN(16)
		out[at] = byte(r.Uint32())
	default: // single bytes
		for range 1 + r.IntN(50) {
			out[r.IntN(len(out))] ^= 1 << r.IntN(8)
		}
	}
	return out
}

func TestDamagedDatabases(t *testing.T) {
	r := random(t)
	path := filepath.Join(t.TempDir(), "ledger.db")
	opened := 0
	const rounds = 60
	for _, typ := range []ledger.Type{ledger.Log, ledger.Notes, ledger.Table} {
		data := sample(t, typ)
		for range rounds {
			if err := os.WriteFile(path, damage(data, r), 0o600); err != nil {
				t.Fatal(err)
			}
			if readAll(t, path) {
				opened++
			}
		}
	}
	if opened == 0 || opened == 3*rounds {
		t.Errorf("%d of %d damaged databases opened; the test does not reach what it should", opened, 3*rounds)
	}
}

func FuzzOpen(f *testing.F) {
	data := sample(f, ledger.Notes)
	f.Add(uint32(0), []byte("SQLite format 3\x00"))
	f.Add(uint32(100), []byte{13, 0, 0, 0, 255})
	f.Add(uint32(4096), []byte{2, 255, 255, 255, 255, 0})
	f.Add(uint32(18), []byte{2, 2}) // says that there is a write-ahead log
	f.Fuzz(func(t *testing.T, at uint32, bytes []byte) {
		damaged := append([]byte(nil), data...)
		copy(damaged[int(at)%len(damaged):], bytes)
		path := filepath.Join(t.TempDir(), "ledger.db")
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		readAll(t, path)
	})
}

// A database with anything beside or instead of a projection's objects is refused.
func TestForgedDatabases(t *testing.T) {
	data := sample(t, ledger.Log)
	for name, statements := range map[string][]string{
		"trigger":         {"CREATE TRIGGER x AFTER INSERT ON records BEGIN SELECT 1; END"},
		"view":            {"CREATE VIEW x AS SELECT load_extension('x')"},
		"table":           {"CREATE TABLE x (a)"},
		"virtual table":   {"CREATE VIRTUAL TABLE x USING fts3(a)"},
		"rtree":           {"CREATE VIRTUAL TABLE x USING rtree(id, a, b)"},
		"missing table":   {"DROP TABLE shards"},
		"missing index":   {"DROP INDEX records_id"},
		"other index":     {"DROP INDEX records_id", "CREATE INDEX records_id ON records (abs(id))"},
		"view as a table": {"DROP TABLE state", "CREATE VIEW state AS SELECT 1 AS position, 2 AS value"},
		"generated":       {"ALTER TABLE records ADD COLUMN x AS (abs(id))"},
		"check":           {"DROP TABLE state", "CREATE TABLE state (position INTEGER NOT NULL, value TEXT NOT NULL CHECK (abs(value)), PRIMARY KEY (position))"},
		"other type":      {"UPDATE replay_metadata SET script_sha256 = 'x'"},
		"no metadata":     {"DELETE FROM replay_metadata"},
		"rewritten schema": {"PRAGMA writable_schema = 1",
			"UPDATE sqlite_schema SET sql = 'CREATE TABLE records (ordinal INTEGER PRIMARY KEY, id TEXT DEFAULT (load_extension(1)))' WHERE name = 'records'"},
	} {
		path := filepath.Join(t.TempDir(), "ledger.db")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		db, err := sql.Open("sqlite3", path)
		if err != nil {
			t.Fatal(err)
		}
		conn, err := db.Conn(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range statements {
			if _, err := conn.ExecContext(t.Context(), s); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if err := errors.Join(conn.Close(), db.Close()); err != nil {
			t.Fatal(err)
		}
		if _, err := sqlite.Open(t.Context(), path, sqlite.Limits{}); !errors.Is(err, sqlite.ErrNotProjection) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, content := range []string{"", "x", "SQLite format 3\x00", string(data[:100]), string(data[:5000])} {
		path := filepath.Join(t.TempDir(), "ledger.db")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := sqlite.Open(t.Context(), path, sqlite.Limits{}); !errors.Is(err, sqlite.ErrNotProjection) {
			t.Errorf("%d bytes: %v", len(content), err)
		}
	}
}

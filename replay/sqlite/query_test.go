package sqlite_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay/sqlite"
)

// prepared builds a projection of n records and opens it.
func prepared(tb testing.TB, t ledger.Type, n int, limits sqlite.Limits) *sqlite.DB {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "ledger.db")
	if _, err := sqlite.Prepare(tb.Context(), grown(tb, t, n), config(t), path, sqlite.Options{}); err != nil {
		tb.Fatal(err)
	}
	return open(tb, path, limits)
}

func open(tb testing.TB, path string, limits sqlite.Limits) *sqlite.DB {
	tb.Helper()
	db, err := sqlite.Open(tb.Context(), path, limits)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { db.Close() })
	return db
}

func TestQuery(t *testing.T) {
	db := prepared(t, ledger.Map, 300, sqlite.Limits{})
	r, err := db.Query(t.Context(), "SELECT ordinal, 1.5 AS half, NULL, x'00ff', 9e999 FROM records WHERE ordinal BETWEEN ? AND ?", 0, int8(1))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"columns":["ordinal","half","NULL","x'00ff'","9e999"],"rows":[[0,1.5,null,"AP8=","Infinity"],[1,1.5,null,"AP8=","Infinity"]],"truncated":false}`
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	for _, query := range []string{
		"SELECT count(*) FROM records",
		"SELECT json_extract(payload, '$.operation') FROM records LIMIT 1;",
		"  -- a comment\n SELECT 1 ; -- another\n /* and one */ ",
		"WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT sum(i) FROM n",
		"SELECT key, value FROM state ORDER BY key DESC LIMIT 3",
		"SELECT e.key FROM records, json_each(payload) AS e LIMIT 3",
		"SELECT name, sql FROM sqlite_schema",
		"PRAGMA table_info(state)",
		"EXPLAIN QUERY PLAN SELECT * FROM records WHERE id = 'x'",
		"VALUES (1), (2)",
	} {
		if r, err := db.Query(t.Context(), query); err != nil || len(r.Rows) == 0 {
			t.Errorf("%s: %v, %v", query, r, err)
		}
	}
}

// Nothing but reading is possible, and every refusal leaves the database usable.
func TestOnlyReading(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "ledger.db")
	if _, err := sqlite.Prepare(t.Context(), grown(t, ledger.Notes, 50), config(ledger.Notes), path, sqlite.Options{}); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	db := open(t, path, sqlite.Limits{})
	other := filepath.Join(dir, "other.db")
	for query, want := range map[string]error{
		"":                                    sqlite.ErrStatement,
		" -- nothing":                         sqlite.ErrStatement,
		"SELEC 1":                             sqlite.ErrStatement,
		"SELECT nothing FROM records":         sqlite.ErrStatement,
		"SELECT 1; SELECT 2":                  sqlite.ErrStatement,
		"SELECT 1\x00":                        sqlite.ErrStatement,
		"SELECT ?":                            sqlite.ErrStatement,
		"SELECT 1; DELETE FROM records":       sqlite.ErrDenied,
		"DELETE FROM records":                 sqlite.ErrDenied,
		"UPDATE records SET id = 'x'":         sqlite.ErrDenied,
		"INSERT INTO shards VALUES ('x', 1)":  sqlite.ErrDenied,
		"CREATE TABLE x (a)":                  sqlite.ErrDenied,
		"CREATE TEMP TABLE x (a)":             sqlite.ErrDenied,
		"CREATE TEMP VIEW x AS SELECT 1":      sqlite.ErrDenied,
		"CREATE VIRTUAL TABLE x USING fts3()": sqlite.ErrDenied,
		"DROP TABLE records":                  sqlite.ErrDenied,
		"ALTER TABLE records ADD COLUMN x":    sqlite.ErrDenied,
		"ATTACH '" + other + "' AS other":     sqlite.ErrDenied,
		"DETACH main":                         sqlite.ErrDenied,
		"VACUUM":                              sqlite.ErrDenied,
		"VACUUM INTO '" + other + "'":         sqlite.ErrDenied,
		"REINDEX":                             sqlite.ErrDenied,
		"ANALYZE":                             sqlite.ErrDenied,
		"BEGIN":                               sqlite.ErrDenied,
		"SAVEPOINT x":                         sqlite.ErrDenied,
		"PRAGMA writable_schema = 1":          sqlite.ErrDenied,
		"PRAGMA query_only = 0":               sqlite.ErrDenied,
		"PRAGMA trusted_schema = 1":           sqlite.ErrDenied,
		"PRAGMA journal_mode = WAL":           sqlite.ErrDenied,
		"PRAGMA temp_store_directory = '/'":   sqlite.ErrDenied,
		"PRAGMA user_version":                 sqlite.ErrDenied,
		"PRAGMA database_list":                sqlite.ErrDenied,
		"SELECT * FROM pragma_database_list":  sqlite.ErrDenied,
		"SELECT load_extension('x')":          sqlite.ErrDenied,
		"SELECT fts3_tokenizer('x')":          sqlite.ErrDenied,
		"SELECT fts3_tokenizer('x', x'00')":   sqlite.ErrDenied,
		"SELECT randomblob(10)":               sqlite.ErrDenied,
		"SELECT auth_user_add('a', 'b', 1)":   sqlite.ErrDenied,
		"SELECT rtreecheck('main', 'x')":      sqlite.ErrDenied,
		"SELECT sqlite_compileoption_get(1)":  sqlite.ErrDenied,
	} {
		_, err := db.Query(t.Context(), query)
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", query, err, want)
		}
	}
	if _, err := os.Stat(other); err == nil {
		t.Error("a query made a file")
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Error("a query changed the database")
	}
	if r, err := db.Query(t.Context(), "SELECT count(*) FROM note_state"); err != nil || fmt.Sprint(r.Rows) != "[[5]]" {
		t.Error(r, err)
	}
}

func TestErrorsSayWhereAndNothingElse(t *testing.T) {
	db := prepared(t, ledger.Log, 1, sqlite.Limits{})
	_, err := db.Query(t.Context(), "SELECT id,\n secret_column FROM records")
	var e *sqlite.Error
	if !errors.As(err, &e) || e.Offset != 12 || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
	_, err = sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "secret.db"), sqlite.Limits{})
	if !errors.Is(err, sqlite.ErrStorage) || !errors.Is(err, os.ErrNotExist) || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
}

// A value that is too long is refused before it is made, and a result that is
// too long is cut off.
func TestSizes(t *testing.T) {
	db := prepared(t, ledger.Log, 300, sqlite.Limits{Rows: 70, Bytes: 4000, Time: time.Minute})
	for _, query := range []string{
		"SELECT zeroblob(1000000000)",
		"SELECT hex(zeroblob(200000))",
		"SELECT printf('%1000000000d', 1)",
		"SELECT printf('%.*c', 1000000000, 'x')",
		"SELECT replace(hex(zeroblob(1000)), '0', hex(zeroblob(1000)))",
		"SELECT group_concat(r.payload) FROM records AS r, records",
		"WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT json_group_array(printf('%1000d', i)) FROM n",
		"WITH RECURSIVE x(s) AS (VALUES ('xxxxxxxx') UNION ALL SELECT s || s FROM x) SELECT max(length(s)) FROM x",
		"SELECT '" + strings.Repeat("x", 70000) + "'",
		"SELECT 1 WHERE 1 IN (" + strings.Repeat("(SELECT 1),", 5000) + "1)",
		"SELECT " + strings.Repeat("1+", 5000) + "1",
		"SELECT " + strings.Repeat("(", 5000) + "1" + strings.Repeat(")", 5000),
		"SELECT " + strings.Repeat("1,", 100) + "1",
		"SELECT 1" + strings.Repeat(" UNION SELECT 1", 100),
	} {
		if r, err := db.Query(t.Context(), query); err == nil {
			t.Errorf("%.60s: %.100v", query, r)
		} else if !errors.Is(err, sqlite.ErrTooLarge) && !errors.Is(err, sqlite.ErrStatement) {
			t.Errorf("%.60s: %v", query, err)
		}
	}
	r, err := db.Query(t.Context(), "SELECT ordinal FROM records")
	if err != nil || len(r.Rows) != 70 || !r.Truncated {
		t.Errorf("%d rows, truncated %v, %v", len(r.Rows), r.Truncated, err)
	}
	r, err = db.Query(t.Context(), "SELECT payload FROM records LIMIT 70")
	if err != nil || len(r.Rows) == 70 || len(r.Rows) == 0 || !r.Truncated {
		t.Errorf("%d rows, truncated %v, %v", len(r.Rows), r.Truncated, err)
	}
	r, err = db.Query(t.Context(), "SELECT ordinal FROM records LIMIT 70")
	if err != nil || len(r.Rows) != 70 || r.Truncated {
		t.Errorf("%d rows, truncated %v, %v", len(r.Rows), r.Truncated, err)
	}
}

// endless are statements that would run for very long.
func endless() map[string]string {
	return map[string]string{
		"recursion":  "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
		"rows":       "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i < 0",
		"cross join": "SELECT count(*) FROM records AS a, records AS b, records AS c, records AS d, records AS e WHERE a.id > b.id",
		"sort":       "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT i FROM n ORDER BY i % 1000, -i",
		"distinct":   "SELECT DISTINCT a.id || b.id || c.id FROM records AS a, records AS b, records AS c ORDER BY 1 DESC",
		"inside":     "SELECT trim(hex(zeroblob(120000)), printf('%.*c0', 1500, 'x')) FROM records",
	}
}

func TestTimeLimit(t *testing.T) {
	db := prepared(t, ledger.Log, 1000, sqlite.Limits{Time: 30 * time.Millisecond})
	for name, query := range endless() {
		start := time.Now()
		_, err := db.Query(t.Context(), query)
		if !errors.Is(err, sqlite.ErrTimeout) {
			t.Errorf("%s: %v", name, err)
		}
		t.Logf("%s: %v after its time", name, time.Since(start)-30*time.Millisecond)
	}
	// A statement that went on by itself would keep its session.
	for range 20 {
		if _, err := db.Query(t.Context(), endless()["recursion"]); !errors.Is(err, sqlite.ErrTimeout) {
			t.Error(err)
		}
	}
	if _, err := db.Query(t.Context(), "SELECT 1"); err != nil {
		t.Errorf("after that: %v", err)
	}
}

func TestContext(t *testing.T) {
	db := prepared(t, ledger.Log, 1000, sqlite.Limits{Time: time.Hour})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := db.Query(ctx, endless()["recursion"]); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	rows, err := db.Stream(ctx, "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT i FROM n")
	if err != nil {
		t.Fatal(err)
	}
	for row, err := range rows.All() {
		if err == nil && row[0] == int64(100) {
			stop()
		}
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	stop()
	if _, err := db.Query(ctx, "SELECT 1"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Queries run side by side and inside one another, and after Close they do not.
func TestSessions(t *testing.T) {
	db := prepared(t, ledger.Log, 200, sqlite.Limits{})
	outer, err := db.Stream(t.Context(), "SELECT ordinal FROM records ORDER BY ordinal LIMIT 100")
	if err != nil {
		t.Fatal(err)
	}
	n := int64(0)
	for row, err := range outer.All() {
		if err != nil {
			t.Fatal(err)
		}
		inner, err := db.Query(t.Context(), "SELECT ordinal FROM records WHERE ordinal = ?", row[0])
		if err != nil || inner.Rows[0][0] != n {
			t.Fatal(inner, err)
		}
		n++
	}
	if n != 100 {
		t.Errorf("%d rows", n)
	}
	abandoned, err := db.Stream(t.Context(), "SELECT 1 FROM records")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(abandoned.Close(), abandoned.Close(), db.Close(), db.Close()); err != nil {
		t.Error(err)
	}
	if _, err := db.Query(t.Context(), "SELECT 1"); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
}

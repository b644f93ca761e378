package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay"
	"github.com/gitledger/gitledger/replay/sqlite"
	"github.com/gitledger/gitledger/shard"
)

func prepare(tb testing.TB, m *memory, cfg ledger.Config, path string) sqlite.Report {
	tb.Helper()
	report, err := sqlite.Prepare(tb.Context(), m, cfg, path, sqlite.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return report
}

func TestPrepare(t *testing.T) {
	m := &memory{}
	ids := m.add(t, note(0), note(1))
	m.add(t, vote(ids[0], "up"), vote(ids[0], "up"), vote(ids[0], "down"))
	m.add(t, vote(ids[1], "down"))
	path := filepath.Join(t.TempDir(), "new", "folder", "ledger.db")
	report := prepare(t, m, config(ledger.Notes), path)
	if report.Records != 6 || report.Shards != 3 || report.Head != "head-6" || report.Ledger != "tested" || report.Type != ledger.Notes {
		t.Errorf("%+v", report)
	}
	got := dump(t, path)
	for _, want := range []string{
		`["table" "records" "CREATE TABLE records (ordinal INTEGER NOT NULL, id TEXT NOT NULL, sha TEXT NOT NULL, `,
		fmt.Sprintf(`[0 %q`, ids[0]),
		fmt.Sprintf(`[%q 2 1 1 "2026-01-02T03:04:05.004Z" "2026-01-02T03:04:05.003Z"]`, ids[0]),
		fmt.Sprintf(`[%q 0 1 -1 "2026-01-02T03:04:05.005Z" <nil>]`, ids[1]),
		`integrity ["ok"]`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	metadata := rowsOf(t, plainOpen(t, path), "SELECT table_name, columns_json, record_count, projection_version, output_version, length(script_sha256), ledger_name FROM replay_metadata")
	want := []string{
		`["notes" "{\"id\":\"text\",\"subject\":\"text\",\"note\":\"text\",\"reason\":\"text\",\"created_at\":\"text\",\"record_sha\":\"text\"}" 6 1 1 64 "tested"]`,
		`["note_citations" "{\"note_id\":\"text\",\"ordinal\":\"integer\",\"citation_type\":\"text\",\"path\":\"text\",\"start_line\":\"integer\",\"end_line\":\"integer\"}" 6 1 1 64 "tested"]`,
		`["note_votes" "{\"record_id\":\"text\",\"note_id\":\"text\",\"vote\":\"text\",\"reason\":\"text\",\"created_at\":\"text\"}" 6 1 1 64 "tested"]`,
		`["note_state" "{\"note_id\":\"text\",\"upvotes\":\"integer\",\"downvotes\":\"integer\",\"net_votes\":\"integer\",\"last_vote_at\":\"text\",\"last_positive_vote_at\":\"text\"}" 6 1 1 64 "tested"]`,
	}
	if strings.Join(metadata, "\n") != strings.Join(want, "\n") {
		t.Errorf("metadata\n%s", strings.Join(metadata, "\n"))
	}
}

// The queries of the specification.
func TestSpecificationQueries(t *testing.T) {
	m := &memory{}
	ids := m.add(t, note(0), note(1), note(2))
	m.add(t, vote(ids[2], "up"), vote(ids[1], "down"))
	path := filepath.Join(t.TempDir(), "ledger.db")
	prepare(t, m, config(ledger.Notes), path)
	r, err := open(t, path, sqlite.Limits{}).Query(t.Context(), `SELECT c.*, s.net_votes, s.last_positive_vote_at
FROM notes c
JOIN note_state s ON s.note_id = c.id
ORDER BY s.net_votes DESC, c.created_at DESC
LIMIT 20;`)
	if err != nil {
		t.Fatal(err)
	}
	var order []any
	for _, row := range r.Rows {
		order = append(order, row[1], row[6], row[7])
	}
	if got := fmt.Sprint(order); got != "[subject 2 1 2026-01-02T03:04:05.003Z subject 0 0 <nil> subject 1 -1 <nil>]" {
		t.Error(got)
	}

	raw := &memory{}
	raw.add(t, `{"record_type":"audit","run_id":1,"status":"ok"}`, `{"record_type":"other"}`, `"text"`, `{"record_type":"audit","run_id":2,"status":"bad"}`)
	prepare(t, raw, config(ledger.Raw), path)
	db := open(t, path, sqlite.Limits{})
	r, err = db.Query(t.Context(), `SELECT json_extract(payload, '$.run_id') AS run_id,
       json_extract(payload, '$.status') AS status
FROM records
WHERE json_extract(payload, '$.record_type') = 'audit'
ORDER BY ordinal DESC
LIMIT 100;`)
	if err != nil || fmt.Sprint(r.Columns, r.Rows) != "[run_id status] [[2 bad] [1 ok]]" {
		t.Error(r, err)
	}
	r, err = db.Query(t.Context(), "SELECT table_name, columns_json FROM replay_metadata")
	if err != nil || fmt.Sprint(r.Rows) != "[[ {}]]" {
		t.Error(r, err)
	}
	if _, err := db.Query(t.Context(), "SELECT * FROM state"); !errors.Is(err, sqlite.ErrStatement) {
		t.Error("a raw ledger has a state:", err)
	}
}

// What fails leaves the previous database, and nothing beside it.
func TestFailureKeepsThePrevious(t *testing.T) {
	schema := config(ledger.Raw)
	var err error
	if schema.Schema, err = ledger.CompileSchema([]byte(`{"type":"object"}`)); err != nil {
		t.Fatal(err)
	}
	notBranch := errors.New("not to be reached")
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, tc := range map[string]struct {
		ctx  context.Context
		cfg  ledger.Config
		m    func() *memory
		want error
	}{
		"invalid operation": {t.Context(), config(ledger.Log), func() *memory { return grown(t, ledger.Set, 3) }, replay.UnsupportedOperation},
		"raw schema": {t.Context(), schema, func() *memory {
			m := &memory{}
			m.add(t, `{}`, `[]`)
			return m
		}, replay.SchemaMismatch},
		"diagnostic": {t.Context(), config(ledger.Log), func() *memory {
			m := grown(t, ledger.Log, 3)
			m.addShard(t, []byte("nonsense\n"))
			return m
		}, ledger.ErrMalformed},
		"missing parent": {t.Context(), config(ledger.Log), func() *memory {
			m := grown(t, ledger.Log, 300)
			m.shards = m.shards[1:]
			return m
		}, ledger.ErrMalformed},
		"too many files": {t.Context(), config(ledger.Log), func() *memory {
			return &memory{shards: make([]shard.Shard, 1025)}
		}, shard.ErrTooLarge},
		"unreadable branch": {t.Context(), config(ledger.Log), func() *memory { return &memory{err: notBranch} }, notBranch},
		"canceled":          {canceled, config(ledger.Log), func() *memory { return grown(t, ledger.Log, 3) }, context.Canceled},
		"unknown type":      {t.Context(), config("claims"), func() *memory { return &memory{} }, replay.UnknownType},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "ledger.db")
		prepare(t, grown(t, ledger.Map, 10), config(ledger.Map), path)
		before := dump(t, path)
		_, err := sqlite.Prepare(tc.ctx, tc.m(), tc.cfg, path, sqlite.Options{})
		if !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
		if err != nil && !errors.Is(err, context.Canceled) && !strings.Contains(err.Error(), "tested") {
			t.Errorf("%s: no ledger in %v", name, err)
		}
		if dump(t, path) != before {
			t.Errorf("%s: the previous database changed", name)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("%s: left behind %v, %v", name, entries, err)
		}
	}
}

func TestSeal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Log("file modes mean nothing on Windows")
	}
	path := filepath.Join(t.TempDir(), "sealed", "ledger.db")
	dir := filepath.Dir(path)
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	for n := range 2 {
		if _, err := sqlite.Prepare(t.Context(), grown(t, ledger.Log, n+1), config(ledger.Log), path, sqlite.Options{Seal: true}); err != nil {
			t.Fatal(err)
		}
		file, err := os.Stat(path)
		if err != nil || file.Mode().Perm() != 0o444 {
			t.Errorf("file %v, %v", file.Mode(), err)
		}
		folder, err := os.Stat(dir)
		if err != nil || folder.Mode().Perm() != 0o555 {
			t.Errorf("folder %v, %v", folder.Mode(), err)
		}
		r, err := open(t, path, sqlite.Limits{}).Query(t.Context(), "SELECT count(*) FROM state")
		if err != nil || r.Rows[0][0] != int64(n+1) {
			t.Error(r, err)
		}
	}
	if _, err := sqlite.Prepare(t.Context(), grown(t, ledger.Set, 3), config(ledger.Log), path, sqlite.Options{}); err == nil {
		t.Error("an invalid operation was accepted")
	}
	if folder, err := os.Stat(dir); err != nil || folder.Mode().Perm() != 0o555 {
		t.Errorf("after a failure the folder has %v, %v", folder.Mode(), err)
	}
}

func TestPathsWithOddNames(t *testing.T) {
	for _, name := range []string{"a b.db", "a?b.db", "a#b.db", "a%20b.db", "a&mode=rwc.db", "é.db", "a'b\".db"} {
		path := filepath.Join(t.TempDir(), name)
		prepare(t, grown(t, ledger.Log, 1), config(ledger.Log), path)
		if _, err := open(t, path, sqlite.Limits{}).Query(t.Context(), "SELECT * FROM state"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	dir := t.TempDir()
	if _, err := sqlite.Prepare(t.Context(), &memory{}, config(ledger.Log), dir, sqlite.Options{}); !errors.Is(err, sqlite.ErrStorage) {
		t.Errorf("a folder: %v", err)
	}
	for _, path := range []string{dir, filepath.Join(dir, "none"), dir + "\x00x"} {
		if _, err := sqlite.Open(t.Context(), path, sqlite.Limits{}); err == nil || strings.Contains(err.Error(), dir) {
			t.Errorf("%v", err)
		}
	}
}

func TestEmptyLedger(t *testing.T) {
	for _, typ := range append(ledger.Types(), ledger.Raw) {
		path := filepath.Join(t.TempDir(), "ledger.db")
		prepare(t, &memory{}, config(typ), path)
		db := open(t, path, sqlite.Limits{})
		if r, err := db.Query(t.Context(), "SELECT count(*) FROM records"); err != nil || r.Rows[0][0] != int64(0) || db.Type() != typ {
			t.Errorf("%s: %v, %v", typ, r, err)
		}
	}
}

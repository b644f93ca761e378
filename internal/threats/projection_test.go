//go:build cgo && unix

package threats_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gitledger/gitledger/replay/sqlite"
)

// Something else lies where the database goes when the next run prepares it: a
// link to a file of somebody's, a pipe, a hard link, or a database of the
// agent's. The place is taken by the branch's state, and what it led to stays.
func TestThreatProjectionPlace(t *testing.T) {
	w := newWorld(t)
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte(canary), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, plant := range map[string]func(path string) error{
		"a symlink":            func(path string) error { return os.Symlink(outside, path) },
		"a link to nowhere":    func(path string) error { return os.Symlink(outside+"-new", path) },
		"a hard link":          func(path string) error { return os.Link(outside, path) },
		"a pipe":               func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a link for a journal": func(path string) error { return os.Symlink(outside, path+"-journal") },
		"a link for a log":     func(path string) error { return os.Symlink(outside, path+"-wal") },
		"nonsense":             func(path string) error { return os.WriteFile(path, []byte(canary), 0o600) },
	} {
		path := filepath.Join(t.TempDir(), "ledger.db")
		if err := plant(path); err != nil {
			t.Fatal(err)
		}
		if _, err := sqlite.Prepare(t.Context(), w.branch("findings"), w.config("findings"), path, sqlite.Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
			t.Errorf("%s: %v, %v", name, info, err)
		}
		db, err := sqlite.Open(t.Context(), path, sqlite.Limits{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := db.Query(t.Context(), "SELECT count(*) FROM state")
		if err != nil || fmt.Sprint(got.Rows) != "[[3]]" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		db.Close()
		if data, err := os.ReadFile(outside); err != nil || string(data) != canary {
			t.Errorf("%s: outside is %q, %v", name, data, err)
		}
		if _, err := os.Lstat(outside + "-new"); err == nil {
			t.Errorf("%s: a file was made outside", name)
		}
	}
}

// The agent's query is SQL that writes, reads other files, or loads code: none of
// it is run, and the database and its folder stay as they are (S9-11, S3-02).
func TestThreatQueriesThatWrite(t *testing.T) {
	w := newWorld(t)
	dir := t.TempDir()
	path, other := filepath.Join(dir, "ledger.db"), filepath.Join(dir, "other.db")
	if _, err := sqlite.Prepare(t.Context(), w.branch("findings"), w.config("findings"), path, sqlite.Options{}); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(t.Context(), path, sqlite.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, query := range []string{
		"DROP TABLE state", "DELETE FROM records", "UPDATE state SET value = 'x'", "INSERT INTO state VALUES ('x', 'y')",
		"ATTACH '" + other + "' AS o", "VACUUM INTO '" + other + "'", "CREATE TABLE x (y)", "CREATE TEMP TABLE x (y)",
		"PRAGMA writable_schema = 1", "PRAGMA journal_mode = WAL", "PRAGMA query_only = 0", "SELECT load_extension('x')",
		"SELECT writefile('" + other + "', 'x')", "SELECT readfile('/etc/passwd')", "SELECT 1; DROP TABLE state", "BEGIN EXCLUSIVE",
		"SELECT fts3_tokenizer('simple')", "WITH x AS (SELECT 1) DELETE FROM state", "REINDEX", "DETACH main", "SELECT * FROM pragma_writable_schema(1)",
	} {
		_, err := db.Query(t.Context(), query)
		if !errors.Is(err, sqlite.ErrDenied) && !errors.Is(err, sqlite.ErrStatement) {
			t.Errorf("%s: %v", query, err)
		}
		if err != nil && strings.Contains(err.Error(), dir) {
			t.Errorf("%s: said too much: %v", query, err)
		}
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the database changed: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

// What the agent did to its database is gone with the run: neither the branch nor
// the next preparation knows of it (S9-02).
func TestThreatEditedDatabase(t *testing.T) {
	w := newWorld(t)
	path := filepath.Join(t.TempDir(), "ledger.db")
	prepare := func() {
		t.Helper()
		if _, err := sqlite.Prepare(t.Context(), w.branch("findings"), w.config("findings"), path, sqlite.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	prepare()
	honest, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before := w.content()
	edited := []byte(strings.ReplaceAll(string(honest), `"severity":"low"`, `"severity":"top"`))
	if string(edited) == string(honest) {
		t.Fatal("nothing was edited")
	}
	if err := os.WriteFile(path, edited, 0o644); err != nil {
		t.Fatal(err)
	}
	w.unchanged(before, "an edited database")
	w.run(`{"type":"ledger_append","ledger":"findings","operation":"update","key":"F-0","patch":{"note":"x"}}`)
	prepare()
	db, err := sqlite.Open(t.Context(), path, sqlite.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	got, err := db.Query(t.Context(), "SELECT json_extract(value, '$.severity') FROM state")
	if err != nil || fmt.Sprint(got.Rows) != "[[low] [low] [low]]" {
		t.Errorf("%+v, %v", got, err)
	}
}

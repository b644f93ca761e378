package sqlite_test

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay"
	"github.com/gitledger/gitledger/replay/sqlite"
	"github.com/gitledger/gitledger/shard"
)

// The history that a custom replay once read stays as it is, byte for byte and
// without a new file, whoever prepares or queries it and under whatever type,
// and its records are queried as raw ones (S7-10, R-20, R-22).
func TestPreparingLeavesTheBranch(t *testing.T) {
	dir := t.TempDir()
	d, err := shard.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	old := &memory{}
	old.add(t, `{"record_type":"audit","run_id":1}`, `{"record_type":"audit","run_id":2}`)
	old.add(t, `{"operation":"append","claim":"from custom replay"}`)
	var change shard.Change
	for _, s := range old.shards {
		change.Add = append(change.Add, shard.Addition{ID: s.ID, Data: s.Data})
	}
	change.State = []byte("{}\n")
	head, err := d.Commit(t.Context(), "", change)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"replay.cjs", "ledger/coverage.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("kept"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	before := everything(t, dir)

	path := filepath.Join(t.TempDir(), "ledger.db")
	for _, opts := range []sqlite.Options{{}, {Extend: true}, {Seal: true}} {
		report, err := sqlite.Prepare(t.Context(), d, config(ledger.Raw), path, opts)
		if err != nil || report.Head != head || report.Records != 3 {
			t.Errorf("%+v: %+v, %v", opts, report, err)
		}
		got, err := open(t, path, sqlite.Limits{}).Query(t.Context(), "SELECT json_extract(payload, '$.run_id') AS run FROM records WHERE run IS NOT NULL ORDER BY ordinal")
		if err != nil || len(got.Rows) != 2 {
			t.Errorf("%+v, %v", got, err)
		}
	}
	for _, typ := range ledger.Types() { // which is no migration
		if _, err := sqlite.Prepare(t.Context(), d, config(typ), path, sqlite.Options{}); !errors.Is(err, replay.UnsupportedOperation) {
			t.Errorf("%s: %v", typ, err)
		}
	}
	if err := os.Chmod(filepath.Dir(path), 0o755); err != nil { // which Seal closed
		t.Fatal(err)
	}
	if after := everything(t, dir); !maps.Equal(after, before) {
		t.Errorf("before\n%v\nafter\n%v", before, after)
	}
}

// everything is each file below a folder with its bytes, mode and time.
func everything(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		text := info.Mode().String() + info.ModTime().String()
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += string(data)
		}
		all[path] = text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

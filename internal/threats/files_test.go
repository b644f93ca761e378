//go:build cgo

package threats_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay/sqlite"
	"github.com/gitledger/gitledger/shard"
	"github.com/gitledger/gitledger/txn"
)

// Paths that lead elsewhere, and files that are none: on a branch that somebody
// hostile pushed, in a checkout, and where the jobs hand files on (S9-07).
func TestThreatPathsAndLinks(t *testing.T) {
	const id = "41bf13ca-279d-4e6b-ae10-4d463d777db7.jsonl"
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte(canary), 0o600); err != nil {
		t.Fatal(err)
	}
	loose := gittest.Loose{Path: filepath.Join(t.TempDir(), "gone.git")}
	if err := loose.Init(); err != nil {
		t.Fatal(err)
	}
	nowhere, err := loose.Commit(strings.Repeat("0", 39) + "1")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	valid := lines(t, "valid", `{"operation":"add","value":"valid"}`) // so that the place alone is wrong
	for name, plant := range map[string]func(l gittest.Loose) (commit string, err error){
		"a symlink for a shard":   files(id, gittest.LooseFile{Mode: "120000", Data: []byte(outside)}),
		"a link that is a record": files(id, gittest.LooseFile{Mode: "120000", Data: valid}),
		"a mode of nothing":       files(id, gittest.LooseFile{Mode: "100000", Data: valid}),
		"a submodule for a shard": files(id, gittest.LooseFile{Mode: "160000", ID: nowhere}),
		"a folder for a shard":    files(id+"/x", gittest.LooseFile{Data: []byte("x")}),
		"a name with a parent":    tree(valid, gittest.LooseEntry{Mode: "100644", Name: "..jsonl"}),
		"a name with a slash":     tree(valid, gittest.LooseEntry{Mode: "100644", Name: "../" + id}),
		"a name twice":            tree(valid, gittest.LooseEntry{Mode: "100644", Name: id}, gittest.LooseEntry{Mode: "100644", Name: id}),
		"not a UUID of version 4": tree(valid, gittest.LooseEntry{Mode: "100644", Name: "41bf13ca-279d-1e6b-ae10-4d463d777db7.jsonl"}),
		"upper case":              files(strings.ToUpper(id[:36])+".jsonl", gittest.LooseFile{Data: valid}),
		"no tree": func(l gittest.Loose) (string, error) {
			return l.Commit(strings.Repeat("1", 40))
		},
		"a shard that is not there": files(id, gittest.LooseFile{ID: strings.Repeat("2", 40)}),
	} {
		t.Run(name, func(t *testing.T) {
			w.t = t
			l := gittest.Loose{Path: w.path}
			commit, err := plant(l)
			if err != nil {
				t.Fatal(err)
			}
			if err := l.Branch("ledgers/seen", commit); err != nil {
				t.Fatal(err)
			}
			before := w.files()
			path := filepath.Join(t.TempDir(), "ledger.db")
			if _, err := sqlite.Prepare(t.Context(), w.branch("seen"), w.config("seen"), path, sqlite.Options{}); err == nil {
				t.Error("prepared")
			} else if strings.Contains(err.Error(), outside) || strings.Contains(err.Error(), canary) {
				t.Errorf("said too much: %v", err)
			}
			if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Error("there is a database")
			}
			if result, err := w.persist(w.artifact(`{"type":"ledger_append","ledger":"seen","operation":"add","value":1}`)); err == nil {
				t.Errorf("persisted: %+v", result.Ledgers)
			}
			w.untouched(before, name)
		})
	}

	// A link for the artifact, the plan, and the folder of the shards.
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink(outside, link); err != nil {
		t.Fatal(err)
	}
	if data, err := txn.ReadFile(link); !errors.Is(err, txn.ErrArtifact) {
		t.Errorf("the artifact: %q, %v", data, err)
	}
	if data, err := compact.ReadFile(link); !errors.Is(err, compact.ErrRejected) {
		t.Errorf("the plan: %q, %v", data, err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "ledger"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(dir, "ledger", "shards")); err != nil {
		t.Fatal(err)
	}
	d, err := shard.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	snap, err := d.Snapshot(t.Context(), shard.ProjectionLimits())
	if err != nil {
		t.Fatal(err)
	}
	h, err := ledger.Reconstruct(t.Context(), snap)
	if err != nil || !errors.Is(h.Err(), ledger.ErrMalformed) || h.Len() > 0 {
		t.Errorf("the folder: %v, %v", err, h.Err())
	}
	if data, err := os.ReadFile(outside); err != nil || string(data) != canary {
		t.Errorf("%q, %v", data, err)
	}
}

// files is a commit with one file of the shards' folder.
func files(name string, file gittest.LooseFile) func(gittest.Loose) (string, error) {
	return func(l gittest.Loose) (string, error) {
		root, err := l.Files(map[string]gittest.LooseFile{shard.Folder + "/" + name: file})
		if err != nil {
			return "", err
		}
		return l.Commit(root)
	}
}

// tree is a commit whose folder of shards has these entries, each with that data.
func tree(data []byte, entries ...gittest.LooseEntry) func(gittest.Loose) (string, error) {
	return func(l gittest.Loose) (id string, err error) {
		blob, err := l.Object("blob", data)
		if err != nil {
			return "", err
		}
		for i := range entries {
			entries[i].ID = blob
		}
		for i, name := range []string{"", "shards", "ledger"} {
			if i > 0 {
				entries = []gittest.LooseEntry{{Mode: "40000", Name: name, ID: id}}
			}
			if id, err = l.Tree(entries...); err != nil {
				return "", err
			}
		}
		return l.Commit(id)
	}
}

// Names that mean something to a file system, and look-alikes of a ledger's.
func TestThreatLedgerNames(t *testing.T) {
	for _, name := range []string{"../x", "..", ".", ".git", "a/b", `a\b`, "a.lock", "a.", "-a", "_a", "a b", "a@{1}", "", "a\x00", "fіndings", "findings\u200b", "ﬁndings", strings.Repeat("a", 65), "%2e%2e"} {
		if ledger.ValidName(name) {
			t.Errorf("%q is a name", name)
		}
		if got, err := ledger.ParseMap(map[string]any{name: map[string]any{"type": "log"}}); err == nil {
			t.Errorf("%q is declared: %v", name, got)
		}
	}
	// Names that differ in case are two ledgers, and so are those that only some
	// systems cannot have as a file; the branch is what counts.
	configs, err := ledger.ParseYAMLValue([]byte("{Seen: {type: set}, seen: {type: set}, con: {type: set}}"))
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	w.configs = configs
	w.run(`{"type":"ledger_append","ledger":"Seen","operation":"add","value":"upper"}`,
		`{"type":"ledger_append","ledger":"con","operation":"add","value":"device"}`)
	w.run(`{"type":"ledger_append","ledger":"seen","operation":"add","value":"lower"}`)
	for name, want := range map[string]string{"Seen": `[[upper]]`, "seen": `[[lower]]`, "con": `[[device]]`} {
		got, err := w.database(name).Query(t.Context(), "SELECT json_extract(value, '$') FROM state")
		if err != nil || len(got.Rows) != 1 || "[["+got.Rows[0][0].(string)+"]]" != want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

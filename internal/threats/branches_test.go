//go:build cgo

package threats_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay/sqlite"
	"github.com/gitledger/gitledger/shard"
)

// planting puts something hostile on a branch, and returns what the branch is
// to be at.
type planting func(w *world, l gittest.Loose) (id string, err error)

func of(plant func(gittest.Loose) (string, error)) planting {
	return func(_ *world, l gittest.Loose) (string, error) { return plant(l) }
}

// entry is a commit whose tree has one entry in the place of a folder.
func entry(path string, file gittest.LooseFile) planting {
	return func(_ *world, l gittest.Loose) (string, error) {
		root, err := l.Files(map[string]gittest.LooseFile{path: file})
		if err != nil {
			return "", err
		}
		return l.Commit(root)
	}
}

// A branch that somebody hostile pushed, whatever it is, neither breaks a job
// nor changes: not the jobs of a run, nor maintenance with an honest plan that
// it had before, nor the verifier.
func TestThreatHostileBranches(t *testing.T) {
	link := func(text string) gittest.LooseFile { return gittest.LooseFile{Mode: "120000", Data: []byte(text)} }
	submodule := gittest.LooseFile{Mode: "160000", ID: strings.Repeat("1", 40)}
	w := newWorld(t)
	plan, sound := w.plan().Append(nil), strings.TrimSpace(w.git("rev-parse", "ledgers/events"))
	l := gittest.Loose{Path: w.path}
	for name, plant := range map[string]planting{
		"a symlink for the folder of shards":   entry(shard.Folder, link("/etc")),
		"a symlink for the folder above":       entry("ledger", link("..")),
		"a submodule for the folder of shards": entry(shard.Folder, submodule),
		"a submodule for the folder above":     entry("ledger", submodule),
		"a file for the folder of shards":      entry(shard.Folder, gittest.LooseFile{Data: []byte("x")}),
		"a folder of another mode":             entry("ledger", gittest.LooseFile{Mode: "40755", Data: []byte("x")}),
		"a blob for a branch":                  of(func(l gittest.Loose) (string, error) { return l.Object("blob", []byte("x")) }),
		"a tree for a branch":                  of(func(l gittest.Loose) (string, error) { return l.Tree() }),
		"a commit that is nonsense": of(func(l gittest.Loose) (string, error) {
			return l.Object("commit", []byte("tree "+strings.Repeat("z", 40)+"\n"))
		}),
		"a commit whose tree is a blob": of(func(l gittest.Loose) (string, error) {
			id, err := l.Object("blob", []byte("x"))
			if err != nil {
				return "", err
			}
			return l.Commit(id)
		}),
		"an annotated tag for a branch": func(w *world, l gittest.Loose) (string, error) {
			head := strings.TrimSpace(w.git("rev-parse", "ledgers/findings"))
			return l.Object("tag", []byte("object "+head+"\ntype commit\ntag x\ntagger x <x@example.invalid> 1 +0000\n\nx\n"))
		},
		"a tree object that is nonsense": of(func(l gittest.Loose) (string, error) {
			id, err := l.Object("tree", []byte("100644 x"))
			if err != nil {
				return "", err
			}
			return l.Commit(id)
		}),
		"200,000 shards": of(func(l gittest.Loose) (string, error) {
			entries := make([]gittest.LooseEntry, 200_000)
			for i := range entries {
				entries[i] = gittest.LooseEntry{Mode: "100644", Name: fmt.Sprintf("%08x-0000-4000-8000-000000000000.jsonl", i)}
			}
			return tree([]byte("x\n"), entries...)(l)
		}),
	} {
		t.Run(name, func(t *testing.T) {
			w.t = t
			id, err := plant(w, l)
			if err != nil {
				t.Fatal(err)
			}
			if err := l.Branch("ledgers/events", id); err != nil {
				t.Fatal(err)
			}
			before := w.files()
			spent := allocated(func() { w.hostile("events", plan) })
			if spent > 400 {
				t.Errorf("%d MiB allocated", spent)
			}
			w.untouched(before, name)
			// The other ledgers of the repository are none the worse.
			w.database("findings")
			if err := l.Branch("ledgers/events", sound); err != nil {
				t.Fatal(err)
			}
		})
	}
	w.t = t
	w.run(`{"type":"ledger_append","ledger":"events","record":{"n":"after"}}`)
	w.database("events")
}

// hostile plays each job on a branch on which none of them may succeed.
func (w *world) hostile(name string, plan []byte) {
	t := w.t
	t.Helper()
	path := filepath.Join(t.TempDir(), "ledger.db")
	if _, err := sqlite.Prepare(t.Context(), w.branch(name), w.config(name), path, sqlite.Options{}); err == nil {
		t.Error("prepared")
	}
	if _, err := os.Lstat(path); err == nil {
		t.Error("there is a database")
	}
	if result, err := w.persist(w.artifact(`{"type":"ledger_append","ledger":"` + name + `","record":{}}`)); err == nil || result.Durable() {
		t.Errorf("persisted: %+v", result)
	}
	if p, err := compact.Propose(t.Context(), w.branch(name), w.config(name), compact.ProposeOptions{Trigger: compact.Requested}); err == nil && p.Plan != nil {
		t.Errorf("planned: %+v", p.Plan)
	}
	if out, err := w.apply(plan); err == nil && (out.Status == compact.Applied || out.Status == compact.AlreadyApplied) {
		t.Errorf("applied: %+v", out)
	}
	log, err := w.repo.Log("ledgers/" + name)
	if err != nil {
		t.Fatal(err)
	}
	v := ledger.Verifier{Log: log}
	said := 0
	for range v.Verify(t.Context()) {
		said++
	}
	if said == 0 {
		t.Error("the verifier is content")
	}
}

// Entries called .git and .. beside a shard are no files of the ledger: nothing
// reads or makes them, and the verifier names the commit that brought them.
func TestThreatForbiddenNames(t *testing.T) {
	w := newWorld(t)
	l := gittest.Loose{Path: w.path}
	id, err := shard.NewID()
	if err != nil {
		t.Fatal(err)
	}
	good, err := l.Object("blob", lines(t, "good", `{"operation":"add","value":"good"}`))
	if err != nil {
		t.Fatal(err)
	}
	evil, err := l.Object("blob", lines(t, "evil", `{"operation":"add","value":"evil"}`))
	if err != nil {
		t.Fatal(err)
	}
	var below string
	for _, entries := range [][]gittest.LooseEntry{
		{{Mode: "100644", Name: id.FileName(), ID: evil}},
		{{Mode: "100644", Name: "..", ID: evil}, {Mode: "40000", Name: ".git"}, {Mode: "100644", Name: id.FileName(), ID: good}},
		{{Mode: "40000", Name: "shards"}},
		{{Mode: "40000", Name: "ledger"}},
	} {
		for i := range entries {
			if entries[i].ID == "" {
				entries[i].ID = below
			}
		}
		if below, err = l.Tree(entries...); err != nil {
			t.Fatal(err)
		}
	}
	commit, err := l.Commit(below)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Branch("ledgers/seen", commit); err != nil {
		t.Fatal(err)
	}
	w.run(`{"type":"ledger_append","ledger":"seen","operation":"add","value":"next"}`)
	got, err := w.database("seen").Query(t.Context(), "SELECT value FROM state ORDER BY value")
	if err != nil || fmt.Sprint(got.Rows) != `[["good"] ["next"]]` {
		t.Errorf("%+v, %v", got, err)
	}
	log, err := w.repo.Log("ledgers/seen")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for f, err := range ledger.Verify(t.Context(), log) {
		if err != nil {
			t.Error(err)
		}
		if f.Kind == ledger.NameForbidden && f.Commit == shard.Head(commit) {
			found++
		}
	}
	if found != 2 {
		t.Errorf("%d of 2 forbidden names are found", found)
	}
}

// A shard that is executable is a file like any other, to every job.
func TestThreatExecutableShard(t *testing.T) {
	w := newWorld(t)
	l := gittest.Loose{Path: w.path}
	id, err := shard.NewID()
	if err != nil {
		t.Fatal(err)
	}
	commit, err := entry(id.Path(), gittest.LooseFile{Mode: "100755", Data: lines(t, "exec", `{"operation":"add","value":"#!/bin/sh"}`)})(w, l)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Branch("ledgers/seen", commit); err != nil {
		t.Fatal(err)
	}
	history := w.history("seen")
	w.run(`{"type":"ledger_append","ledger":"seen","operation":"add","value":"next"}`)
	w.visible("seen", history)
	got, err := w.database("seen").Query(t.Context(), "SELECT value FROM state ORDER BY value")
	if err != nil || fmt.Sprint(got.Rows) != `[["#!/bin/sh"] ["next"]]` {
		t.Errorf("%+v, %v", got, err)
	}
	if mode := w.git("ls-tree", "ledgers/seen", id.Path()); !strings.HasPrefix(mode, "100755 ") {
		t.Errorf("the mode is changed: %s", mode)
	}
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/internal/membranch"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
	"github.com/gitledger/gitledger/shard/gitbranch"
	"github.com/gitledger/gitledger/txn"
)

// tasks is the ledger of these tests.
func tasks() ledger.Config {
	cfg := ledger.NewConfig("tasks", ledger.Log)
	cfg.Compaction.MinSegments, cfg.Compaction.MaxSegments = 2, 256
	return cfg
}

func noon() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// lived is a ledger that the library wrote: three appends, a compaction of
// their shards, and two appends more.
func lived(t testing.TB) *membranch.Branch {
	t.Helper()
	b := &membranch.Branch{}
	b.Keep()
	for i := range 5 {
		if i == 3 {
			merge(t, b)
		}
		add(t, b, i)
	}
	return b
}

func add(t testing.TB, b *membranch.Branch, i int) {
	t.Helper()
	configs := ledger.Configs{tasks()}
	requests := fmt.Sprintf(`{"ledger":"tasks","operation":"append","value":{"run":%d}}`+"\n"+`{"ledger":"tasks","operation":"append","value":[%d]}`, i, i)
	tx, err := txn.Normalize(configs, fmt.Sprintf("run:%d", i), strings.NewReader(requests))
	if err != nil {
		t.Fatal(err)
	}
	artifact, err := tx.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	open := func(context.Context, ledger.Config) (shard.Branch, error) { return b, nil }
	if _, err := txn.Persist(t.Context(), open, configs, artifact, txn.Options{Now: noon}); err != nil {
		t.Fatal(err)
	}
}

func merge(t testing.TB, b *membranch.Branch) {
	t.Helper()
	p, err := compact.Propose(t.Context(), b, tasks(), compact.ProposeOptions{Trigger: compact.Requested, Now: noon})
	if err != nil || p.Plan == nil {
		t.Fatal(p, err)
	}
	out, err := compact.Apply(t.Context(), b, tasks(), p.Plan.Append(nil), compact.ApplyOptions{Now: noon})
	if err != nil || out.Status != compact.Applied {
		t.Fatal(out, err)
	}
}

// What the commits of lived are.
const (
	third     = 2 // the last append before the compaction
	compacted = 3
	fourth    = 4
	latest    = 5
)

type files = map[string]gittest.LooseFile

// world is a bare repository with one branch, which a test spoils.
type world struct {
	testing.TB
	gittest.Loose
	versions []files
	parents  map[int][]int // of versions; the one before where there is none
	commits  []string      // once written
	trees    []string
}

func newWorld(t testing.TB, b *membranch.Branch) *world {
	t.Helper()
	w := &world{TB: t, Loose: gittest.Loose{Path: t.TempDir()}, parents: map[int][]int{}}
	w.must(w.Init())
	for _, v := range b.Kept() {
		f := files{}
		for path, file := range v.Files {
			f[path] = gittest.LooseFile{Data: file.Data}
		}
		w.versions = append(w.versions, f)
	}
	return w
}

// write makes the commits.
func (w *world) write() {
	w.Helper()
	w.commits, w.trees = nil, nil
	for i, f := range w.versions {
		tree, err := w.Files(f)
		w.must(err)
		w.trees = append(w.trees, tree)
		parents, ok := w.parents[i]
		if !ok && i > 0 {
			parents = []int{i - 1}
		}
		var ids []string
		for _, p := range parents {
			ids = append(ids, w.commits[p])
		}
		commit, err := w.Commit(tree, ids...)
		w.must(err)
		w.commits = append(w.commits, commit)
	}
	w.must(w.Branch("ledgers/tasks", w.commits[len(w.commits)-1]))
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// new returns the shards that a version has and the one before has not.
func (w *world) new(version int) []string {
	var out []string
	for path := range w.versions[version] {
		if _, ok := w.versions[version-1][path]; !ok && strings.HasPrefix(path, shard.Folder) {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

// from sets or, with nil data, deletes a file in a version and those after it.
func (w *world) from(version int, path string, data []byte) {
	w.put(version, path, gittest.LooseFile{Data: data}, data == nil)
}

func (w *world) put(version int, path string, f gittest.LooseFile, gone bool) {
	for _, v := range w.versions[version:] {
		if gone {
			delete(v, path)
		} else {
			v[path] = f
		}
	}
}

// more adds a version like the last.
func (w *world) more() int {
	w.versions = append(w.versions, maps.Clone(w.versions[len(w.versions)-1]))
	return len(w.versions) - 1
}

// seal returns the line of a record that the ledger does not have.
func (w *world) seal(id record.ID, payload string, parents ...record.Hash) []byte {
	w.Helper()
	r, err := record.Seal(record.Draft{ID: id, Type: "ledger_append", Time: noon(), Parents: parents, Payload: []byte(payload)})
	w.must(err)
	return append(bytes.Clone(r.Line()), '\n')
}

// freshPath is the path of a shard that is not there.
func freshPath(n int) string {
	return shard.ID(record.FoldUUID(record.Sum(fmt.Append(nil, n)))).Path()
}

// recordsOf returns what a shard holds.
func (w *world) recordsOf(data []byte) []*record.Record {
	w.Helper()
	var out []*record.Record
	for line, err := range record.Lines(data) {
		w.must(err)
		out = append(out, &line.Record)
	}
	return out
}

// verify returns what the library finds.
func (w *world) verify(ctx context.Context) ([]ledger.Finding, ledger.Summary, []error) {
	w.Helper()
	return verifyAt(ctx, w, w.Path)
}

func verifyAt(ctx context.Context, t testing.TB, url string) (found []ledger.Finding, s ledger.Summary, errs []error) {
	t.Helper()
	r, err := gitbranch.Open(context.Background(), gitbranch.Options{URL: url})
	if err != nil {
		return nil, ledger.Summary{}, []error{err}
	}
	defer r.Close()
	log, err := r.Log("ledgers/tasks")
	if err != nil {
		t.Fatal(err)
	}
	v := ledger.Verifier{Log: log}
	for f, err := range v.Verify(ctx) {
		if err != nil {
			errs = append(errs, err)
		} else {
			found = append(found, f)
		}
	}
	return found, v.Summary(), errs
}

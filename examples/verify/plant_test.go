package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/internal/compaction"
	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

func idOf(family string) record.ID { return record.DeterministicID(family, 0) }

// treeOf lists every file of a folder with its size and content's digest.
func treeOf(t testing.TB, root string) []byte {
	t.Helper()
	var out []byte
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		out = fmt.Appendf(out, "%s %s\n", path, record.Sum(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// plant is one corruption and exactly what is to be found of it.
type plant struct {
	name  string
	spoil func(w *world)
	after func(w *world) // once the commits are written
	at    int            // the version whose commit is named
	want  []ledger.FindingKind
}

const append1 = `{"operation":"append","value":1}`

func plants() []plant {
	lines := func(w *world, family string, parents ...record.Hash) []byte {
		return w.seal(idOf(family), append1, parents...)
	}
	remove := func(w *world, id string) { w.must(os.Remove(w.ObjectPath(id))) }
	blob := func(w *world, path string) string {
		id, err := w.Object("blob", w.versions[latest][path].Data)
		w.must(err)
		return id
	}
	return []plant{
		{name: "a shard's object is gone", at: latest, want: kinds(ledger.ObjectMissing),
			after: func(w *world) { remove(w, blob(w, w.new(latest)[0])) }},
		{name: "a tree is gone", at: fourth, want: kinds(ledger.ObjectMissing),
			after: func(w *world) { remove(w, w.trees[fourth]) }},
		{name: "a commit is gone", at: third, want: kinds(ledger.ObjectMissing),
			after: func(w *world) { remove(w, w.commits[third]) }},
		{name: "the latest commit is gone", at: latest, want: kinds(ledger.ObjectMissing),
			after: func(w *world) { remove(w, w.commits[latest]) }},
		{name: "another file's object is gone", at: third, want: kinds(ledger.ObjectMissing),
			spoil: func(w *world) { w.from(third, "docs/a/b.md", []byte("text")) },
			after: func(w *world) {
				id, err := w.Object("blob", []byte("text"))
				w.must(err)
				remove(w, id)
			}},
		{name: "a shard's object has other bytes", at: latest, want: kinds(ledger.ObjectDamaged),
			after: func(w *world) {
				data := bytes.Replace(w.versions[latest][w.new(latest)[0]].Data, []byte(`[4]`), []byte(`[5]`), 1)
				w.must(w.Replace(blob(w, w.new(latest)[0]), append(fmt.Appendf(nil, "blob %d\x00", len(data)), data...)))
			}},
		{name: "the branch is at a tree", at: -1, want: kinds(ledger.ObjectDamaged),
			after: func(w *world) { w.must(w.Branch("ledgers/tasks", w.trees[latest])) }},
		{name: "a tree's entries are out of order", at: latest, want: kinds(ledger.ObjectDamaged),
			after: func(w *world) {
				id, err := w.Object("blob", nil)
				w.must(err)
				tree, err := w.Tree(gittest.LooseEntry{Mode: "100644", Name: "b", ID: id}, gittest.LooseEntry{Mode: "100644", Name: "a", ID: id})
				w.must(err)
				w.again(tree)
			}},
		{name: "a tree's entry has a slash", at: latest, want: kinds(ledger.ObjectDamaged),
			after: func(w *world) {
				id, err := w.Object("blob", nil)
				w.must(err)
				tree, err := w.Tree(gittest.LooseEntry{Mode: "100644", Name: "ledger/shards/x", ID: id})
				w.must(err)
				w.again(tree)
			}},
		{name: "an entry is called .git", at: third, want: kinds(ledger.NameForbidden),
			spoil: func(w *world) { w.from(third, "docs/.GIT/config", []byte("x")) }},
		{name: "an entry of the ledger is called ..", at: third, want: kinds(ledger.NameForbidden),
			spoil: func(w *world) { w.from(third, "ledger/../x", []byte("x")) }},
		{name: "a file lies where a folder belongs", at: 0, want: kinds(ledger.PathBlocked),
			spoil: func(w *world) { w.versions[0]["ledger/compaction"] = gittest.LooseFile{Data: []byte("x")} }},
		{name: "a submodule lies where the shards belong", at: 6, want: kinds(ledger.PathBlocked, ledger.RecordsLost, ledger.ShardsDeleted),
			spoil: func(w *world) {
				at := w.more()
				for path := range w.versions[at] {
					if strings.HasPrefix(path, shard.Folder) {
						delete(w.versions[at], path)
					}
				}
				w.versions[at][shard.Folder] = gittest.LooseFile{Mode: "160000", ID: strings.Repeat("12", 20)}
			}},
		{name: "a shard is a symlink", at: latest, want: kinds(ledger.NotRegular),
			spoil: func(w *world) {
				w.put(latest, freshPath(1), gittest.LooseFile{Mode: "120000", Data: []byte("/etc/passwd")}, false)
			}},
		{name: "a shard is a folder", at: latest, want: kinds(ledger.NotRegular),
			spoil: func(w *world) { w.from(latest, freshPath(1)+"/x", []byte("x")) }},
		{name: "a shard's object is a tree", at: latest, want: kinds(ledger.NotRegular),
			spoil: func(w *world) {
				id, err := w.Tree()
				w.must(err)
				w.put(latest, freshPath(1), gittest.LooseFile{ID: id}, false)
			}},
		{name: "the state file is a symlink", at: latest, want: kinds(ledger.NotRegular, ledger.StateUnexplained),
			spoil: func(w *world) {
				w.put(latest, shard.StatePath, gittest.LooseFile{Mode: "120000", Data: []byte("x")}, false)
			}},
		{name: "a shard has no ID", at: latest, want: kinds(ledger.ShardName),
			spoil: func(w *world) { w.from(latest, shard.Folder+"/\x1b[2Jx.jsonl", []byte("x")) }},
		{name: "a shard is too large", at: latest, want: kinds(ledger.ShardSize),
			spoil: func(w *world) {
				w.from(latest, freshPath(1), make([]byte, shard.MaintenanceLimits().FileBytes+1))
			}},
		{name: "a shard is empty", at: latest, want: kinds(ledger.ShardEmpty),
			spoil: func(w *world) { w.from(latest, freshPath(1), []byte{}) }},
		{name: "lines are malformed", at: latest, want: kinds(ledger.ShardMalformed, ledger.ShardMalformed),
			spoil: func(w *world) { w.from(latest, freshPath(1), []byte("{\n{}\n{\n")) }},
		{name: "a shard is rewritten", at: latest, want: kinds(ledger.ShardRewritten),
			spoil: func(w *world) {
				path := w.new(fourth)[0]
				w.from(latest, path, append(bytes.Clone(w.versions[fourth][path].Data), lines(w, "more")...))
			}},
		{name: "a shard is truncated", at: 6, want: kinds(ledger.RecordsLost, ledger.ShardRewritten),
			spoil: func(w *world) {
				path := w.new(fourth)[0]
				data := w.versions[fourth][path].Data
				w.from(w.more(), path, data[:bytes.IndexByte(data, '\n')+1])
			}},
		{name: "an ID has two records", at: latest, want: kinds(ledger.DuplicateID),
			spoil: func(w *world) {
				w.from(latest, freshPath(1), w.seal(record.DeterministicID("run:0", 1), append1))
			}},
		{name: "a parent is not there", at: latest, want: kinds(ledger.MissingParent),
			spoil: func(w *world) { w.from(latest, freshPath(1), lines(w, "orphan", record.Sum(nil))) }},
		{name: "a shard vanishes", at: 6, want: kinds(ledger.RecordsLost, ledger.ShardsDeleted),
			spoil: func(w *world) { w.from(w.more(), w.new(fourth)[0], nil) }},
		{name: "a shard vanishes under a new record", at: latest, want: kinds(ledger.MissingParent, ledger.RecordsLost, ledger.ShardsDeleted),
			spoil: func(w *world) { w.from(latest, w.new(fourth)[0], nil) }},
		{name: "a copy of a shard vanishes", at: latest, want: kinds(ledger.ShardsDeleted),
			spoil: func(w *world) {
				w.versions[fourth][freshPath(1)] = w.versions[fourth][w.new(fourth)[0]]
			}},
		{name: "a compaction drops a record", at: compacted, want: kinds(ledger.RecordsLost, ledger.UnionInexact),
			spoil: func(w *world) { w.replace(func(all []*record.Record) []*record.Record { return all[:len(all)-1] }) }},
		{name: "a compaction slips a record in", at: compacted, want: kinds(ledger.UnionInexact),
			spoil: func(w *world) {
				w.replace(func(all []*record.Record) []*record.Record {
					return append(all, w.recordsOf(lines(w, "extra"))...)
				})
			}},
		{name: "a compaction's replacement has a random ID", at: compacted, want: kinds(ledger.ReplacementForged),
			spoil: func(w *world) {
				old := w.new(compacted)[0]
				data := w.versions[compacted][old].Data
				w.from(compacted, old, nil)
				w.from(compacted, freshPath(1), data)
				w.state(freshPath(1), data)
			}},
		{name: "a compaction deletes a malformed shard", at: -1, want: kinds(ledger.ShardMalformed, ledger.ShardsDeleted),
			spoil: func(w *world) {
				const bad = "not a record\n"
				path := freshPath(1)
				for _, v := range w.versions[:compacted] {
					v[path] = gittest.LooseFile{Data: []byte(bad)}
				}
				w.state(w.new(compacted)[0], w.versions[compacted][w.new(compacted)[0]].Data)
			}},
		{name: "a compaction leaves the state file", at: compacted, want: kinds(ledger.ShardsDeleted),
			spoil: func(w *world) { w.from(compacted, shard.StatePath, nil) }},
		{name: "the state file is malformed", at: latest, want: kinds(ledger.StateInvalid, ledger.StateUnexplained),
			spoil: func(w *world) { w.from(latest, shard.StatePath, []byte(`{"version":1}`)) }},
		{name: "the state file is another ledger's", at: compacted, want: kinds(ledger.StateMismatch, ledger.StateMismatch),
			spoil: func(w *world) {
				w.from(compacted, shard.StatePath, bytes.Replace(w.versions[compacted][shard.StatePath].Data, []byte(`"tasks"`), []byte(`"other"`), 1))
			}},
		{name: "the state file names another plan", at: compacted, want: kinds(ledger.StateMismatch),
			spoil: func(w *world) { w.state(freshPath(1), []byte("x")) }},
		{name: "the state file changes alone", at: latest, want: kinds(ledger.StateUnexplained),
			spoil: func(w *world) {
				w.from(latest, shard.StatePath, append(w.versions[compacted][shard.StatePath].Data, '\n'))
			}},
		{name: "more shards than can be projected", at: latest, want: kinds(ledger.BranchTooLarge),
			spoil: func(w *world) {
				for i := range shard.ProjectionLimits().Files {
					w.from(latest, freshPath(i), w.seal(record.DeterministicID("many", i), append1))
				}
			}},
	}
}

func kinds(k ...ledger.FindingKind) []ledger.FindingKind { return k }

// again puts the branch at a commit of that tree instead of the latest.
func (w *world) again(tree string) {
	commit, err := w.Commit(tree, w.commits[fourth])
	w.must(err)
	w.commits[latest] = commit
	w.must(w.Branch("ledgers/tasks", commit))
}

// replace makes the compaction have other records, with everything else as a
// forger would make it fit.
func (w *world) replace(change func([]*record.Record) []*record.Record) {
	old := w.new(compacted)[0]
	all := change(w.recordsOf(w.versions[compacted][old].Data))
	made, err := shard.Replacement(all, []byte(compaction.ReplacementMetadata))
	w.must(err)
	w.from(compacted, old, nil)
	w.from(compacted, made.ID.Path(), made.Data)
	w.state(made.ID.Path(), made.Data)
}

// state makes the state file name the compaction with that replacement.
func (w *world) state(path string, data []byte) {
	var sources []compaction.Identity
	for p, f := range w.versions[third] {
		if strings.HasPrefix(p, shard.Folder) {
			sources = append(sources, identity(p, f.Data))
		}
	}
	slices.SortFunc(sources, func(a, b compaction.Identity) int { return strings.Compare(a.ID.String(), b.ID.String()) })
	now := compaction.PlanID("tasks", "ledgers/tasks", sources, identity(path, data))
	text := w.versions[compacted][shard.StatePath].Data
	was, ok := compaction.ParseState(text)
	if !ok {
		w.Fatal("the state file is not one")
	}
	w.from(compacted, shard.StatePath, bytes.ReplaceAll(text, []byte(was.LastPlanID.String()), []byte(now.String())))
}

func identity(path string, data []byte) compaction.Identity {
	id, _ := shard.FileID(path[len(shard.Folder)+1:])
	return compaction.Identity{ID: id, SHA256: record.Sum(data)}
}

func TestPlanted(t *testing.T) {
	base := lived(t)
	seen := map[ledger.FindingKind]bool{
		ledger.TipDiffers: true, // takes a reader that lies; see the package's own test
	}
	for _, p := range plants() {
		t.Run(p.name, func(t *testing.T) {
			w := newWorld(t, base)
			if p.spoil != nil {
				p.spoil(w)
			}
			w.write()
			if p.after != nil {
				p.after(w)
			}
			found, s, errs := w.verify(t.Context())
			for _, err := range errs {
				t.Error("not checked:", err)
			}
			var got []ledger.FindingKind
			for _, f := range found {
				t.Log(f)
				got = append(got, f.Kind)
				if p.at >= 0 && string(f.Commit) != w.commits[p.at] {
					t.Errorf("%s: names %s, want %s", f.Kind, f.Commit, w.commits[p.at])
				}
				if strings.ContainsAny(f.String(), "\x1b\n") {
					t.Errorf("%q", f.String())
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, p.want) {
				t.Errorf("found %q, want %q", got, p.want)
			}
			if s.Sound() || !s.Complete {
				t.Errorf("%+v", s)
			}
		})
		for _, k := range p.want {
			seen[k] = true
		}
	}
	for _, k := range ledger.FindingKinds() {
		if !seen[k] {
			t.Errorf("nothing plants %s", k)
		}
	}
}

package branchtest

import (
	"maps"
	"strings"

	"github.com/gitledger/gitledger/shard"
)

func canPlant(s *Store) bool       { return s.Plant != nil }
func canList(s *Store) bool        { return s.Plant != nil && s.Files != nil }
func canFingerprint(s *Store) bool { return s.Fingerprint != nil }
func canReader(s *Store) bool      { return s.Reader != nil }
func canDelete(s *Store) bool      { return s.Delete != nil }
func canRewind(s *Store) bool      { return s.Rewind != nil }

func (p *probe) plant(path, data string) {
	if err := p.store.Plant(path, []byte(data)); err != nil {
		p.fatalf("the store's Plant: %v", err)
	}
}

func (p *probe) files() map[string]string {
	files, err := p.store.Files()
	if err != nil {
		p.fatalf("the store's Files: %v", err)
	}
	return files
}

// strangers are files that no ledger names, some of them next to its own.
func strangers() map[string]string {
	return map[string]string{
		"README.md":                  "about\n",
		"ledger/README.md":           "about\n",
		"ledger/shards/README.md":    "about\n",
		"ledger/shards/.keep":        "",
		"ledger/shards/odd.jsonl":    "{}\n",
		"ledger/shards/sub/a.txt":    "below\n",
		"ledger/compaction/log.txt":  "log\n",
		"ledger/shards2/x.jsonl":     "{}\n",
		"zz/deep/er/still/file.json": "{}\n",
	}
}

func unrelatedFiles(p *probe) {
	want := strangers()
	for path, data := range want {
		p.plant(path, data)
	}
	b := p.open()
	one, two := p.add("1\n"), p.add("2\n")
	head := p.commit(b, p.snapshot(b).Head, shard.Change{Add: []shard.Addition{one}, State: []byte("1\n")})
	head = p.commit(b, head, shard.Change{Add: []shard.Addition{two}, Delete: []shard.ID{one.ID}, State: []byte("2\n")})
	p.commit(b, head, shard.Change{Delete: []shard.ID{two.ID}})
	want[shard.StatePath] = "2\n"
	if got := p.files(); !maps.Equal(got, want) {
		for path := range want {
			if data, ok := got[path]; !ok || data != want[path] {
				p.errorf("%s is gone or changed", path)
			}
			delete(got, path)
		}
		for path := range got {
			p.errorf("%s is there and should not be", path)
		}
	}
}

func names(p *probe) {
	good := p.add("good\n")
	upper := strings.ToUpper(p.add("").ID.String()) + shard.Extension
	bad := []string{"odd.jsonl", ".jsonl", upper, "{" + good.ID.String() + "}.jsonl",
		"00000000-0000-1000-8000-000000000000.jsonl"}
	for _, name := range append(bad, "README.md", "jsonl", good.ID.String(), good.ID.FileName()+".bak", "x.JSONL") {
		p.plant(shard.Folder+"/"+name, "{}\n")
	}
	b := p.open()
	p.commit(b, p.snapshot(b).Head, adding(good))
	snap := p.look()
	seen := map[string]shard.Fault{}
	for _, s := range snap.Shards {
		seen[s.Name] = s.Fault
		if s.Fault != "" && !s.ID.IsZero() {
			p.errorf("%s has an ID", s.Name)
		}
	}
	want := map[string]shard.Fault{good.ID.FileName(): ""}
	for _, name := range bad {
		want[name] = shard.FaultName
	}
	if !maps.Equal(seen, want) {
		p.errorf("the snapshot lists %v; want %v", seen, want)
	}
}

func stateSize(p *probe) {
	limit := int(shard.ProjectionLimits().StateBytes())
	p.plant(shard.StatePath, strings.Repeat("x", limit))
	if got := len(p.look().State); got != limit {
		p.errorf("a state file of exactly the limit was read as %d bytes", got)
	}
	p.plant(shard.StatePath, strings.Repeat("x", limit+1))
	if p.look().State != nil {
		p.errorf("a state file over the limit was read")
	}
}

func readOnly(p *probe) {
	print := func() string {
		f, err := p.store.Fingerprint()
		if err != nil {
			p.fatalf("the store's Fingerprint: %v", err)
		}
		return f
	}
	look := func(what string) {
		before := print()
		p.look()
		b := p.open()
		p.snapshot(b)
		p.snapshot(b)
		if _, err := b.Snapshot(p.ctx, shard.Limits{}); p.ctx.Err() != nil {
			p.fatalf("%v", err)
		}
		if print() != before {
			p.errorf("a snapshot of %s changed the store", what)
		}
	}
	look("an absent branch")
	p.commit(p.open(), "", shard.Change{Add: []shard.Addition{p.add("1\n")}, State: []byte("{}\n")})
	look("a branch")
}

func refusedWritesNothing(p *probe) {
	b := p.open()
	one := p.add("1\n")
	old := p.commit(b, "", adding(one))
	head := p.commit(b, old, adding(p.add("2\n")))
	before := p.files()
	other := shard.Addition{ID: one.ID, Data: []byte("other\n")}
	for _, try := range []struct {
		head shard.Head
		c    shard.Change
	}{
		{old, adding(p.add("3\n"))},
		{"", adding(p.add("3\n"))},
		{head, shard.Change{Add: []shard.Addition{p.add("3\n"), other}, State: []byte("{}\n")}},
		{head, shard.Change{Add: []shard.Addition{p.add("3\n")}, Delete: []shard.ID{p.add("").ID}}},
		{head, adding(p.add(""))},
	} {
		if _, err := b.Commit(p.ctx, try.head, try.c); err == nil {
			p.errorf("a commit that had to fail succeeded")
		}
	}
	if !maps.Equal(before, p.files()) {
		p.errorf("the files of the branch changed")
	}
}

func readerOnly(p *probe) {
	r, err := p.store.Reader()
	if err != nil {
		p.fatalf("Reader: %v", err)
	}
	if _, ok := r.(shard.Branch); ok {
		p.errorf("the reader has a Commit method")
	}
	one := p.add("1\n")
	p.commit(p.open(), "", adding(one))
	p.holds("through the reader", p.snapshot(r), one)
}

func deletedBranch(p *probe) {
	b := p.open()
	head := p.commit(b, "", adding(p.add("1\n")))
	p.snapshot(b)
	if err := p.store.Delete(); err != nil {
		p.fatalf("the store's Delete: %v", err)
	}
	p.refuse("after the branch was deleted", b, head, adding(p.add("2\n")), shard.ErrHeadMoved)
	if p.look().Head != "" {
		p.errorf("the branch exists again")
	}
	two := p.add("2\n")
	p.commit(b, "", adding(two))
	p.holds("after it was created anew", p.look(), two)
}

func rewoundBranch(p *probe) {
	b := p.open()
	one := p.add("1\n")
	old := p.commit(b, "", adding(one))
	head := p.commit(b, old, adding(p.add("2\n")))
	p.snapshot(b)
	if err := p.store.Rewind(old); err != nil {
		p.fatalf("the store's Rewind: %v", err)
	}
	p.refuse("after the branch was rewound", b, head, adding(p.add("3\n")), shard.ErrHeadMoved)
	snap := p.look()
	if snap.Head != old {
		p.errorf("the branch is not where it was rewound to")
	}
	p.holds("after the branch was rewound", snap, one)
}

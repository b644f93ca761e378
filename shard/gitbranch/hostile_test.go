package gitbranch

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	git "github.com/libgit2/git2go/v34"

	"github.com/gitledger/gitledger/shard"
)

// hostileBox is a repository to plant odd objects in. Every case is read both
// from the path and over HTTP.
func eachAccess(t *testing.T, test func(t *testing.T, box *box)) {
	server := serve(t)
	t.Run("local", func(t *testing.T) { test(t, newBox(t, nil)) })
	t.Run("http", func(t *testing.T) { test(t, newBox(t, server)) })
}

func faults(snap *shard.Snapshot) map[string]shard.Fault {
	m := map[string]shard.Fault{}
	for _, s := range snap.Shards {
		m[s.Name] = s.Fault
	}
	return m
}

func TestIrregularShards(t *testing.T) {
	t.Parallel()
	eachAccess(t, func(t *testing.T, box *box) {
		b := localBranch(t, box)
		blob := box.must(t, "x\n", "hash-object", "-w", "--stdin")
		want := map[string]shard.Fault{}
		for mode, fault := range map[string]shard.Fault{
			"100644": "", "100755": "", "120000": shard.FaultNotRegular, "160000": shard.FaultNotRegular,
		} {
			name := newID(t).FileName()
			want[name] = fault
			id := blob
			if mode == "160000" {
				id = strings.Repeat("ab", 20) // a submodule's commit is elsewhere
			}
			if err := box.plantEntry(mode, id, shard.Folder+"/"+name); err != nil {
				t.Fatal(err)
			}
		}
		folder := newID(t).FileName()
		want[folder] = shard.FaultNotRegular
		box.mustPlant(t, shard.Folder+"/"+folder+"/inner.jsonl", "x\n")
		snap, err := b.Snapshot(t.Context(), shard.ProjectionLimits())
		if err != nil {
			t.Fatal(err)
		}
		if got := faults(snap); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("faults %v; want %v", got, want)
		}
		// What is irregular can neither be taken for a shard nor be deleted.
		for name, fault := range want {
			id, _ := shard.FileID(name)
			_, err := b.Commit(t.Context(), snap.Head, adding(id, "x\n"))
			if fault != "" {
				isError(t, err, shard.ErrIdentityCollision)
				_, err = b.Commit(t.Context(), snap.Head, shard.Change{Delete: []shard.ID{id}})
				isError(t, err, shard.ErrShardMissing)
			} else if err != nil {
				t.Errorf("the same bytes again: %v", err)
			}
		}
	})
}

// TestBlockedFolder: something else lies where a folder belongs.
func TestBlockedFolder(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"ledger", "ledger/shards"} {
		for _, mode := range []string{"100644", "120000", "160000"} {
			t.Run(path+" "+mode, func(t *testing.T) {
				box := newBox(t, nil)
				b := localBranch(t, box)
				blob := box.must(t, "elsewhere", "hash-object", "-w", "--stdin")
				if err := box.plantEntry(mode, blob, path); err != nil {
					t.Fatal(err)
				}
				snap, err := b.Snapshot(t.Context(), shard.ProjectionLimits())
				if err != nil {
					t.Fatal(err)
				}
				if len(snap.Shards) != 1 || snap.Shards[0].Fault != shard.FaultNotRegular {
					t.Errorf("shards %v; want one that is not regular", snap.Shards)
				}
				_, err = b.Commit(t.Context(), snap.Head, adding(newID(t), "x\n"))
				isError(t, err, shard.ErrIdentityCollision)
			})
		}
	}
}

func TestOddStateFile(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"120000", "160000", "040000"} {
		box := newBox(t, nil)
		b := localBranch(t, box)
		blob := box.must(t, "{}", "hash-object", "-w", "--stdin")
		path := shard.StatePath
		if mode == "040000" {
			mode, path = "100644", path+"/inner"
		}
		if err := box.plantEntry(mode, blob, path); err != nil {
			t.Fatal(err)
		}
		snap, err := b.Snapshot(t.Context(), shard.ProjectionLimits())
		if err != nil || snap.State != nil {
			t.Errorf("mode %s: state %q, %v", mode, snap.State, err)
		}
		_, err = b.Commit(t.Context(), snap.Head, shard.Change{State: []byte("{}\n")})
		if path != shard.StatePath {
			isError(t, err, shard.ErrIdentityCollision)
		} else if err != nil {
			t.Errorf("replacing a state file of mode %s: %v", mode, err)
		}
	}
}

// rawTree writes a tree object byte by byte, as no git would.
func rawTree(t *testing.T, box *box, entries ...entry) git.Oid {
	t.Helper()
	var raw bytes.Buffer
	for _, e := range entries {
		fmt.Fprintf(&raw, "%s %s\x00", e.mode, e.name)
		raw.Write(e.id[:])
	}
	return writeRaw(t, box, raw.Bytes(), git.ObjectTree)
}

func writeRaw(t *testing.T, box *box, raw []byte, kind git.ObjectType) git.Oid {
	t.Helper()
	h, err := openLocal(box.path)
	if err != nil {
		t.Fatal(err)
	}
	defer h.free()
	id, err := h.odb.Write(raw, kind)
	if err != nil {
		t.Fatal(err)
	}
	return *id
}

// setHead puts the branch on a commit of a tree with these shard entries.
func setShards(t *testing.T, box *box, entries ...entry) {
	t.Helper()
	shards := rawTree(t, box, entries...)
	ledger := rawTree(t, box, entry{"shards", modeTree, shards})
	root := rawTree(t, box, entry{"ledger", modeTree, ledger})
	commit := writeRaw(t, box, fmt.Appendf(nil, "tree %s\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n\nx\n", root.String()), git.ObjectCommit)
	box.must(t, "", "update-ref", testRef, commit.String())
}

func TestMalformedTrees(t *testing.T) {
	t.Parallel()
	name := func() string { return newID(t).FileName() }
	a, b := name(), name()
	if a > b {
		a, b = b, a
	}
	for what, c := range map[string]struct {
		entries func(blob git.Oid) []entry
		want    string // "" = readable
	}{
		"slash in a name":  {func(o git.Oid) []entry { return []entry{{"../../" + a, modeFile, o}} }, "error"},
		"names unordered":  {func(o git.Oid) []entry { return []entry{{b, modeFile, o}, {a, modeFile, o}} }, "error"},
		"a name twice":     {func(o git.Oid) []entry { return []entry{{a, modeFile, o}, {a, modeFile, o}} }, "error"},
		"a mode of zero":   {func(o git.Oid) []entry { return []entry{{a, "000000", o}} }, string(shard.FaultNotRegular)},
		"a group's mode":   {func(o git.Oid) []entry { return []entry{{a, "100664", o}} }, string(shard.FaultNotRegular)},
		"a missing object": {func(git.Oid) []entry { return []entry{{a, modeFile, git.Oid{1, 2, 3}}} }, "error"},
		"a .git entry":     {func(o git.Oid) []entry { return []entry{{".git", modeFile, o}, {a, modeFile, o}} }, ""},
		"a tree as a file": {func(git.Oid) []entry { return []entry{{a, modeFile, emptyTree}} }, string(shard.FaultNotRegular)},
	} {
		t.Run(what, func(t *testing.T) {
			box := newBox(t, nil)
			branch := localBranch(t, box)
			rawTree(t, box)
			setShards(t, box, c.entries(writeRaw(t, box, []byte("x\n"), git.ObjectBlob))...)
			snap, err := branch.Snapshot(t.Context(), shard.ProjectionLimits())
			if c.want == "error" {
				isError(t, err, shard.ErrUnavailable)
				head := box.must(t, "", "rev-parse", testRef)
				if what == "a missing object" {
					return
				}
				_, err := branch.Commit(t.Context(), shard.Head(head), adding(newID(t), "y\n"))
				isError(t, err, shard.ErrUnavailable)
				return
			}
			if err != nil || len(snap.Shards) != 1 || string(snap.Shards[0].Fault) != c.want {
				t.Fatalf("%v, %v; want one shard with the fault %q", snap, err, c.want)
			}
			// What is odd is kept as it is beside a change.
			head, err := branch.Commit(t.Context(), snap.Head, adding(newID(t), "y\n"))
			if err != nil {
				t.Fatal(err)
			}
			list := box.must(t, "", "ls-tree", string(head), shard.Folder+"/")
			for _, e := range c.entries(writeRaw(t, box, []byte("x\n"), git.ObjectBlob)) {
				if !strings.Contains(list, e.name) {
					t.Errorf("%s is gone from:\n%s", e.name, list)
				}
			}
		})
	}
}

func TestHeadIsNoCommit(t *testing.T) {
	t.Parallel()
	eachAccess(t, func(t *testing.T, box *box) {
		box.must(t, "", "update-ref", "refs/keep", writeID(t, box))
		// git itself refuses to put a branch on a blob
		ref := filepath.Join(box.path, testRef)
		if err := os.MkdirAll(filepath.Dir(ref), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(ref, []byte(writeID(t, box)+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := localBranch(t, box).Snapshot(t.Context(), shard.ProjectionLimits())
		isError(t, err, shard.ErrUnavailable)
	})
}

func writeID(t *testing.T, box *box) string {
	id := writeRaw(t, box, []byte("no commit\n"), git.ObjectBlob)
	return id.String()
}

// TestManyFiles is a branch with 200,000 shards: the limit is found before any
// of them is read.
func TestManyFiles(t *testing.T) {
	box := newBox(t, nil)
	b := localBranch(t, box)
	blob := git.Oid{9} // not there: reading one would be another error
	entries := make([]entry, 200_000)
	for i := range entries {
		entries[i] = entry{fmt.Sprintf("%08x-0000-4000-8000-000000000000.jsonl", i), modeFile, blob}
	}
	setShards(t, box, entries...)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	_, err := b.Snapshot(t.Context(), shard.MaintenanceLimits())
	runtime.ReadMemStats(&after)
	isError(t, err, shard.ErrTooLarge)
	if spent := after.TotalAlloc - before.TotalAlloc; spent > 40<<20 {
		t.Errorf("%d MiB allocated to find that out", spent>>20)
	}
}

// TestHugeShard is a blob of 32 MiB that compresses to almost nothing.
func TestHugeShard(t *testing.T) {
	eachAccess(t, func(t *testing.T, box *box) {
		size := 32 << 20
		b := localBranch(t, box)
		file := filepath.Join(box.dir, "huge")
		f, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Truncate(int64(size)); err != nil {
			t.Fatal(err)
		}
		f.Close()
		blob := box.must(t, "", "hash-object", "-w", file)
		small := newID(t).FileName()
		box.mustPlant(t, shard.Folder+"/"+small, "x\n")
		if err := box.plantEntry("100644", blob, shard.Folder+"/"+newID(t).FileName()); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		snap, err := b.Snapshot(t.Context(), shard.MaintenanceLimits())
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range snap.Shards {
			want := shard.FaultSize
			if s.Name == small {
				want = ""
			}
			if s.Fault != want || s.Fault != "" && s.Size != int64(size) {
				t.Errorf("%s has the fault %q and size %d", s.Name, s.Fault, s.Size)
			}
		}
		if spent := after.TotalAlloc - before.TotalAlloc; spent > 20<<20 {
			t.Errorf("%d MiB allocated", spent>>20)
		}
	})
}

func TestBytesLimitBeforeReading(t *testing.T) {
	box := newBox(t, nil)
	b := localBranch(t, box)
	var files strings.Builder
	for range 30 {
		fmt.Fprintf(&files, "M 100644 inline %s\ndata %d\n%s\n", newID(t).Path(), 1<<20, strings.Repeat("x", 1<<20))
	}
	if err := box.importFile(files.String()); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := b.Snapshot(t.Context(), shard.Limits{Files: 100, Bytes: 29 << 20, FileBytes: 10 << 20})
	runtime.ReadMemStats(&after)
	isError(t, err, shard.ErrTooLarge)
	if spent := after.TotalAlloc - before.TotalAlloc; spent > 1<<20 {
		t.Errorf("%d KiB allocated before the limit was found", spent>>10)
	}
}

func FuzzTree(f *testing.F) {
	f.Add([]byte("100644 a\x0012345678901234567890"))
	f.Add([]byte("40000 a\x0012345678901234567890100644 b\x0012345678901234567890"))
	f.Add([]byte("100644 \x00"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var again bytes.Buffer
		sound := forEntries(raw, func(e entry) bool {
			fmt.Fprintf(&again, "%s %s\x00", e.mode, e.name)
			again.Write(e.id[:])
			return true
		})
		if sound && !bytes.Equal(again.Bytes(), raw) {
			t.Errorf("%q was read as %q", raw, again.Bytes())
		}
	})
}

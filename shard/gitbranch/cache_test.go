package gitbranch

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/shard"
)

func snapshotOf(t *testing.T, b shard.Reader) *shard.Snapshot {
	t.Helper()
	snap, err := b.Snapshot(t.Context(), shard.ProjectionLimits())
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// session opens the branch anew, as the next run would.
func (f *faultBench) session(t *testing.T, cache, name string) (shard.Branch, func()) {
	t.Helper()
	r, err := f.repository(Options{Credential: Token(secretToken), Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	b, err := r.Branch(name)
	if err != nil {
		t.Fatal(err)
	}
	return b, func() { r.Close() }
}

// TestRequests is what a persist costs: four requests when somebody else has
// committed meanwhile, three when not; and what travels is what is new.
func TestRequests(t *testing.T) {
	t.Parallel()
	f := newFaultBench(t, Options{})
	cache := t.TempDir()
	f.bulk(t, 50) // more than libgit2 negotiates in one round
	b, done := f.session(t, cache, testBranch)
	snapshotOf(t, b)
	done()
	for _, c := range []struct {
		news bool
		want gittest.Stats
	}{{false, gittest.Stats{Requests: 3, Fetches: 1, Pushes: 2, Packs: 1}}, {true, gittest.Stats{Requests: 4, Fetches: 2, Pushes: 2, Packs: 1}}} {
		if c.news {
			f.bulk(t, 3)
		}
		b, done := f.session(t, cache, testBranch)
		f.server.ResetStats()
		snap := snapshotOf(t, b)
		if _, err := b.Commit(t.Context(), snap.Head, adding(newID(t), "mine\n")); err != nil {
			t.Fatal(err)
		}
		got := f.server.Stats()
		if got.Out > 6000 || got.In > 8000 {
			t.Errorf("%d bytes down and %d bytes up", got.Out, got.In)
		}
		got.In, got.Out = 0, 0
		if got != c.want {
			t.Errorf("%+v; want %+v: %q", got, c.want, f.server.Requests())
		}
		done()
	}
}

// TestManyBranches: a cache that holds other, newer ledgers still gets only what
// is new of this one.
func TestManyBranches(t *testing.T) {
	t.Parallel()
	f := newFaultBench(t, Options{})
	cache := t.TempDir()
	old := f.must(t, "", "rev-parse", testRef)
	f.bulk(t, 60)
	head := f.must(t, "", "rev-parse", testRef)
	f.must(t, "", "update-ref", "refs/heads/ledgers/other", old)
	one, done := f.session(t, cache, testBranch)
	snapshotOf(t, one)
	done()
	// the other branch gets its own 60 commits, all newer
	f.must(t, "", "update-ref", testRef, old)
	f.bulk(t, 60)
	f.must(t, "", "update-ref", "refs/heads/ledgers/other", testRef)
	f.must(t, "", "update-ref", testRef, head)
	other, done := f.session(t, cache, "ledgers/other")
	snapshotOf(t, other)
	done()
	f.mustPlant(t, shard.Folder+"/"+newID(t).FileName(), "one more")
	f.server.ResetStats()
	one, done = f.session(t, cache, testBranch)
	defer done()
	if snap := snapshotOf(t, one); len(snap.Shards) != 62 {
		t.Errorf("%d shards; want 62", len(snap.Shards))
	}
	if got := f.server.Stats(); got.Requests != 2 || got.Out > 3000 {
		t.Errorf("one new commit cost %+v", got)
	}
}

// TestRewoundFetch: the server no longer has the head that the cache offers.
func TestRewoundFetch(t *testing.T) {
	t.Parallel()
	f := newFaultBench(t, Options{})
	cache := t.TempDir()
	b, done := f.session(t, cache, testBranch)
	defer done()
	f.bulk(t, 30)
	snapshotOf(t, b)
	f.must(t, "", "update-ref", testRef, string(f.head))
	f.must(t, "", "reflog", "expire", "--expire=now", "--all")
	f.must(t, "", "gc", "--quiet", "--prune=now")
	f.mustPlant(t, shard.Folder+"/"+newID(t).FileName(), "after the rewind")
	if snap := snapshotOf(t, b); len(snap.Shards) != 2 {
		t.Errorf("%d shards; want 2", len(snap.Shards))
	}
}

// TestDamagedCache: whatever happens to the cache, the next call repairs it.
func TestDamagedCache(t *testing.T) {
	t.Parallel()
	f := newFaultBench(t, Options{})
	f.mustPlant(t, "README.md", "x")
	for what, damage := range map[string]func(path string, d fs.DirEntry) error{
		"every object is empty": func(path string, d fs.DirEntry) error {
			if strings.HasSuffix(path, ".pack") || len(d.Name()) == 38 {
				os.Chmod(path, 0o600)
				return os.Truncate(path, 0)
			}
			return nil
		},
		"every index is gone": func(path string, d fs.DirEntry) error {
			if strings.HasSuffix(path, ".idx") {
				return os.Remove(path)
			}
			return nil
		},
		"every index has a wrong byte": func(path string, d fs.DirEntry) error {
			if !strings.HasSuffix(path, ".idx") {
				return nil
			}
			os.Chmod(path, 0o600)
			data, err := os.ReadFile(path)
			if err == nil {
				data[len(data)-50] ^= 0xff // of where an object is
				err = os.WriteFile(path, data, 0o600)
			}
			return err
		},
		"all is garbage": func(path string, d fs.DirEntry) error {
			os.Chmod(path, 0o600)
			return os.WriteFile(path, []byte("garbage"), 0o600)
		},
	} {
		t.Run(what, func(t *testing.T) {
			cache := t.TempDir()
			b, done := f.session(t, cache, testBranch)
			before := snapshotOf(t, b)
			done()
			err := filepath.WalkDir(cache, func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				return damage(path, d)
			})
			if err != nil {
				t.Fatal(err)
			}
			b, done = f.session(t, cache, testBranch)
			defer done()
			if after := snapshotOf(t, b); after.Head != before.Head || len(after.Shards) != len(before.Shards) {
				t.Errorf("%v; want %v", after, before)
			}
			left, err := os.ReadDir(cache)
			if err != nil || len(left) != 1 {
				t.Errorf("the cache directory holds %v, %v; want one repository", left, err)
			}
		})
	}
}

// TestWornCache: a cache of too many packs is made anew.
func TestWornCache(t *testing.T) {
	t.Parallel()
	f := newFaultBench(t, Options{})
	cache := t.TempDir()
	b, done := f.session(t, cache, testBranch)
	snapshotOf(t, b)
	done()
	packs := filepath.Join(cache, cacheName, "objects", "pack")
	for i := range maxPacks {
		if err := os.WriteFile(filepath.Join(packs, fmt.Sprintf("junk-%d.pack", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b, done = f.session(t, cache, testBranch)
	defer done()
	if snap := snapshotOf(t, b); snap.Head != f.head {
		t.Errorf("head %s; want %s", snap.Head, f.head)
	}
	if n := count(packs, ".pack"); n != 1 {
		t.Errorf("%d packs; want 1", n)
	}
}

// TestSharedCache is several sessions that make and use one cache together.
func TestSharedCache(t *testing.T) {
	t.Parallel()
	f := newFaultBench(t, Options{})
	cache := filepath.Join(t.TempDir(), "new", "cache")
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			b, done := f.session(t, cache, testBranch)
			defer done()
			for range 3 {
				for {
					snap, err := b.Snapshot(t.Context(), shard.ProjectionLimits())
					if err != nil {
						t.Error(err)
						return
					}
					if _, err = b.Commit(t.Context(), snap.Head, adding(newID(t), "x\n")); err == nil {
						break
					}
				}
			}
		})
	}
	wait.Wait()
	if snap := snapshotOf(t, f.branch); len(snap.Shards) != 13 {
		t.Errorf("%d shards; want 13", len(snap.Shards))
	}
}

// TestTemporaryCache: nothing is left behind.
func TestTemporaryCache(t *testing.T) {
	f := newFaultBench(t, Options{})
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	b, done := f.session(t, "", testBranch)
	snapshotOf(t, b)
	done()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if _, err := b.Snapshot(t.Context(), shard.ProjectionLimits()); err == nil {
		t.Error("a closed repository can be read")
	} else {
		f.want(t, err, shard.ErrUnavailable)
	}
	box := newBox(t, nil)
	mustCommit(t, localBranch(t, box), "", "x\n")
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

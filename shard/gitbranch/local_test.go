package gitbranch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/shard"
)

func localBranch(t *testing.T, b *box) shard.Branch {
	t.Helper()
	t.Cleanup(func() { b.close() })
	r, err := b.repository(Options{})
	if err != nil {
		t.Fatal(err)
	}
	branch, err := r.Branch(testBranch)
	if err != nil {
		t.Fatal(err)
	}
	return branch
}

func mustCommit(t *testing.T, b shard.Branch, head shard.Head, text string) shard.Head {
	t.Helper()
	next, err := b.Commit(t.Context(), head, adding(newID(t), text))
	if err != nil {
		t.Fatal(err)
	}
	return next
}

func isError(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error %v; want one that matches %q", err, want)
	}
}

// TestLock is a reference lock that a dead process left behind: its own error,
// and the documented way out.
func TestLock(t *testing.T) {
	t.Parallel()
	box := newBox(t, nil)
	b := localBranch(t, box)
	lock := filepath.Join(box.path, testRef) + ".lock"
	for _, head := range []shard.Head{"", mustCommit(t, b, "", "1\n")} {
		if head == "" {
			box.must(t, "", "update-ref", "-d", testRef)
		} else {
			head = mustCommit(t, b, "", "1\n")
		}
		if err := os.MkdirAll(filepath.Dir(lock), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(lock, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_, err := b.Commit(t.Context(), head, adding(newID(t), "2\n"))
		isError(t, err, shard.ErrLocked)
		if strings.Contains(err.Error(), box.dir) {
			t.Error("the error holds a path")
		}
		if spent := time.Since(start); spent > 5*time.Second {
			t.Errorf("gave up after %v", spent)
		}
		if snap, err := b.Snapshot(t.Context(), shard.ProjectionLimits()); err != nil || snap.Head != head {
			t.Errorf("under the lock: %v, %v", snap, err)
		}
		if err := os.Remove(lock); err != nil {
			t.Fatal(err)
		}
		if head == "" {
			if _, err := b.Commit(t.Context(), head, adding(newID(t), "2\n")); err != nil {
				t.Errorf("after the way out: %v", err)
			}
			box.must(t, "", "update-ref", "-d", testRef)
			continue
		}
		mustCommit(t, b, head, "2\n")
	}
}

// TestLockOfLiveWriter is a lock that goes away while the commit waits for it.
func TestLockOfLiveWriter(t *testing.T) {
	t.Parallel()
	box := newBox(t, nil)
	b := localBranch(t, box)
	head := mustCommit(t, b, "", "1\n")
	lock := filepath.Join(box.path, testRef) + ".lock"
	if err := os.WriteFile(lock, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	tries := 0
	box.step = func() {}
	r, _ := box.repository(Options{})
	r.store.(*local).beforeUpdate = func() {
		if tries++; tries == 3 {
			os.Remove(lock)
		}
	}
	b, _ = r.Branch(testBranch)
	mustCommit(t, b, head, "2\n")
	if tries != 3 {
		t.Errorf("%d tries; want 3", tries)
	}
}

func TestLockAndContext(t *testing.T) {
	t.Parallel()
	box := newBox(t, nil)
	b := localBranch(t, box)
	head := mustCommit(t, b, "", "1\n")
	if err := os.WriteFile(filepath.Join(box.path, testRef)+".lock", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	r, _ := box.repository(Options{})
	ctx, cancel := context.WithCancel(t.Context())
	r.store.(*local).beforeUpdate = cancel
	b, _ = r.Branch(testBranch)
	_, err := b.Commit(ctx, head, adding(newID(t), "2\n"))
	isError(t, err, context.Canceled)
}

// TestServerLock is the same lock on a server.
func TestServerLock(t *testing.T) {
	t.Parallel()
	f := newFaultBench(t, Options{})
	lock := filepath.Join(f.path, testRef) + ".lock"
	if err := os.WriteFile(lock, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := f.branch.Commit(t.Context(), f.head, adding(newID(t), "x\n"))
	f.want(t, err, shard.ErrLocked)
	os.Remove(lock)
	if _, err := f.branch.Commit(t.Context(), f.head, adding(newID(t), "x\n")); err != nil {
		t.Error(err)
	}
}

// TestNameTaken: where a branch "ledgers" is, none can be named ledgers/test.
func TestNameTaken(t *testing.T) {
	t.Parallel()
	server := serve(t)
	for name, box := range map[string]*box{"local": newBox(t, nil), "http": newBox(t, server)} {
		t.Run(name, func(t *testing.T) {
			box.mustPlant(t, "x", "x")
			box.must(t, "", "update-ref", "refs/heads/other", testRef)
			box.must(t, "", "update-ref", "-d", testRef)
			box.must(t, "", "update-ref", "refs/heads/ledgers", "refs/heads/other")
			_, err := localBranch(t, box).Commit(t.Context(), "", adding(newID(t), "1\n"))
			if !errors.Is(err, shard.ErrRefused) && !errors.Is(err, shard.ErrLocked) {
				t.Errorf("error %v; want ErrRefused", err)
			}
		})
	}
}

func TestSymbolicBranch(t *testing.T) {
	t.Parallel()
	box := newBox(t, nil)
	box.mustPlant(t, "x", "x")
	box.must(t, "", "update-ref", "refs/heads/other", testRef)
	box.must(t, "", "update-ref", "-d", testRef)
	box.must(t, "", "symbolic-ref", testRef, "refs/heads/other")
	b := localBranch(t, box)
	_, err := b.Snapshot(t.Context(), shard.ProjectionLimits())
	isError(t, err, shard.ErrUnavailable)
	_, err = b.Commit(t.Context(), "", adding(newID(t), "1\n"))
	isError(t, err, shard.ErrUnavailable)
}

// TestPackedReference: after git pack-refs the reference has no file.
func TestPackedReference(t *testing.T) {
	t.Parallel()
	box := newBox(t, nil)
	b := localBranch(t, box)
	old := mustCommit(t, b, "", "1\n")
	head := mustCommit(t, b, old, "2\n")
	box.must(t, "", "pack-refs", "--all")
	_, err := b.Commit(t.Context(), old, adding(newID(t), "x\n"))
	isError(t, err, shard.ErrHeadMoved)
	_, err = b.Commit(t.Context(), "", adding(newID(t), "x\n"))
	isError(t, err, shard.ErrHeadMoved)
	mustCommit(t, b, head, "3\n")
	box.must(t, "", "gc", "--quiet", "--prune=now")
	snap, err := b.Snapshot(t.Context(), shard.ProjectionLimits())
	if err != nil || len(snap.Shards) != 3 {
		t.Errorf("after git gc: %v, %v", snap, err)
	}
	box.must(t, "", "fsck", "--strict")
}

func TestCheckedOutBranch(t *testing.T) {
	t.Parallel()
	box := newBox(t, nil)
	dir := filepath.Join(box.dir, "work")
	box.must(t, "", "init", "--quiet", "--initial-branch="+testBranch, dir)
	box.path, box.url = filepath.Join(dir, ".git"), dir
	b := localBranch(t, box)
	_, err := b.Commit(t.Context(), "", adding(newID(t), "1\n"))
	isError(t, err, shard.ErrRefused)
	box.must(t, "", "symbolic-ref", "HEAD", "refs/heads/main")
	mustCommit(t, b, "", "1\n")
}

func TestNotARepository(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := gittest.InitBare(filepath.Join(dir, "outer")); err != nil {
		t.Fatal(err)
	}
	inside := filepath.Join(dir, "outer", "refs") // must not be found from below
	for _, url := range []string{dir, inside, filepath.Join(dir, "missing"), "file://" + dir} {
		_, err := Open(t.Context(), Options{URL: url})
		isError(t, err, shard.ErrUnavailable)
		if err != nil && strings.Contains(err.Error(), dir) {
			t.Errorf("the error holds a path: %v", err)
		}
	}
}

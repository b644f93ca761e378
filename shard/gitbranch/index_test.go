package gitbranch

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/shard"
)

// packed is a repository with one branch, all in a pack, and a folder of objects
// that borrows them.
type packed struct {
	path, borrower, blob string
}

func newPacked(t *testing.T) packed {
	t.Helper()
	l := gittest.Loose{Path: filepath.Join(t.TempDir(), "origin")}
	borrower := filepath.Join(t.TempDir(), "borrower")
	must := func(id string, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	must("", l.Init())
	id := shard.ID{0x41, 0xbf, 0x13, 0xca, 0x27, 0x9d, 0x4e, 0x6b, 0xae, 0x10, 0x4d, 0x46, 0x3d, 0x77, 0x7d, 0xb7}
	data := []byte("a line that is no record\n")
	must("", l.Branch(testBranch, must(l.Commit(must(l.Files(map[string]gittest.LooseFile{id.Path(): {Data: data}}))))))
	p := packed{path: l.Path, borrower: borrower, blob: must(l.Object("blob", data))}
	p.git(t, "clone", "-q", "--bare", "--shared", p.path, p.borrower)
	return p
}

func (p packed) git(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Env = gittest.Environ()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v %s", args[0], err, out)
	}
}

func (p packed) pack(t *testing.T, more ...string) {
	t.Helper()
	p.git(t, append([]string{"-C", p.path, "repack", "-q", "-a", "-d"}, more...)...)
	p.git(t, "-C", p.path, "prune-packed", "-q")
}

func openReader(t *testing.T, path string) (shard.Reader, func() error) {
	t.Helper()
	r, err := Open(t.Context(), Options{URL: path})
	if err != nil {
		t.Fatal(err)
	}
	b, err := r.Reader(testBranch)
	if err != nil {
		t.Fatal(err)
	}
	return b, r.Close
}

// readOnce closes what it opened: libgit2 shares an open pack within a process.
func readOnce(t *testing.T, path string) error {
	t.Helper()
	b, done := openReader(t, path)
	defer done()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := b.Snapshot(ctx, shard.ProjectionLimits())
	return err
}

// A damaged index of a pack is an error, in whatever byte it is and by whichever
// way the pack is found. libgit2 alone would end the process for some of them.
func TestDamagedIndex(t *testing.T) {
	t.Parallel()
	for pattern, more := range map[string][]string{"pack-*.idx": nil, "multi-pack-index": {"--write-midx"}} {
		p := newPacked(t)
		p.pack(t, more...)
		names, err := filepath.Glob(filepath.Join(p.path, "objects", "pack", pattern))
		if err != nil || len(names) != 1 {
			t.Fatal(pattern, names, err)
		}
		os.Chmod(names[0], 0o600)
		whole, err := os.ReadFile(names[0])
		if err != nil {
			t.Fatal(err)
		}
		put := func(data []byte) {
			t.Helper()
			if err := os.WriteFile(names[0], data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, path := range []string{p.path, p.borrower} {
			if err := readOnce(t, path); err != nil {
				t.Fatal(err)
			}
			for at := 0; at < len(whole); at += 7 {
				wrong := bytes.Clone(whole)
				wrong[at] ^= 0x80
				put(wrong)
				if err := readOnce(t, path); !errors.Is(err, shard.ErrUnavailable) {
					t.Fatalf("%s: byte %d of %d is wrong: %v", pattern, at, len(whole), err)
				}
			}
			for n := 0; n < len(whole); n += 41 {
				put(whole[:n])
				if err := readOnce(t, path); !errors.Is(err, shard.ErrUnavailable) {
					t.Fatalf("%s: cut off at %d of %d: %v", pattern, n, len(whole), err)
				}
			}
			put(whole)
			if err := readOnce(t, path); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// An index that comes while the repository is open is looked at as well, and one
// that goes is not missed.
func TestDamagedIndexLater(t *testing.T) {
	t.Parallel()
	p := newPacked(t)
	b, done := openReader(t, p.path)
	defer done()
	before := snapshotOf(t, b)
	p.pack(t)
	if after := snapshotOf(t, b); after.Head != before.Head {
		t.Fatalf("%s; want %s", after.Head, before.Head)
	}
	wrong := filepath.Join(p.path, "objects", "pack", "pack-0123456789012345678901234567890123456789.idx")
	if err := os.WriteFile(wrong, make([]byte, 2000), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Snapshot(t.Context(), shard.ProjectionLimits()); !errors.Is(err, shard.ErrUnavailable) {
		t.Fatal(err)
	}
	if err := os.Remove(wrong); err != nil {
		t.Fatal(err)
	}
	snapshotOf(t, b)
}

// An object that was cut off is no less of an error in a borrowed folder.
func TestBorrowedObjects(t *testing.T) {
	t.Parallel()
	p := newPacked(t)
	if err := readOnce(t, p.borrower); err != nil {
		t.Fatal(err)
	}
	name := gittest.Loose{Path: p.path}.ObjectPath(p.blob)
	os.Chmod(name, 0o600)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(whole) {
		if err := os.WriteFile(name, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if err := readOnce(t, p.borrower); !errors.Is(err, shard.ErrUnavailable) {
			t.Fatalf("%d bytes of %d: %v", n, len(whole), err)
		}
	}
}

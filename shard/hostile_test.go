//go:build unix

package shard

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestDirHostileFiles puts everything that is no shard beside one that is.
func TestDirHostileFiles(t *testing.T) {
	path := t.TempDir()
	d := openDir(t, path)
	head := commit1(t, d, "", adding("good"))
	shards := filepath.Join(path, filepath.FromSlash(Folder))
	at := func(n int) string { return filepath.Join(shards, testID(n).FileName()) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]Fault{addition("good").ID.FileName(): ""}
	expect := func(name string, fault Fault) { want[filepath.Base(name)] = fault }

	must(syscall.Mkfifo(at(0xf1), 0o644))
	expect(at(0xf1), FaultNotRegular)
	must(os.Mkdir(at(0xf2), 0o755))
	expect(at(0xf2), FaultNotRegular)
	must(os.Symlink(addition("good").ID.FileName(), at(0xf3)))
	expect(at(0xf3), FaultNotRegular)
	must(os.Symlink("/etc/passwd", at(0xf4)))
	expect(at(0xf4), FaultNotRegular)
	upper := filepath.Join(shards, "ABCDEF00-0000-4000-8000-000000000000.jsonl")
	must(os.WriteFile(upper, []byte("x\n"), 0o644))
	expect(upper, FaultName)
	must(os.WriteFile(filepath.Join(shards, "odd.jsonl"), []byte("x\n"), 0o644))
	expect("odd.jsonl", FaultName)
	must(os.WriteFile(at(0xf5), nil, 0o644))
	must(os.Truncate(at(0xf5), 3<<30))
	expect(at(0xf5), FaultSize)
	listener, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	must(err)
	defer listener.Close()
	must(os.Rename(listener.Addr().String(), at(0xf6)))
	expect(at(0xf6), FaultNotRegular)
	if err := syscall.Mknod(at(0xf7), syscall.S_IFCHR|0o644, 1<<8|5); err == nil { // /dev/zero
		expect(at(0xf7), FaultNotRegular)
	} else {
		t.Logf("NO DEVICE WAS TRIED: it takes root to make one")
	}
	must(os.WriteFile(filepath.Join(shards, "notes.txt"), []byte("kept"), 0o644))

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	snap := snapshot(t, d)
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Errorf("the snapshot took %d bytes of memory", used)
	}
	got := map[string]Fault{}
	for _, s := range snap.Shards {
		got[s.Name] = s.Fault
		if s.Fault != "" && s.Data != nil {
			t.Errorf("%s has a fault and bytes", s.Name)
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	if snap.Head == head {
		t.Error("the head did not move")
	}

	files := tree(t, shards)
	head = commit1(t, d, snap.Head, adding("more"))
	_, err = d.Commit(t.Context(), head, Change{Add: []Addition{{ID: testID(0xf4), Data: []byte("x\n")}}})
	if !errors.Is(err, ErrIdentityCollision) {
		t.Errorf("adding in the place of a symlink: %v", err)
	}
	if _, err = d.Commit(t.Context(), head, Change{Delete: []ID{testID(0xf2)}}); !errors.Is(err, ErrShardMissing) {
		t.Errorf("deleting a directory: %v", err)
	}
	now := tree(t, shards)
	delete(now, addition("more").ID.FileName())
	if !maps.Equal(files, now) {
		t.Error("files that the change does not name were touched")
	}
	head = commit1(t, d, head, Change{Delete: []ID{testID(0xf5)}}) // maintenance may remove what is too large
	if slices.Contains(texts(snapshot(t, d)), string(FaultSize)) || head == "" {
		t.Error("the large file is still there")
	}
}

// TestDirSymlinks puts a symlink at each element of a path.
func TestDirSymlinks(t *testing.T) {
	for _, element := range []string{folderName, "ledger/shards", "ledger/compaction", StatePath, "ledger/.lock", "ledger/.commit", "ledger/.commit.new"} {
		for _, kind := range []string{"symlink outside", "symlink inside", "file", "fifo", "directory"} {
			t.Run(element+"/"+kind, func(t *testing.T) {
				outside := t.TempDir()
				o := openDir(t, outside)
				change := oldChange()
				commit1(t, o, "", change)
				untouched := tree(t, outside)

				path := t.TempDir()
				d := openDir(t, path)
				if element != folderName {
					commit1(t, d, "", oldChange())
				}
				place := filepath.Join(path, filepath.FromSlash(element))
				if err := os.RemoveAll(place); err != nil {
					t.Fatal(err)
				}
				var err error
				switch kind {
				case "symlink outside":
					err = os.Symlink(filepath.Join(outside, filepath.FromSlash(element)), place)
				case "symlink inside":
					if err = os.Mkdir(filepath.Join(path, "elsewhere"), 0o755); err == nil {
						err = os.Symlink(filepath.Join(path, "elsewhere"), place)
					}
				case "file":
					err = os.WriteFile(place, []byte("a file\n"), 0o644)
				case "fifo":
					err = syscall.Mkfifo(place, 0o644)
				case "directory":
					err = os.Mkdir(place, 0o755)
				}
				if err != nil {
					t.Fatal(err)
				}
				done := make(chan struct{})
				go func() {
					defer close(done)
					tryHostile(t, d, path)
				}()
				select {
				case <-done:
				case <-time.After(20 * time.Second):
					t.Fatal("it hangs")
				}
				if !maps.Equal(tree(t, outside), untouched) {
					t.Error("something outside the directory changed")
				}
				if inside, err := os.ReadDir(filepath.Join(path, "elsewhere")); err == nil && len(inside) > 0 {
					t.Error("a symlink was followed")
				}
			})
		}
	}
}

// tryHostile reads and commits: whatever is said, it must be one of the
// sentinels, and what is shown must not come from outside.
func tryHostile(t *testing.T, d *Dir, path string) {
	snap, err := d.Snapshot(t.Context(), ProjectionLimits())
	if err != nil {
		checkError(t, "Snapshot", err, path)
		snap = &Snapshot{}
	}
	for _, s := range snap.Shards {
		if len(s.Data) > 0 && !strings.HasPrefix(string(s.Data), "old") {
			t.Errorf("the shard %s holds %q", s.Name, s.Data)
		}
	}
	change := adding("next")
	change.State = []byte("next\n")
	head, err := d.Commit(t.Context(), snap.Head, change)
	if err != nil {
		checkError(t, "Commit", err, path)
		return
	}
	now, err := d.Snapshot(t.Context(), ProjectionLimits())
	if err != nil || now.Head != head || !slices.Contains(texts(now), "next") || string(now.State) != "next\n" {
		t.Errorf("acknowledged, and then %v", err)
	}
}

// TestDirVanishing removes and changes files while the folder is read.
func TestDirVanishing(t *testing.T) {
	path := t.TempDir()
	d := openDir(t, path)
	commit1(t, d, "", adding("one", "two", "three"))
	file := func(text string) string {
		return filepath.Join(path, filepath.FromSlash(addition(text).ID.Path()))
	}
	for what, act := range map[string]func() error{
		"gone":    func() error { return os.Remove(file("two")) },
		"shorter": func() error { return os.Truncate(file("two"), 1) },
		"longer":  func() error { return os.WriteFile(file("two"), []byte("two\nmore\n"), 0o644) },
		"a folder": func() error {
			return errors.Join(os.Remove(file("two")), os.Mkdir(file("two"), 0o755))
		},
	} {
		for _, when := range []string{"lstat", "open"} {
			if err := errors.Join(os.RemoveAll(file("two")), os.WriteFile(file("two"), []byte("two\n"), 0o644)); err != nil {
				t.Fatal(err)
			}
			acted := false
			reading := &Dir{root: meddler{d.root, func(op, name string) {
				if op == when && name == addition("two").ID.FileName() && !acted {
					acted = true
					if err := act(); err != nil {
						t.Error(err)
					}
				}
			}}}
			snap := snapshot(t, reading)
			if when == "lstat" && what != "gone" {
				continue // nothing was seen of the file before
			}
			if got := texts(snap); !acted || !slices.Equal(got, []string{"one", "three", string(FaultVanished)}) {
				t.Errorf("%s after %s: %v", what, when, got)
			}
			if _, err := d.Commit(t.Context(), snap.Head, adding("four")); !errors.Is(err, ErrHeadMoved) {
				t.Errorf("%s after %s: a commit on what was half seen: %v", what, when, err)
			}
		}
	}
}

// meddler acts before an operation on a name.
type meddler struct {
	folder
	act func(op, name string)
}

func (m meddler) sub(name string) (folder, error) {
	below, err := m.folder.sub(name)
	return meddler{below, m.act}, err
}

func (m meddler) lstat(name string) (fs.FileInfo, error) {
	m.act("lstat", name)
	return m.folder.lstat(name)
}

func (m meddler) open(name string) (file, error) {
	m.act("open", name)
	return m.folder.open(name)
}

// TestDirScanStops: no more names are read than the limit needs.
func TestDirScanStops(t *testing.T) {
	path := t.TempDir()
	shards := filepath.Join(path, filepath.FromSlash(Folder))
	if err := os.MkdirAll(shards, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range 3 * namesAtOnce {
		if err := os.WriteFile(filepath.Join(shards, fmt.Sprintf("%d.jsonl", i)), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	read := 0
	d := openDir(t, path)
	counting := &Dir{root: counter{d.root, &read}}
	_, err := counting.Snapshot(t.Context(), Limits{Files: 10, Bytes: 1, FileBytes: 1})
	var limit *LimitError
	if !errors.As(err, &limit) || *limit != (LimitError{"files", 10}) || read != 11 {
		t.Errorf("%d names read: %v", read, err)
	}
}

type counter struct {
	folder
	read *int
}

func (c counter) sub(name string) (folder, error) {
	below, err := c.folder.sub(name)
	return counter{below, c.read}, err
}

func (c counter) names() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for name, err := range c.folder.names() {
			*c.read++
			if !yield(name, err) {
				return
			}
		}
	}
}

package shard

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// fault is what happens at the file operation with a number, from 1.
type fault struct {
	at   int
	do   func(op string, act func() error) error // in place of the operation
	from bool                                    // at every later one as well
	seen []string                                // the operations so far
}

func (f *fault) run(op string, act func() error) error {
	f.seen = append(f.seen, op)
	if n := len(f.seen); n == f.at || f.from && n > f.at && f.at > 0 {
		return f.do(op, act)
	}
	return act()
}

// faulty is a folder whose operations run through a fault.
type faulty struct {
	folder
	fault *fault
}

func (f faulty) sub(name string) (folder, error) {
	below, err := opening(f.fault, "open folder", func() (folder, error) { return f.folder.sub(name) })
	if err != nil {
		return nil, err
	}
	return faulty{below, f.fault}, nil
}

// opening closes again what was opened in spite of the fault.
func opening[T io.Closer](f *fault, op string, act func() (T, error)) (opened T, err error) {
	acted := false
	var actErr error
	err = f.run(op, func() error {
		acted = true
		opened, actErr = act()
		return actErr
	})
	if err != nil && acted && actErr == nil {
		opened.Close()
	}
	return opened, err
}

func (f faulty) names() iter.Seq2[string, error] {
	if err := f.fault.run("list", func() error { return nil }); err != nil {
		return func(yield func(string, error) bool) { yield("", err) }
	}
	return f.folder.names()
}

func (f faulty) lstat(name string) (info fs.FileInfo, err error) {
	err = f.fault.run("lstat", func() error { info, err = f.folder.lstat(name); return err })
	return info, err
}

func (f faulty) open(name string) (file, error) {
	return opening(f.fault, "open", func() (file, error) { return f.folder.open(name) })
}

func (f faulty) create(name string) (file, error) {
	made, err := opening(f.fault, "create", func() (file, error) { return f.folder.create(name) })
	if err != nil {
		return nil, err
	}
	return faultyFile{made, f.fault}, nil
}

func (f faulty) mkdir(name string) error {
	return f.fault.run("mkdir", func() error { return f.folder.mkdir(name) })
}

func (f faulty) rename(from, to string) error {
	return f.fault.run("rename", func() error { return f.folder.rename(from, to) })
}

func (f faulty) remove(name string) error {
	return f.fault.run("remove", func() error { return f.folder.remove(name) })
}

func (f faulty) sync() error { return f.fault.run("sync folder", f.folder.sync) }

func (f faulty) lock(name string, exclusive bool) (io.Closer, error) {
	return opening(f.fault, "lock", func() (io.Closer, error) { return f.folder.lock(name, exclusive) })
}

type faultyFile struct {
	file
	fault *fault
}

func (f faultyFile) Write(b []byte) (n int, err error) {
	err = f.fault.run("write", func() error { n, err = f.file.Write(b); return err })
	return n, err
}

func (f faultyFile) Sync() error  { return f.fault.run("sync", f.file.Sync) }
func (f faultyFile) Close() error { return f.fault.run("close", f.file.Close) }

// The commit that everything happens to: three shards more, one less, another state.
func oldChange() Change {
	c := adding("old one", "old two")
	c.State = []byte("old\n")
	return c
}

func newChange() Change {
	c := adding("new one", "new two", "new three")
	c.Delete = []ID{addition("old one").ID}
	c.State = []byte("new\n")
	return c
}

var (
	oldTexts = []string{"old one", "old two"}
	newTexts = []string{"new one", "new three", "new two", "old two"}
)

// judge checks what a commit that was disturbed has left: all of the change or
// nothing, and what was said about it. Then the next commit must work.
func judge(t *testing.T, what string, d *Dir, before Head, err error) {
	t.Helper()
	snap := snapshot(t, d)
	got := texts(snap)
	var changed bool
	switch {
	case slices.Equal(got, oldTexts) && string(snap.State) == "old\n" && snap.Head == before:
	case slices.Equal(got, newTexts) && string(snap.State) == "new\n" && snap.Head != before:
		changed = true
	default:
		t.Fatalf("%s: half a change: %v, %q", what, got, snap.State)
	}
	switch {
	case err == nil && !changed:
		t.Fatalf("%s: acknowledged and lost", what)
	case err != nil && changed && !errors.Is(err, ErrOutcomeUnknown) && !errors.Is(err, errDied):
		t.Fatalf("%s: refused, and there all the same: %v", what, err)
	}
	head := snap.Head
	if !changed {
		head = commit1(t, d, head, newChange())
	}
	commit1(t, d, head, adding("last"))
	if got := texts(snapshot(t, d)); !slices.Equal(got, append([]string{"last"}, newTexts...)) {
		t.Fatalf("%s: after the next commit: %v", what, got)
	}
}

// errDied stands for the death of the process.
var errDied = errors.New("died")

// sentinels are the errors that a Branch may give.
var sentinels = []error{ErrHeadMoved, ErrOutcomeUnknown, ErrIdentityCollision, ErrShardMissing, ErrTooLarge, ErrLocked,
	ErrUnauthorized, ErrRefused, ErrUnavailable, ErrInvalidChange}

func checkError(t *testing.T, what string, err error, secret string) {
	t.Helper()
	matches := 0
	for _, s := range sentinels {
		if errors.Is(err, s) {
			matches++
		}
	}
	if err != nil && (matches != 1 || strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "space")) {
		t.Errorf("%s: the error %q matches %d sentinels", what, err, matches)
	}
}

// fastDir is a directory in memory where that can be had: these tests sync
// thousands of times, and it is not the disk that they are about.
func fastDir(t *testing.T) string {
	t.Helper()
	path, err := os.MkdirTemp("/dev/shm", "gitledger")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(path) })
	return path
}

// TestDirFaults makes each file operation of a commit fail, in each way.
func TestDirFaults(t *testing.T) {
	failing := func(err error) func(string, func() error) error {
		return func(string, func() error) error { return err }
	}
	ways := map[string]fault{
		"ENOSPC":           {do: failing(syscall.ENOSPC)},
		"EIO":              {do: failing(syscall.EIO)},
		"EINTR":            {do: failing(syscall.EINTR)},
		"EIO from then on": {do: failing(syscall.EIO), from: true},
		"done, but EIO":    {do: func(_ string, act func() error) error { _ = act(); return syscall.EIO }},
	}
	for way, f := range ways {
		t.Run(way, func(t *testing.T) {
			for at := 1; ; at++ {
				path := fastDir(t)
				d := openDir(t, path)
				before := commit1(t, d, "", oldChange())
				f := f
				f.at, f.seen = at, nil
				broken := &Dir{root: faulty{d.root, &f}}
				_, err := broken.Commit(t.Context(), before, newChange())
				if len(f.seen) < at {
					if err != nil || at < 30 {
						t.Fatalf("%d operations, %v", at, err)
					}
					return
				}
				what := fmt.Sprintf("%s at %d, %s", way, at, f.seen[at-1])
				checkError(t, what, err, path)
				judge(t, what, d, before, err)
				clean(t, path)
			}
		})
	}
}

// shortFile writes half of what it is given, now and then without an error.
type shortFile struct {
	file
	then error
}

func (f shortFile) Write(b []byte) (int, error) {
	n, err := f.file.Write(b[:(len(b)+1)/2])
	if err == nil {
		err = f.then
	}
	return n, err
}

type shortFolder struct {
	folder
	then error
}

func (f shortFolder) sub(name string) (folder, error) {
	below, err := f.folder.sub(name)
	return shortFolder{below, f.then}, err
}

func (f shortFolder) create(name string) (file, error) {
	made, err := f.folder.create(name)
	return shortFile{made, f.then}, err
}

func TestDirShortWrites(t *testing.T) {
	for _, then := range []error{nil, syscall.ENOSPC, io.ErrShortWrite} {
		path := fastDir(t)
		d := openDir(t, path)
		before := commit1(t, d, "", oldChange())
		broken := &Dir{root: shortFolder{d.root, then}}
		_, err := broken.Commit(t.Context(), before, newChange())
		if (err == nil) != (then == nil) {
			t.Fatalf("short writes with %v: %v", then, err)
		}
		judge(t, "short write", d, before, err)
		clean(t, path)
	}
}

// publishOnly commits and stops when the change is published, before any of it
// is in place.
func publishOnly(t *testing.T, d *Dir, before Head, change Change) Head {
	t.Helper()
	published := false
	f := &fault{at: 1, from: true, do: func(op string, act func() error) error {
		if published && op != "sync folder" {
			return errDied
		}
		published = published || op == "rename"
		return act()
	}}
	head, err := (&Dir{root: faulty{d.root, f}}).Commit(t.Context(), before, change)
	if err != nil {
		t.Fatal(err)
	}
	return head
}

// TestDirForeignFile: what another program puts where a published shard belongs
// is neither lost nor taken for it.
func TestDirForeignFile(t *testing.T) {
	for _, foreign := range []string{"new one\n", "other\n"} {
		path := fastDir(t)
		d := openDir(t, path)
		before := commit1(t, d, "", oldChange())
		after := publishOnly(t, d, before, newChange())
		if snap := snapshot(t, d); snap.Head != after || !slices.Equal(texts(snap), newTexts) || string(snap.State) != "new\n" {
			t.Fatalf("published: %v", texts(snap))
		}
		place := filepath.Join(path, filepath.FromSlash(addition("new one").ID.Path()))
		if err := os.WriteFile(place, []byte(foreign), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := d.Commit(t.Context(), after, adding("last"))
		if same := foreign == "new one\n"; same != (err == nil) || !same && !errors.Is(err, ErrIdentityCollision) {
			t.Fatalf("%q in the place: %v", foreign, err)
		}
		if err == nil {
			continue
		}
		if data, err := os.ReadFile(place); err != nil || string(data) != foreign {
			t.Fatalf("the file is now %q, %v", data, err)
		}
		if err := os.Remove(place); err != nil {
			t.Fatal(err)
		}
		commit1(t, d, after, adding("last"))
		clean(t, path)
	}
}

// TestDirFirstCommitWhileReading: a reader that began before there was a lock
// sees all of the first commit or nothing.
func TestDirFirstCommitWhileReading(t *testing.T) {
	path := fastDir(t)
	d := openDir(t, path)
	commit1(t, d, "", oldChange())
	for _, name := range []string{lockName, intentDone} { // as in a checkout
		if err := os.Remove(filepath.Join(path, folderName, name)); err != nil {
			t.Fatal(err)
		}
	}
	before := snapshot(t, d).Head
	listed, acted := false, false
	f := &fault{at: 1, from: true, do: func(op string, act func() error) error {
		listed = listed || op == "list"
		if listed && op == "open" && !acted {
			acted = true
			if _, err := d.Commit(t.Context(), before, newChange()); err != nil {
				t.Error(err)
			}
		}
		return act()
	}}
	snap := snapshot(t, &Dir{root: faulty{d.root, f}})
	if got := texts(snap); !acted || !slices.Equal(got, newTexts) || string(snap.State) != "new\n" {
		t.Errorf("%v, %q", got, snap.State)
	}
}

package shard

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/gitledger/gitledger/internal/randtest"
)

// memNode is a file or folder of a disk that forgets: what was written since
// the last sync may be lost when the power fails. A file keeps any part of it.
// A folder keeps its changes up to some moment, as file systems with a journal
// do, or any of them, as others may; a rename is one change.
type memNode struct {
	isDir   bool
	number  int
	data    []byte // of a file
	safe    int    // bytes of it that are synced
	entries map[string]*memNode
	durable map[string]*memNode // entries at the last sync
	changes []func(map[string]*memNode)
}

type memDisk struct {
	random *rand.Rand
	nodes  int
	all    []*memNode
}

func (d *memDisk) node(isDir bool) *memNode {
	d.nodes++
	n := &memNode{isDir: isDir, number: d.nodes, entries: map[string]*memNode{}, durable: map[string]*memNode{}}
	d.all = append(d.all, n)
	return n
}

// fail is a power failure: it keeps what is durable, and of the rest what
// chance keeps.
func (d *memDisk) fail() {
	for _, n := range d.all {
		kept := n.safe + d.random.IntN(len(n.data)-n.safe+1)
		n.data = n.data[:kept]
		ordered := d.random.IntN(2) == 0
		until := d.random.IntN(len(n.changes) + 1)
		for i, change := range n.changes {
			if ordered && i < until || !ordered && d.random.IntN(2) == 0 {
				change(n.durable)
			}
		}
		n.changes = nil
		n.entries = maps.Clone(n.durable)
	}
}

type memFolder struct {
	disk *memDisk
	node *memNode
}

func (f memFolder) change(act func(map[string]*memNode)) {
	act(f.node.entries)
	f.node.changes = append(f.node.changes, act)
}

func (f memFolder) get(name string) (*memNode, error) {
	if n, ok := f.node.entries[name]; ok {
		return n, nil
	}
	return nil, fs.ErrNotExist
}

func (f memFolder) sub(name string) (folder, error) {
	n, err := f.get(name)
	if err == nil && !n.isDir {
		err = errIrregular
	}
	return memFolder{f.disk, n}, err
}

func (f memFolder) names() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, name := range slices.Sorted(maps.Keys(f.node.entries)) {
			if !yield(name, nil) {
				return
			}
		}
	}
}

func (f memFolder) lstat(name string) (fs.FileInfo, error) {
	n, err := f.get(name)
	if err != nil {
		return nil, err
	}
	return memInfo{n}, nil
}

func (f memFolder) open(name string) (file, error) {
	n, err := f.get(name)
	if err == nil && n.isDir {
		err = errIrregular
	}
	if err != nil {
		return nil, err
	}
	return &memFile{node: n, reader: bytes.NewReader(n.data)}, nil
}

func (f memFolder) create(name string) (file, error) { return f.make(name, false) }

func (f memFolder) make(name string, isDir bool) (file, error) {
	if _, err := f.get(name); err == nil {
		return nil, fs.ErrExist
	}
	n := f.disk.node(isDir)
	f.change(func(entries map[string]*memNode) { entries[name] = n })
	return &memFile{node: n}, nil
}

func (f memFolder) mkdir(name string) error {
	_, err := f.make(name, true)
	return err
}

func (f memFolder) rename(from, to string) error {
	n, err := f.get(from)
	if err != nil {
		return err
	}
	f.change(func(entries map[string]*memNode) {
		delete(entries, from)
		entries[to] = n
	})
	return nil
}

func (f memFolder) remove(name string) error {
	if _, err := f.get(name); err != nil {
		return err
	}
	f.change(func(entries map[string]*memNode) { delete(entries, name) })
	return nil
}

func (f memFolder) sync() error {
	f.node.durable = maps.Clone(f.node.entries)
	f.node.changes = nil
	return nil
}

func (f memFolder) lock(name string, exclusive bool) (io.Closer, error) {
	if _, err := f.get(name); err != nil && exclusive {
		return f.make(name, false)
	} else if err != nil {
		return nil, err
	}
	return io.NopCloser(nil), nil
}

func (f memFolder) Close() error { return nil }

type memFile struct {
	node   *memNode
	reader *bytes.Reader
}

func (f *memFile) Read(b []byte) (int, error) { return f.reader.Read(b) }
func (f *memFile) Write(b []byte) (int, error) {
	f.node.data = append(f.node.data, b...)
	return len(b), nil
}
func (f *memFile) Stat() (fs.FileInfo, error) { return memInfo{f.node}, nil }
func (f *memFile) Sync() error                { f.node.safe = len(f.node.data); return nil }
func (f *memFile) Close() error               { return nil }

type memInfo struct{ node *memNode }

func (i memInfo) Name() string       { return "" }
func (i memInfo) Size() int64        { return int64(len(i.node.data)) }
func (i memInfo) ModTime() time.Time { return time.Unix(int64(i.node.number), 0) }
func (i memInfo) IsDir() bool        { return i.node.isDir }
func (i memInfo) Sys() any           { return nil }
func (i memInfo) Mode() fs.FileMode {
	if i.node.isDir {
		return fs.ModeDir
	}
	return 0
}

// TestDirPowerFailure cuts the power at each file operation of a commit, and
// after it: what was acknowledged is there, and no change is half there.
func TestDirPowerFailure(t *testing.T) {
	random := randtest.New(t)
	for range randtest.Count(t, "GITLEDGER_POWER_FAILURES", 40) {
		for at := 1; ; at++ {
			disk := &memDisk{random: random}
			root := memFolder{disk, disk.node(true)}
			d := &Dir{root: root}
			before := commit1(t, d, "", oldChange())
			f := &fault{at: at, from: true, do: func(string, func() error) error { return errDied }}
			_, err := (&Dir{root: faulty{root, f}}).Commit(t.Context(), before, newChange())
			disk.fail()
			if err != nil {
				err = errDied
			}
			judge(t, fmt.Sprintf("power failure at %d", at), d, before, err)
			if len(f.seen) < at {
				break
			}
		}
	}
}

// TestDirFirstCommitPowerFailure is the same for the commit that creates the branch.
func TestDirFirstCommitPowerFailure(t *testing.T) {
	random := randtest.New(t)
	for range randtest.Count(t, "GITLEDGER_POWER_FAILURES", 40) {
		for at := 1; ; at++ {
			disk := &memDisk{random: random}
			root := memFolder{disk, disk.node(true)}
			f := &fault{at: at, from: true, do: func(string, func() error) error { return errDied }}
			_, err := (&Dir{root: faulty{root, f}}).Commit(t.Context(), "", oldChange())
			disk.fail()
			d := &Dir{root: root}
			snap := snapshot(t, d)
			got := texts(snap)
			switch {
			case snap.Head == "" && err != nil && len(got) == 0 && snap.State == nil:
			case snap.Head != "" && slices.Equal(got, oldTexts) && string(snap.State) == "old\n":
			default:
				t.Fatalf("power failure at %d: %v, %q, head %q, %v", at, got, snap.State, snap.Head, err)
			}
			commit1(t, d, snap.Head, newChangeOn(snap))
			if len(f.seen) < at {
				break
			}
		}
	}
}

func newChangeOn(snap *Snapshot) Change {
	c := newChange()
	if len(snap.Shards) == 0 {
		c.Delete = nil
	}
	return c
}

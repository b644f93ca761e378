package shard

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/uuid/v5"
)

// testID returns a valid ID that is made of n.
func testID(n int) ID {
	u := uuid.UUID{15: byte(n), 14: byte(n >> 8)}
	u.SetVersion(uuid.V4)
	u.SetVariant(uuid.VariantRFC9562)
	return ID(u)
}

func adding(texts ...string) (c Change) {
	for _, text := range texts {
		c.Add = append(c.Add, addition(text))
	}
	return c
}

// addition is a shard whose ID is made of its text.
func addition(text string) Addition {
	n := 0
	for _, b := range []byte(text) {
		n = n*31 + int(b)
	}
	return Addition{ID: testID(n), Data: []byte(text + "\n")}
}

// openDir opens a directory until the end of the test.
func openDir(t *testing.T, path string) *Dir {
	t.Helper()
	d, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func snapshot(t *testing.T, r Reader) *Snapshot {
	t.Helper()
	snap, err := r.Snapshot(t.Context(), ProjectionLimits())
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// texts are the shards of a snapshot without their newlines, in order of text.
func texts(snap *Snapshot) (all []string) {
	for _, s := range snap.Shards {
		if s.Fault != "" {
			all = append(all, string(s.Fault))
		} else {
			all = append(all, strings.TrimSuffix(string(s.Data), "\n"))
		}
	}
	slices.Sort(all)
	return all
}

func commit1(t *testing.T, b Branch, expect Head, c Change) Head {
	t.Helper()
	head, err := b.Commit(t.Context(), expect, c)
	if err != nil {
		t.Fatal(err)
	}
	if snap := snapshot(t, b); snap.Head != head {
		t.Fatalf("the snapshot is at %s, the commit at %s", snap.Head, head)
	}
	return head
}

// tree returns every file below a directory, with its bytes or its kind.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		switch {
		case entry.IsDir():
			files[filepath.ToSlash(name)+"/"] = ""
		case entry.Type().IsRegular():
			if info, err := entry.Info(); err != nil || info.Size() > 1<<20 {
				files[filepath.ToSlash(name)] = "large"
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			files[filepath.ToSlash(name)] = string(data)
		default:
			files[filepath.ToSlash(name)] = entry.Type().String()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// clean fails the test unless the folder holds what a finished commit leaves.
func clean(t *testing.T, dir string) {
	t.Helper()
	for name := range tree(t, dir) {
		if strings.HasSuffix(name, stagedSuffix) || strings.HasSuffix(name, "/"+intentName) {
			t.Errorf("%s is left", name)
		}
	}
}

func TestDirLife(t *testing.T) {
	path := t.TempDir()
	d := openDir(t, path)
	if snap := snapshot(t, d); snap.Head != "" || len(snap.Shards) > 0 {
		t.Fatalf("an empty directory is %+v", snap)
	}
	if names := tree(t, path); len(names) != 1 {
		t.Errorf("reading made %v", names)
	}
	change := adding("one", "two")
	change.State = []byte("{}\n")
	head := commit1(t, d, "", change)
	clean(t, path)
	other := openDir(t, path)
	snap := snapshot(t, other)
	if got := texts(snap); !slices.Equal(got, []string{"one", "two"}) || string(snap.State) != "{}\n" || snap.Head != head {
		t.Fatalf("%v, %q", got, snap.State)
	}
	next := adding("three")
	next.Delete = []ID{addition("one").ID}
	head = commit1(t, other, head, next)
	if _, err := d.Commit(t.Context(), snap.Head, adding("four")); !errors.Is(err, ErrHeadMoved) {
		t.Errorf("an old head: %v", err)
	}
	if got := texts(snapshot(t, d)); !slices.Equal(got, []string{"three", "two"}) {
		t.Fatalf("%v", got)
	}
	before := tree(t, path)
	for _, c := range []struct {
		change Change
		want   error
	}{
		{Change{Add: []Addition{{ID: addition("two").ID, Data: []byte("other\n")}, addition("new")}, State: []byte("x")}, ErrIdentityCollision},
		{Change{Add: []Addition{addition("new")}, Delete: []ID{addition("never").ID}}, ErrShardMissing},
		{Change{Add: []Addition{addition("new"), addition("new")}}, ErrInvalidChange},
		{Change{State: make([]byte, maxStateBytes+1)}, ErrInvalidChange},
		{Change{Add: []Addition{{ID: testID(1), Data: make([]byte, maxShardBytes+1)}}}, ErrInvalidChange},
	} {
		if _, err := d.Commit(t.Context(), head, c.change); !errors.Is(err, c.want) {
			t.Errorf("got %v, want %v", err, c.want)
		}
	}
	if after := tree(t, path); !maps.Equal(before, after) {
		t.Error("a refused change changed something")
	}
	if again := commit1(t, d, head, adding("two")); again != head {
		t.Error("the same bytes moved the head")
	}
	head = commit1(t, d, head, Change{Delete: []ID{addition("two").ID, addition("three").ID}})
	if head == "" || len(snapshot(t, d).Shards) > 0 {
		t.Error("an emptied branch is gone")
	}
	if r, ok := d.Reader().(Branch); ok {
		t.Errorf("the reader %T can commit", r)
	}
}

// TestDirLock: who waits for a lock gives up in time, and with its context.
func TestDirLock(t *testing.T) {
	path := t.TempDir()
	d := openDir(t, path)
	head := commit1(t, d, "", adding("one"))
	ledger, err := d.root.sub(folderName)
	if err != nil {
		t.Fatal(err)
	}
	defer ledger.Close()
	held, err := d.acquire(t.Context(), ledger, true)
	if err != nil {
		t.Fatal(err)
	}
	d.LockWait = 3 * time.Millisecond
	if _, err := d.Commit(t.Context(), head, adding("two")); !errors.Is(err, ErrLocked) {
		t.Errorf("Commit: %v", err)
	}
	if _, err := d.Snapshot(t.Context(), ProjectionLimits()); !errors.Is(err, ErrLocked) {
		t.Errorf("Snapshot: %v", err)
	}
	d.LockWait = time.Hour
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Millisecond)
	defer cancel()
	if _, err := d.Commit(ctx, head, adding("two")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Commit: %v", err)
	}
	held.Close()
	shared, err := d.acquire(t.Context(), ledger, false)
	if err != nil {
		t.Fatal(err)
	}
	if got := texts(snapshot(t, d)); !slices.Equal(got, []string{"one"}) { // readers do not hold each other up
		t.Errorf("%v", got)
	}
	shared.Close()
	commit1(t, d, head, adding("two"))
}

func TestIntent(t *testing.T) {
	for _, in := range []intent{{}, {State: true}, {Add: []ID{testID(1), testID(2)}, Delete: []ID{testID(3)}}} {
		text, err := in.encode()
		if err != nil {
			t.Fatal(err)
		}
		back, err := parseIntent(text)
		if err != nil || !slices.Equal(back.Add, in.Add) || !slices.Equal(back.Delete, in.Delete) || back.State != in.State {
			t.Errorf("%s reads as %+v, %v", text, back, err)
		}
	}
	one := testID(1).String()
	for _, text := range []string{
		"", "\n", "{}\n", `{"add":[],"delete":[],"state":false,"version":1}`,
		`{"add":[],"delete":[],"state":false,"version":2}` + "\n",
		`{"add":[],"delete":[],"state":null,"version":1}` + "\n",
		`{"add":[],"delete":{},"state":true,"version":1}` + "\n",
		`{"add":[],"state":true,"version":1}` + "\n",
		`{"add":[],"delete":[],"more":1,"state":true,"version":1}` + "\n",
		`{"add":["../x"],"delete":[],"state":true,"version":1}` + "\n",
		`{"add":["` + one + `"],"delete":["` + one + `"],"state":true,"version":1}` + "\n",
		`{"add": [],"delete":[],"state":true,"version":1}` + "\n",
	} {
		if in, err := parseIntent([]byte(text)); err == nil {
			t.Errorf("%q reads as %+v", text, in)
		}
	}
	path := t.TempDir()
	d := openDir(t, path)
	head := commit1(t, d, "", adding("one"))
	if err := os.WriteFile(filepath.Join(path, folderName, intentName), []byte("{}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Snapshot(t.Context(), ProjectionLimits()); !errors.Is(err, ErrUnavailable) {
		t.Errorf("a damaged commit record: %v", err)
	}
	if _, err := d.Commit(t.Context(), head, adding("two")); !errors.Is(err, ErrUnavailable) {
		t.Errorf("a damaged commit record: %v", err)
	}
}

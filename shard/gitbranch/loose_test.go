package gitbranch

import (
	"bytes"
	"context"
	"errors"
	"os"
	"testing"
	"time"

	git "github.com/libgit2/git2go/v34"

	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/shard"
)

// Objects that were cut off, as a machine that loses power leaves them: reading
// ends, with an error.
func TestCutObjects(t *testing.T) {
	t.Parallel()
	l := gittest.Loose{Path: t.TempDir()}
	must := func(id string, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	must("", l.Init())
	id := shard.ID{0x41, 0xbf, 0x13, 0xca, 0x27, 0x9d, 0x4e, 0x6b, 0xae, 0x10, 0x4d, 0x46, 0x3d, 0x77, 0x7d, 0xb7}
	data := bytes.Repeat([]byte("a line that is no record\n"), 40)
	tree := must(l.Files(map[string]gittest.LooseFile{id.Path(): {Data: data}}))
	commit := must(l.Commit(tree))
	must("", l.Branch(testBranch, commit))
	blob := must(l.Object("blob", data))

	read := func() (*shard.Snapshot, error) {
		r, err := Open(t.Context(), Options{URL: l.Path})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		b, err := r.Reader(testBranch)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		return b.Snapshot(ctx, shard.ProjectionLimits())
	}
	if snap, err := read(); err != nil || !bytes.Equal(snap.Shards[0].Data, data) {
		t.Fatalf("%v %v", snap, err)
	}
	for _, object := range []string{blob, tree, commit} {
		whole, err := os.ReadFile(l.ObjectPath(object))
		if err != nil {
			t.Fatal(err)
		}
		for n := range len(whole) {
			must("", os.WriteFile(l.ObjectPath(object), whole[:n], 0o666))
			if _, err := read(); !errors.Is(err, shard.ErrUnavailable) {
				t.Fatalf("%d bytes of %d of %s: %v", n, len(whole), object, err)
			}
		}
		must("", os.WriteFile(l.ObjectPath(object), whole, 0o666))
	}
}

// What an object claims to be is checked before memory is spent.
func TestLooseLimits(t *testing.T) {
	l := gittest.Loose{Path: t.TempDir()}
	if err := l.Init(); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]error{
		"blob 99999999999999\x00x":    errBig,
		"blob 5\x00x":                 nil,
		"blob 1\x00xx":                nil,
		"blob 01\x00x":                nil,
		"blob -1\x00":                 nil,
		"blob x\x00":                  nil,
		"blurb 1\x00x":                nil,
		"blob 1":                      nil,
		"blob 1\x00y":                 nil, // not the bytes of its name
		"tree 1\x00x":                 nil,
		"blob 0000000000000000000000": nil,
	} {
		id := git.Oid{1}
		if err := l.Replace(id.String(), []byte(text)); err != nil {
			t.Fatal(err)
		}
		_, err := (&loose{folders: objectFolders(l.Path)}).read(id, git.ObjectBlob, 1000)
		if want == nil && !isDamaged(err) || want != nil && !errors.Is(err, want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

package gitbranch

import (
	"bytes"
	"errors"
	"os"

	git "github.com/libgit2/git2go/v34"
)

const (
	maxCommitBytes = 1 << 20
	maxTreeBytes   = 32 << 20 // some 400,000 shard entries
)

// errBig is a tree or commit that is larger than anything we would read.
var errBig = errors.New("gitbranch: object is too large")

// handle is one open repository of libgit2, used by one operation at a time.
type handle struct {
	repo     *git.Repository
	odb      *git.Odb
	loose    *loose
	gen      int         // of the pool that made it
	identity os.FileInfo // of a cache's directory
}

func (h *handle) free() {
	h.odb.Free()
	h.repo.Free()
}

// size returns an object's kind and size without reading it.
func (h *handle) size(id git.Oid) (git.ObjectType, int64, error) {
	if kind, n, err := h.loose.size(id); err != errNotLoose {
		return kind, n, err
	}
	n, kind, err := h.odb.ReadHeader(&id)
	if err != nil {
		return git.ObjectInvalid, 0, damaged(code(err))
	}
	if n > 1<<62 {
		return git.ObjectInvalid, 0, damaged("size")
	}
	return kind, int64(n), nil
}

// read returns a copy of an object's bytes, which are at most limit long.
func (h *handle) read(id git.Oid, kind git.ObjectType, limit int64) ([]byte, error) {
	if data, err := h.loose.read(id, kind, limit); err != errNotLoose {
		return data, err
	}
	k, n, err := h.size(id)
	if err != nil {
		return nil, err
	}
	if k != kind {
		return nil, damaged("kind")
	}
	if n > limit {
		return nil, errBig
	}
	obj, err := h.odb.Read(&id)
	if err != nil {
		return nil, damaged(code(err))
	}
	defer obj.Free()
	if obj.Type() != kind || int64(obj.Len()) != n {
		return nil, damaged("kind or size")
	}
	return bytes.Clone(obj.Data()[:n:n]), nil
}

// commitTree returns the tree of a commit.
func (h *handle) commitTree(commit git.Oid) (git.Oid, error) {
	raw, err := h.read(commit, git.ObjectCommit, maxCommitBytes)
	if err != nil {
		return git.Oid{}, err
	}
	return headerID(raw, "tree ")
}

// headerID reads the object ID at the start of a commit, after word.
func headerID(raw []byte, word string) (git.Oid, error) {
	rest, ok := bytes.CutPrefix(raw, []byte(word))
	if !ok || len(rest) < 41 || rest[40] != '\n' {
		return git.Oid{}, damaged("commit")
	}
	id, err := git.NewOid(string(rest[:40]))
	if err != nil {
		return git.Oid{}, damaged("commit")
	}
	return *id, nil
}

// lookup finds one entry of a tree. A zero tree is empty.
func (h *handle) lookup(tree git.Oid, name string) (e entry, found bool, err error) {
	if tree.IsZero() {
		return entry{}, false, nil
	}
	raw, err := h.read(tree, git.ObjectTree, maxTreeBytes)
	if err != nil {
		return entry{}, false, err
	}
	sound := forEntries(raw, func(x entry) bool {
		if x.name == name {
			e, found = x, true
		}
		return true
	})
	if !sound {
		return entry{}, false, damaged("tree")
	}
	return e, found, nil
}

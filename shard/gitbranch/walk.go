package gitbranch

import (
	"bytes"
	"context"
	"errors"

	git "github.com/libgit2/git2go/v34"

	"github.com/gitledger/gitledger/shard"
)

// walk is all commits that can be reached from one.
type walk struct {
	found []visited
	index map[git.Oid]int32 // of found
	order []int32           // of found: parents first
}

type visited struct {
	id      git.Oid
	tree    git.Oid
	parents []int32
	err     error // a *shard.DamagedError
}

// walk reads the commits and puts them in order: depth first, the first parent
// first, so that one line of descent comes in one piece.
func (h *handle) walk(ctx context.Context, head git.Oid) (*walk, error) {
	w := &walk{index: map[git.Oid]int32{}}
	type frame struct {
		commit int32
		next   int // of its parents
	}
	first, err := w.visit(h, head)
	if err != nil {
		return nil, err
	}
	stack := []frame{{commit: first}}
	for len(stack) > 0 {
		if err := ended(ctx); err != nil {
			return nil, err
		}
		top := &stack[len(stack)-1]
		v := &w.found[top.commit]
		if top.next == len(v.parents) {
			w.order = append(w.order, top.commit)
			stack = stack[:len(stack)-1]
			continue
		}
		parent := v.parents[top.next]
		top.next++
		if w.found[parent].parents == nil {
			if err := w.read(h, parent); err != nil {
				return nil, err
			}
			stack = append(stack, frame{commit: parent})
		}
	}
	return w, nil
}

// visit enters a commit and reads it.
func (w *walk) visit(h *handle, id git.Oid) (int32, error) {
	i := w.enter(id)
	return i, w.read(h, i)
}

// enter gives a commit its number.
func (w *walk) enter(id git.Oid) int32 {
	i, ok := w.index[id]
	if !ok {
		i = int32(len(w.found))
		w.found = append(w.found, visited{id: id})
		w.index[id] = i
	}
	return i
}

// read reads a commit. Afterwards its parents are not nil, which marks it as
// read.
func (w *walk) read(h *handle, i int32) error {
	id := w.found[i].id
	parents := []int32{}
	raw, err := h.inspect(id, git.ObjectCommit, maxCommitBytes)
	var tree git.Oid
	if err == nil {
		tree, err = headerID(raw, "tree ")
	}
	if err == nil {
		for raw = raw[len("tree ")+hexID+1:]; bytes.HasPrefix(raw, []byte("parent ")); raw = raw[len("parent ")+hexID+1:] {
			var parent git.Oid
			if parent, err = headerID(raw, "parent "); err != nil {
				break
			}
			parents = append(parents, w.enter(parent))
		}
	}
	v := &w.found[i]
	v.tree, v.parents = tree, parents
	damage, ok := errors.AsType[*shard.DamagedError](err)
	switch {
	case err == nil:
		return nil
	case ok:
	case errors.Is(err, errBig), isDamaged(err): // not of a commit's form
		damage = &shard.DamagedError{Object: shard.Object(id[:]), Damage: shard.DamageMalformed}
	default:
		return err
	}
	v.err, v.parents = damage, []int32{}
	return nil
}

const hexID = 2 * len(git.Oid{})

// commit is the i-th commit found as a log gives it.
func (w *walk) commit(i int32) (shard.Commit, error) {
	v := &w.found[i]
	c := shard.Commit{ID: shard.Head(v.id.String())}
	if v.err != nil {
		return c, v.err
	}
	c.Tree = shard.Object(v.tree[:])
	for _, p := range v.parents {
		c.Parents = append(c.Parents, shard.Head(w.found[p].id.String()))
	}
	return c, nil
}

package gitbranch

import (
	"maps"
	"slices"

	git "github.com/libgit2/git2go/v34"
)

// apply writes the tree that base becomes, and returns zero for an empty one.
func (h *handle) apply(base git.Oid, e *edit) (git.Oid, error) {
	var builder *git.TreeBuilder
	var err error
	if base.IsZero() {
		builder, err = h.repo.TreeBuilder()
	} else {
		builder, err = h.builderFrom(base)
	}
	if err != nil {
		return git.Oid{}, err
	}
	defer builder.Free()
	for name := range e.remove {
		if err := builder.Remove(name); err != nil {
			return git.Oid{}, unavailable(err)
		}
	}
	for name, id := range e.put {
		if err := builder.Insert(name, &id, git.FilemodeBlob); err != nil {
			return git.Oid{}, unavailable(err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.folders)) {
		if err := h.applyFolder(builder, base, name, e.folders[name]); err != nil {
			return git.Oid{}, err
		}
	}
	id, err := builder.Write()
	if err != nil {
		return git.Oid{}, unavailable(err)
	}
	return *id, nil
}

func (h *handle) applyFolder(builder *git.TreeBuilder, base git.Oid, name string, e *edit) error {
	old, found, err := h.lookup(base, name)
	if err != nil {
		return broken(err)
	}
	id, err := h.apply(old.id, e)
	if err != nil {
		return err
	}
	if id == emptyTree {
		if !found {
			return nil
		}
		if err := builder.Remove(name); err != nil {
			return unavailable(err)
		}
		return nil
	}
	if err := builder.Insert(name, &id, git.FilemodeTree); err != nil {
		return unavailable(err)
	}
	return nil
}

func (h *handle) builderFrom(base git.Oid) (*git.TreeBuilder, error) {
	tree, err := h.repo.LookupTree(&base)
	if err != nil {
		return nil, damaged(code(err))
	}
	defer tree.Free()
	builder, err := h.repo.TreeBuilderFromTree(tree)
	if err != nil {
		return nil, unavailable(err)
	}
	return builder, nil
}

// emptyTree is the ID of a tree without entries.
var emptyTree = git.Oid{
	0x4b, 0x82, 0x5d, 0xc6, 0x42, 0xcb, 0x6e, 0xb9, 0xa0, 0x60,
	0xe5, 0x4b, 0xf8, 0xd6, 0x92, 0x88, 0xfb, 0xee, 0x49, 0x04,
}

package gitbranch

import (
	"context"
	"errors"
	"strings"

	git "github.com/libgit2/git2go/v34"

	"github.com/gitledger/gitledger/shard"
)

// edit is a part of a tree to change: files by name, and folders below.
type edit struct {
	put     map[string]git.Oid // new content of a file
	remove  map[string]bool    // files that go
	folders map[string]*edit
}

// at returns the edit of the folder that holds path's file, and the file's name.
func (e *edit) at(path string) (*edit, string) {
	dir, file, nested := cutLast(path)
	if !nested {
		return e, file
	}
	for name := range strings.SplitSeq(dir, "/") {
		if e.folders == nil {
			e.folders = map[string]*edit{}
		}
		if e.folders[name] == nil {
			e.folders[name] = &edit{}
		}
		e = e.folders[name]
	}
	return e, file
}

// plan writes the change's new blobs and says how the tree of base (zero: no
// tree) must be edited. What is already there with the same bytes needs none.
func (h *handle) plan(base git.Oid, c shard.Change) (*edit, error) {
	folder, blocked, err := h.folder(base, shard.Folder)
	if err != nil {
		return nil, broken(err)
	}
	if blocked != "" && len(c.Add) > 0 {
		return nil, fail(shard.ErrIdentityCollision, "the shard folder is not a folder")
	}
	present, err := h.present(folder)
	if err != nil {
		return nil, broken(err)
	}
	root := &edit{}
	for _, id := range c.Delete {
		if e, ok := present[id.FileName()]; !ok || !e.regular() {
			return nil, fail(shard.ErrShardMissing, "%s", id)
		}
		dir, file := root.at(id.Path())
		if dir.remove == nil {
			dir.remove = make(map[string]bool, len(c.Delete))
		}
		dir.remove[file] = true
	}
	for _, a := range c.Add {
		blob, err := h.odb.Hash(a.Data, git.ObjectBlob)
		if err != nil {
			return nil, unavailable(err)
		}
		if e, ok := present[a.ID.FileName()]; ok {
			if !e.regular() || e.id != *blob {
				return nil, fail(shard.ErrIdentityCollision, "%s", a.ID)
			}
			continue
		}
		if err := h.put(root, a.ID.Path(), a.Data); err != nil {
			return nil, err
		}
	}
	if c.State == nil {
		return root, nil
	}
	return root, h.planState(root, base, c.State)
}

func (h *handle) planState(root *edit, base git.Oid, state []byte) error {
	dir, file, _ := cutLast(shard.StatePath)
	folder, blocked, err := h.folder(base, dir)
	if err != nil {
		return broken(err)
	}
	e, found, err := h.lookup(folder, file)
	if err != nil {
		return broken(err)
	}
	if blocked != "" || found && e.mode == modeTree {
		return fail(shard.ErrIdentityCollision, "the state file's place is taken")
	}
	blob, err := h.odb.Hash(state, git.ObjectBlob)
	if err != nil {
		return unavailable(err)
	}
	if found && e.regular() && e.id == *blob {
		return nil
	}
	return h.put(root, shard.StatePath, state)
}

func (h *handle) put(root *edit, path string, data []byte) error {
	blob, err := h.odb.Write(data, git.ObjectBlob)
	if err != nil {
		return unavailable(err)
	}
	dir, file := root.at(path)
	if dir.put == nil {
		dir.put = map[string]git.Oid{}
	}
	dir.put[file] = *blob
	return nil
}

// present lists the shard folder by name.
func (h *handle) present(folder git.Oid) (map[string]entry, error) {
	names := map[string]entry{}
	if folder.IsZero() {
		return names, nil
	}
	raw, err := h.read(folder, git.ObjectTree, maxTreeBytes)
	if err != nil {
		return nil, err
	}
	sound := forEntries(raw, func(e entry) bool {
		if strings.HasSuffix(e.name, shard.Extension) {
			names[e.name] = e
		}
		return true
	})
	if !sound {
		return nil, damaged("tree")
	}
	return names, nil
}

// broken keeps an oversized tree, which nobody can edit, apart from our limits.
func broken(err error) error {
	if errors.Is(err, errBig) {
		return fail(shard.ErrTooLarge, "a tree is too large to edit")
	}
	return err
}

// commit writes the commit that turns parent into the changed tree. It returns
// parent itself when the change changes nothing.
func (h *handle) commit(ctx context.Context, parent git.Oid, c shard.Change, by signatures) (git.Oid, error) {
	var base git.Oid
	if !parent.IsZero() {
		tree, err := h.commitTree(parent)
		if err != nil {
			return git.Oid{}, broken(err)
		}
		base = tree
	}
	root, err := h.plan(base, c)
	if err != nil {
		return git.Oid{}, err
	}
	if err := ended(ctx); err != nil {
		return git.Oid{}, err
	}
	if root.put == nil && root.remove == nil && root.folders == nil {
		return parent, nil
	}
	tree, err := h.apply(base, root)
	if err != nil {
		return git.Oid{}, err
	}
	var parents []*git.Oid
	if !parent.IsZero() {
		parents = []*git.Oid{&parent}
	}
	id, err := h.repo.CreateCommitFromIds("", by.author, by.committer, message(c.Message), &tree, parents...)
	if err != nil {
		return git.Oid{}, unavailable(err)
	}
	return *id, nil
}

type signatures struct{ author, committer *git.Signature }

const maxMessageBytes = 16 << 10

// message bounds and cleans a commit message; C strings end at a zero byte.
func message(text string) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "\uFFFD")
	if len(text) > maxMessageBytes {
		text = strings.ToValidUTF8(text[:maxMessageBytes], "")
	}
	if strings.TrimSpace(text) == "" {
		text = "Update ledger"
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

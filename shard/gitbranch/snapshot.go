package gitbranch

import (
	"context"
	"errors"
	"sort"
	"strings"

	git "github.com/libgit2/git2go/v34"

	"github.com/gitledger/gitledger/shard"
)

// readCommit makes the snapshot of a commit. It first learns every name, then
// every size, and reads bytes only when both are within the limits.
func (h *handle) readCommit(ctx context.Context, commit git.Oid, limits shard.Limits) (*shard.Snapshot, error) {
	snap := &shard.Snapshot{Head: shard.Head(commit.String())}
	root, err := h.commitTree(commit)
	if err != nil {
		return nil, err
	}
	folder, blocked, err := h.folder(root, shard.Folder)
	if err != nil {
		return nil, tooMany(err, limits)
	}
	if blocked != "" {
		// Something else lies where the folder belongs. To call that an empty
		// ledger would hide a history.
		snap.Shards = []shard.Shard{{Name: blocked, Fault: shard.FaultNotRegular}}
		return snap, nil
	}
	entries, err := h.shardEntries(ctx, folder, limits)
	if err != nil {
		return nil, tooMany(err, limits)
	}
	if snap.Shards, err = h.readShards(ctx, entries, limits); err != nil {
		return nil, err
	}
	snap.State, err = h.readState(root, limits)
	return snap, err
}

// folder walks a slash-separated path of trees. It returns a zero ID when the
// path is absent, and the name of the component that is not a tree.
func (h *handle) folder(root git.Oid, path string) (id git.Oid, blocked string, err error) {
	id = root
	for name := range strings.SplitSeq(path, "/") {
		e, found, err := h.lookup(id, name)
		if err != nil || !found {
			return git.Oid{}, "", err
		}
		if e.mode != modeTree {
			return git.Oid{}, name, nil
		}
		id = e.id
	}
	return id, "", nil
}

// shardEntries lists the entries of the shard folder that count as shards.
func (h *handle) shardEntries(ctx context.Context, folder git.Oid, limits shard.Limits) ([]entry, error) {
	if folder.IsZero() {
		return nil, nil
	}
	raw, err := h.read(folder, git.ObjectTree, maxTreeBytes)
	if err != nil {
		return nil, err
	}
	if err := ended(ctx); err != nil {
		return nil, err
	}
	var entries []entry
	over := false
	sound := forEntries(raw, func(e entry) bool {
		if !strings.HasSuffix(e.name, shard.Extension) {
			return true
		}
		if len(entries) >= limits.Files {
			over = true
			return false
		}
		entries = append(entries, e)
		return true
	})
	switch {
	case over:
		return nil, &shard.LimitError{What: "files", Limit: int64(limits.Files)}
	case !sound:
		return nil, damaged("tree")
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].name < entries[j].name })
	return entries, nil
}

func (h *handle) readShards(ctx context.Context, entries []entry, limits shard.Limits) ([]shard.Shard, error) {
	shards := make([]shard.Shard, len(entries))
	var total int64
	for i, e := range entries {
		if err := ended(ctx); err != nil {
			return nil, err
		}
		s, err := h.measure(e, limits)
		if err != nil {
			return nil, err
		}
		if s.Fault == "" {
			if total += s.Size; total > limits.Bytes {
				return nil, &shard.LimitError{What: "bytes", Limit: limits.Bytes}
			}
		}
		shards[i] = s
	}
	for i := range shards {
		if shards[i].Fault != "" {
			continue
		}
		if err := ended(ctx); err != nil {
			return nil, err
		}
		data, err := h.read(entries[i].id, git.ObjectBlob, limits.FileBytes)
		if err != nil {
			return nil, err
		}
		shards[i].Data = data
	}
	return shards, nil
}

// measure learns all of a shard but its bytes.
func (h *handle) measure(e entry, limits shard.Limits) (shard.Shard, error) {
	id, named := shard.FileID(e.name)
	s := shard.Shard{Name: e.name, ID: id}
	if !e.regular() {
		s.Fault = shard.FaultNotRegular
		return s, nil
	}
	kind, size, err := h.size(e.id)
	if err != nil {
		return s, err
	}
	s.Size = size
	switch {
	case kind != git.ObjectBlob:
		s.Fault, s.Size = shard.FaultNotRegular, 0
	case !named:
		s.Fault = shard.FaultName
	case size > limits.FileBytes:
		s.Fault = shard.FaultSize
	}
	return s, nil
}

// readState reads the compaction state file; what is irregular is absent.
func (h *handle) readState(root git.Oid, limits shard.Limits) ([]byte, error) {
	dir, file, _ := cutLast(shard.StatePath)
	folder, blocked, err := h.folder(root, dir)
	if err != nil || blocked != "" || folder.IsZero() {
		return nil, ignoreBig(err)
	}
	e, found, err := h.lookup(folder, file)
	if err != nil || !found || !e.regular() {
		return nil, ignoreBig(err)
	}
	if kind, _, err := h.size(e.id); err != nil || kind != git.ObjectBlob {
		return nil, err
	}
	data, err := h.read(e.id, git.ObjectBlob, limits.StateBytes())
	return data, ignoreBig(err)
}

func cutLast(path string) (dir, file string, ok bool) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", path, false
	}
	return path[:i], path[i+1:], true
}

func ignoreBig(err error) error {
	if errors.Is(err, errBig) {
		return nil
	}
	return err
}

// tooMany turns a tree too large to read into the limit that it certainly exceeds.
func tooMany(err error, limits shard.Limits) error {
	if errors.Is(err, errBig) {
		return &shard.LimitError{What: "files", Limit: int64(limits.Files)}
	}
	return err
}

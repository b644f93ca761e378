package shard

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
)

// view is what a ledger folder holds, seen through the commit that may be
// published and not carried out yet.
type view struct {
	ledger     folder
	shards     folder // nil when absent
	compaction folder // nil when absent
	blocked    string // the name of a folder that is something else
	exists     bool   // the branch does, even if it holds no shard
	pending    *intent
	adding     map[string]bool // the file names of pending.Add

	recordBlocked bool // a folder lies where the commit record will be put away
}

// blockedView is of a path on which something else lies where a folder belongs.
// To call that an empty ledger would hide a history.
func blockedView(name string) *view { return &view{blocked: name, exists: true} }

func openView(ledger folder) (*view, error) {
	v := &view{ledger: ledger}
	var err error
	if v.pending, err = readIntent(ledger); err != nil {
		return nil, err
	}
	if v.pending != nil {
		v.adding = make(map[string]bool, len(v.pending.Add))
		for _, id := range v.pending.Add {
			v.adding[id.FileName()] = true
		}
	}
	if v.shards, err = v.open(shardsName); err == nil {
		v.compaction, err = v.open(compactionName)
	}
	if err != nil {
		v.Close()
		return nil, err
	}
	done, never := ledger.lstat(intentDone)
	v.exists = v.pending != nil || never == nil || v.blocked != ""
	v.recordBlocked = never == nil && done.IsDir()
	return v, nil
}

func (v *view) open(name string) (folder, error) {
	sub, err := v.ledger.sub(name)
	switch {
	case err == nil:
		return sub, nil
	case errors.Is(err, errIrregular):
		if name == shardsName {
			v.blocked = name
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, unavailable("a folder cannot be opened")
	}
	return nil, nil
}

func (v *view) Close() {
	for _, f := range []folder{v.shards, v.compaction} {
		if f != nil {
			f.Close()
		}
	}
}

// readIntent returns the commit that is published and not carried out, or nil.
func readIntent(ledger folder) (*intent, error) {
	text, _, err := readFile(ledger, intentName, 0, maxIntent)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		if in, err := parseIntent(text); err == nil {
			return in, nil
		}
	}
	return nil, unavailable("the commit record cannot be read")
}

// names returns the names of the shard files, in order, as if the pending
// commit were carried out. It stops reading when there are more than limit.
func (v *view) names(ctx context.Context, limit int) ([]string, error) {
	tooMany := &LimitError{What: "files", Limit: int64(limit)}
	listed := map[string]bool{}
	deleted := 0
	if v.pending != nil {
		deleted = len(v.pending.Delete)
	}
	if v.shards != nil {
		for name, err := range v.shards.names() {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				return nil, unavailable("the shard folder cannot be listed")
			}
			if strings.HasSuffix(name, Extension) {
				listed[name] = true
			}
			if len(listed) > limit+deleted {
				return nil, tooMany
			}
		}
	}
	if v.pending != nil {
		for name := range v.adding {
			listed[name] = true
		}
		for _, id := range v.pending.Delete {
			delete(listed, id.FileName())
		}
	}
	if len(listed) > limit {
		return nil, tooMany
	}
	names := make([]string, 0, len(listed))
	for name := range listed {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}

// shardFile returns the name under which a shard is stored: its own, or that
// of the staged file that the pending commit has not moved yet.
func (v *view) shardFile(name string) (string, fs.FileInfo, error) {
	if v.shards == nil {
		return "", nil, fs.ErrNotExist
	}
	return find(v.shards, name, v.adding[name])
}

// stateFile is shardFile for the state file.
func (v *view) stateFile() (string, fs.FileInfo, error) {
	if v.compaction == nil {
		return "", nil, fs.ErrNotExist
	}
	return find(v.compaction, stateName, v.pending != nil && v.pending.State)
}

func find(f folder, name string, pending bool) (string, fs.FileInfo, error) {
	if pending {
		if info, err := f.lstat(stagedName(name)); err == nil {
			return stagedName(name), info, nil
		}
	}
	info, err := f.lstat(name)
	return name, info, err
}

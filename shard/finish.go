package shard

import (
	"errors"
	"io/fs"
	"strings"
)

// finish carries out the commit that is published, if any, and removes what an
// earlier one left that was not. Doing it twice does no harm.
func finish(ledger folder) error {
	v, err := openView(ledger)
	if err != nil {
		return err
	}
	defer v.Close()
	if v.pending == nil {
		sweep(ledger)
		return nil
	}
	if v.blocked != "" {
		return errBlocked()
	}
	if err := v.moveShards(); err != nil {
		return err
	}
	if v.pending.State && v.compaction != nil {
		if err := move(v.compaction, stateName, true); err != nil {
			return err
		}
		if v.compaction.sync() != nil {
			return unavailable("the state cannot be made durable")
		}
	}
	if ledger.rename(intentName, intentDone) != nil {
		return unavailable("the commit record cannot be put away")
	}
	// Were this to be undone by a power failure, it would be done again.
	if ledger.sync() != nil {
		return unavailable("the commit record cannot be put away")
	}
	return nil
}

// moveShards puts the pending commit's shards in place and removes those that
// it deletes.
func (v *view) moveShards() error {
	if v.shards == nil {
		return nil
	}
	for _, id := range v.pending.Add {
		if err := move(v.shards, id.FileName(), false); err != nil {
			return err
		}
	}
	for _, id := range v.pending.Delete {
		if err := v.shards.remove(id.FileName()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return unavailable("a deleted shard cannot be removed")
		}
	}
	if v.shards.sync() != nil {
		return unavailable("the shards cannot be made durable")
	}
	return nil
}

// move puts a staged file in its place. Where none is staged it has been moved
// already. It replaces a file only where that is meant: what another program
// put in a shard's place since the commit is not lost.
func move(f folder, name string, replace bool) error {
	staged := stagedName(name)
	if _, err := f.lstat(staged); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if !replace {
		if _, err := f.lstat(name); err == nil {
			same, err := sameFiles(f, staged, name)
			if err != nil {
				return err
			}
			if !same {
				return ErrIdentityCollision
			}
		}
	}
	if f.rename(staged, name) != nil {
		return unavailable("a file cannot be put in place")
	}
	return nil
}

func sameFiles(f folder, a, b string) (bool, error) {
	_, one, err := readFile(f, a, 0, maxShardBytes)
	if err != nil {
		return false, unavailable("a staged shard cannot be read")
	}
	_, two, err := readFile(f, b, 0, maxShardBytes)
	return err == nil && one == two, nil
}

// sweep removes the staged files of a commit that was never published, as far
// as that goes: they are in nobody's way but that of the same shard.
func sweep(ledger folder) {
	removeStaged(ledger, func(name string) bool { return name == intentStaged })
	for name, staged := range map[string]func(string) bool{
		shardsName:     isStagedShard,
		compactionName: func(name string) bool { return name == stagedName(stateName) },
	} {
		if f, err := ledger.sub(name); err == nil {
			removeStaged(f, staged)
			f.Close()
		}
	}
}

// isStagedShard reports whether stagedName makes the name of a shard file.
func isStagedShard(name string) bool {
	name, dot := strings.CutPrefix(name, ".")
	name, suffix := strings.CutSuffix(name, stagedSuffix)
	_, ok := FileID(name)
	return dot && suffix && ok
}

func removeStaged(f folder, staged func(string) bool) {
	var names []string
	for name, err := range f.names() {
		if err == nil && staged(name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		_ = f.remove(name)
	}
}

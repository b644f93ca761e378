package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/shard"
)

// growth is how many shards there are after one commit, the first of which is 1.
type growth struct {
	Commit int `json:"commit"`
	Shards int `json:"shards"`
}

// compaction is one commit that changed the state file.
type compaction struct {
	Commit  string `json:"commit"`
	Applied string `json:"applied_at"`
	Trigger string `json:"trigger"`
	Plan    string `json:"plan_id"`
	Before  int    `json:"shards_before"`
	After   int    `json:"shards_after"`
}

// version is what a commit says of the ledger.
type version struct {
	number        int
	commit        shard.Head
	shards, state shard.Object
}

// follow reads the branch's history: the number of shards over time, and the
// compactions. What is damaged is passed over; the verify program is there to
// find it. Every commit costs two or three small folders; the folders of the
// shards, which are large, are read for those commits only that are shown.
func (v *view) follow(ctx context.Context, log shard.Log, name string) error {
	var last version
	var shown []version
	var changes [][2]version
	stride := 1
	for commit, err := range log.Commits(ctx) {
		if damaged(err) {
			continue
		}
		if err != nil {
			return err
		}
		v.Commits++
		at, err := look(ctx, log, commit.Tree)
		if err != nil {
			return err
		}
		at.number, at.commit = v.Commits, commit.ID
		if at.state != "" && at.state != last.state {
			if changes = append(changes, [2]version{last, at}); len(changes) == 2*maxCompactions {
				changes = append(changes[:0], changes[maxCompactions:]...)
			}
		}
		if (v.Commits-1)%stride == 0 {
			if shown = append(shown, at); len(shown) == 2*maxPoints {
				shown, stride = halve(shown), 2*stride
			}
		}
		last = at
	}
	if len(shown) > maxPoints {
		shown = halve(shown)
	}
	if n := len(shown); n > 0 && shown[n-1].number != last.number {
		shown = append(shown, last)
	}
	return v.measure(ctx, log, name, shown, changes)
}

// halve keeps every other version.
func halve(all []version) []version {
	kept := all[:0]
	for i := 0; i < len(all); i += 2 {
		kept = append(kept, all[i])
	}
	return kept
}

// measure counts the shards of what is shown.
func (v *view) measure(ctx context.Context, log shard.Log, name string, shown []version, changes [][2]version) error {
	v.Growth, v.Compactions = []growth{}, []compaction{}
	counts := map[shard.Object]int{}
	for _, at := range shown {
		n, err := count(ctx, log, at.shards, counts)
		if err != nil {
			return err
		}
		v.Growth = append(v.Growth, growth{at.number, n})
	}
	for _, change := range slices.Backward(changes) {
		if len(v.Compactions) == maxCompactions {
			break
		}
		text, err := log.File(ctx, change[1].state, shard.MaintenanceLimits().StateBytes())
		if passed(err) {
			continue
		}
		if err != nil {
			return err
		}
		state, err := compact.ParseState(text)
		if err != nil || state.Ledger != name {
			continue // which is as if there were none
		}
		before, err := count(ctx, log, change[0].shards, counts)
		if err != nil {
			return err
		}
		after, err := count(ctx, log, change[1].shards, counts)
		if err != nil {
			return err
		}
		v.Compactions = append(v.Compactions, compaction{string(change[1].commit), state.LastAppliedAt, string(state.LastTrigger), state.LastPlanID.String(), before, after})
	}
	return nil
}

// count is the number of shards in a folder. One that was read is remembered.
func count(ctx context.Context, log shard.Log, folder shard.Object, counts map[shard.Object]int) (int, error) {
	if n, seen := counts[folder]; seen || folder == "" {
		return n, nil
	}
	entries, err := read(ctx, log, folder)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, e := range entries {
		if strings.HasSuffix(e.Name, shard.Extension) {
			n++
		}
	}
	counts[folder] = n
	return n, nil
}

// look finds the shards and the state file of a commit.
func look(ctx context.Context, log shard.Log, root shard.Object) (at version, err error) {
	folder, err := child(ctx, log, root, "ledger")
	if err != nil || folder == "" {
		return at, err
	}
	entries, err := read(ctx, log, folder)
	for _, e := range entries {
		switch e.Name {
		case "shards":
			at.shards = e.Object
		case "compaction":
			if at.state, err = child(ctx, log, e.Object, "state.json"); err != nil {
				return at, err
			}
		}
	}
	return at, err
}

func child(ctx context.Context, log shard.Log, folder shard.Object, name string) (shard.Object, error) {
	entries, err := read(ctx, log, folder)
	for _, e := range entries {
		if e.Name == name {
			return e.Object, err
		}
	}
	return "", err
}

// read gives a folder's entries; one that is damaged or too large has none.
func read(ctx context.Context, log shard.Log, folder shard.Object) ([]shard.Entry, error) {
	entries, err := log.Folder(ctx, folder)
	if passed(err) {
		return nil, nil
	}
	return entries, err
}

func passed(err error) bool { return damaged(err) || errors.Is(err, shard.ErrTooLarge) }

func damaged(err error) bool {
	_, ok := errors.AsType[*shard.DamagedError](err)
	return ok
}

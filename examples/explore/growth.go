package main

import (
	"context"
	"errors"
	"strings"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/shard"
)

const maxGrowth = 600 // commits of the chart

// growth is how many shards there are after one commit.
type growth struct{ Commit, Shards int }

// compaction is one commit that changed the state file.
type compaction struct {
	Commit  string `json:"commit"`
	Applied string `json:"applied_at"`
	Trigger string `json:"trigger"`
	Plan    string `json:"plan_id"`
	Before  int    `json:"shards_before"`
	After   int    `json:"shards_after"`
}

// follow reads the branch's history, commit by commit: the number of shards over
// time, and the compactions, the latest first. What is damaged is passed over;
// the verify program is there to find it.
func follow(ctx context.Context, log shard.Log) (points []growth, compactions []compaction, err error) {
	counts := map[shard.Object]int{}
	compactions = []compaction{} // none is an empty list in JSON
	n, before := 0, 0
	var state shard.Object
	for commit, err := range log.Commits(ctx) {
		var damaged *shard.DamagedError
		if errors.As(err, &damaged) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		shards, stateFile, err := look(ctx, log, commit.Tree, counts)
		if err != nil {
			return nil, nil, err
		}
		n++
		points = append(points, growth{n, shards})
		if len(points) > 2*maxGrowth {
			points = append(points[:0], points[maxGrowth:]...)
		}
		if stateFile != "" && stateFile != state {
			if text, err := log.File(ctx, stateFile, shard.MaintenanceLimits().StateBytes()); err == nil {
				if s, err := compact.ParseState(text); err == nil {
					compactions = append(compactions, compaction{string(commit.ID), s.LastAppliedAt, string(s.LastTrigger), s.LastPlanID.String(), before, shards})
				}
			}
		}
		state, before = stateFile, shards
	}
	for i, j := 0, len(compactions)-1; i < j; i, j = i+1, j-1 {
		compactions[i], compactions[j] = compactions[j], compactions[i]
	}
	return points[max(0, len(points)-maxGrowth):], compactions[:min(len(compactions), ledger.MaxRequests)], nil
}

// look counts the shards of a commit and finds its state file. Folders that were
// seen before are not read again.
func look(ctx context.Context, log shard.Log, root shard.Object, counts map[shard.Object]int) (shards int, state shard.Object, err error) {
	folder, err := child(ctx, log, root, "ledger")
	if err != nil || folder == "" {
		return 0, "", err
	}
	if compaction, err := child(ctx, log, folder, "compaction"); err == nil && compaction != "" {
		state, _ = child(ctx, log, compaction, "state.json")
	}
	files, err := child(ctx, log, folder, "shards")
	if err != nil || files == "" {
		return 0, state, err
	}
	if n, seen := counts[files]; seen {
		return n, state, nil
	}
	entries, err := read(ctx, log, files)
	for _, e := range entries {
		if strings.HasSuffix(e.Name, shard.Extension) {
			shards++
		}
	}
	counts[files] = shards
	return shards, state, err
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
	var damaged *shard.DamagedError
	if errors.As(err, &damaged) || errors.Is(err, shard.ErrTooLarge) {
		return nil, nil
	}
	return entries, err
}

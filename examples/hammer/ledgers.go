package main

import "github.com/gitledger/gitledger/ledger"

// The names of the ledgers, one of each type.
const (
	counts  = "counts"
	events  = "events"
	journal = "journal"
	labels  = "labels"
	latest  = "latest"
	lessons = "lessons"
	tasks   = "tasks"
)

// ledgers are what is written to, by name. Compaction is due as soon as two
// shards can be merged, and merges as much as it may.
func ledgers() ledger.Configs {
	table := ledger.NewConfig(tasks, ledger.Table)
	table.Key = "task"
	configs := ledger.Configs{
		ledger.NewConfig(counts, ledger.Counter),
		ledger.NewConfig(events, ledger.Raw),
		ledger.NewConfig(journal, ledger.Log),
		ledger.NewConfig(labels, ledger.Set),
		ledger.NewConfig(latest, ledger.Map),
		ledger.NewConfig(lessons, ledger.Notes),
		table,
	}
	for i := range configs {
		configs[i].Limits.SegmentBytes = 1 << 20
		configs[i].Compaction.MinSegments = 2
		configs[i].Compaction.MaxSegments = 256
	}
	return configs
}

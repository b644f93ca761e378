package compact_test

import (
	"context"
	"fmt"
	"time"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/internal/membranch"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// fill appends n shards of one record each, as n runs of persistence would.
func fill(b shard.Branch, n int) {
	head := shard.Head("")
	for i := range n {
		r, err := record.Seal(record.Draft{
			ID: record.DeterministicID("example", i), Type: "ledger_append",
			Time: time.Date(2026, 3, 1, 12, 0, i, 0, time.UTC), Payload: fmt.Appendf(nil, `{"n":%d}`, i),
		})
		if err != nil {
			panic(err)
		}
		data := append(r.Line(), '\n')
		id := shard.ID(record.FoldUUID(r.SHA()))
		if head, err = b.Commit(context.Background(), head, shard.Change{Add: []shard.Addition{{ID: id, Data: data}}}); err != nil {
			panic(err)
		}
	}
}

func ExamplePropose() {
	branch := &membranch.Branch{} // in a workflow: a branch of shard/gitbranch
	fill(branch, 40)
	cfg := ledger.NewConfig("tasks", ledger.Raw)

	proposal, err := compact.Propose(context.Background(), branch, cfg, compact.ProposeOptions{})
	if err != nil {
		panic(err)
	}
	fmt.Println(proposal.Due, proposal.Reason)
	fmt.Println(len(proposal.Plan.Sources), "shards become one of", proposal.Stats.ReplacementRecords, "records")
	// Output:
	// true first-compaction
	// 40 shards become one of 40 records
}

func ExampleApply() {
	branch := &membranch.Branch{}
	fill(branch, 40)
	cfg := ledger.NewConfig("tasks", ledger.Raw)
	proposal, err := compact.Propose(context.Background(), branch, cfg, compact.ProposeOptions{})
	if err != nil {
		panic(err)
	}
	plan := proposal.Plan.Append(nil) // travels as a file: compact.WriteFile, compact.ReadFile

	for range 2 {
		outcome, err := compact.Apply(context.Background(), branch, cfg, plan, compact.ApplyOptions{})
		if err != nil {
			panic(err) // rejected, or the branch could not be reached
		}
		fmt.Println(outcome.Status)
	}
	// Output:
	// applied
	// already_applied
}

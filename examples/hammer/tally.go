package main

import (
	"slices"
	"time"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/txn"
)

// tally is the figures of a run.
type tally struct {
	began time.Time
	took  time.Duration // until the last writer was done

	acknowledged int // transactions of which every batch is durable or rejected
	unsettled    int // transactions whose writer ran out of time
	records      int // that were acknowledged
	rejected     int // batches
	found        int // batches that an earlier call had made durable
	pushes       int // commits that were tried
	commits      int // batches that a call reported as persisted
	again        int // calls of txn.Persist beyond the first of a transaction
	kills        int

	compactions int // plans applied
	merged      int // shards that they merged
	gaveWay     int // plans and attempts that others overtook or a fault ended

	micros []int64 // of the transactions that were acknowledged
}

func (t *tally) turn(e *turnEvent) {
	t.pushes += e.Pushes
	t.again += e.Calls - 1
	for _, b := range e.Batches {
		t.records += len(b.SHAs)
		switch b.Status {
		case txn.Persisted:
			t.commits++
		case txn.AlreadyPresent:
			t.found++
		case txn.Rejected:
			t.rejected++
		}
	}
	if !e.settled() {
		t.unsettled++
		return
	}
	t.acknowledged++
	t.micros = append(t.micros, e.Micros)
}

func (t *tally) compaction(e *compactionEvent) {
	if e.Status != compact.Applied {
		t.gaveWay++
		return
	}
	t.compactions++
	t.merged += e.Segments
}

// percentiles returns latencies: of each share, the least time within which so
// many transactions were acknowledged.
func (t *tally) percentiles(shares ...float64) []time.Duration {
	sorted := slices.Sorted(slices.Values(t.micros))
	out := make([]time.Duration, len(shares))
	for i, share := range shares {
		if len(sorted) > 0 {
			at := min(int(share*float64(len(sorted))), len(sorted)-1)
			out[i] = time.Duration(sorted[at]) * time.Microsecond
		}
	}
	return out
}

// elapsed is how long the writers have been, or were, at it.
func (t *tally) elapsed() time.Duration {
	if t.took > 0 {
		return t.took
	}
	return time.Since(t.began)
}

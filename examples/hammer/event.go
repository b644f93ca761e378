package main

import (
	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/txn"
)

// event is what a process reports: one line of JSON.
type event struct {
	Turn       *turnEvent       `json:"turn,omitempty"`
	Compaction *compactionEvent `json:"compaction,omitempty"`
	Broken     string           `json:"broken,omitempty"` // a promise that was broken in front of the process
}

// turnEvent is what became of a writer's turn.
type turnEvent struct {
	Writer  int            `json:"writer"`
	Number  int            `json:"number"`
	Micros  int64          `json:"micros"` // from the first call to the last answer
	Calls   int            `json:"calls"`  // of txn.Persist
	Pushes  int            `json:"pushes"`
	Fetches int            `json:"fetches"`
	Batches []batchOutcome `json:"batches"`
}

// batchOutcome is what became of a turn's batch on one ledger, by the last call.
type batchOutcome struct {
	Ledger string        `json:"ledger"`
	Status txn.Status    `json:"status"`
	Code   txn.Code      `json:"code,omitempty"`
	SHAs   []record.Hash `json:"shas,omitempty"` // of its records, when it is durable
}

// settled reports whether the writer was told what it must know.
func (b batchOutcome) settled() bool { return b.Status.Durable() || b.Status == txn.Rejected }

// settled reports whether every batch is.
func (e *turnEvent) settled() bool {
	for _, b := range e.Batches {
		if !b.settled() {
			return false
		}
	}
	return len(e.Batches) > 0
}

// compactionEvent is what became of a plan.
type compactionEvent struct {
	Ledger   string         `json:"ledger"`
	Status   compact.Status `json:"status,omitempty"`
	Segments int            `json:"segments"` // that were merged
	Error    string         `json:"error,omitempty"`
}

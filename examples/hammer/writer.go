package main

import (
	"context"
	"slices"
	"time"

	"github.com/gitledger/gitledger/txn"
)

// writer persists one turn after the other. The next begins when it was told
// what became of the last.
type writer struct {
	orders   orders
	store    *opened
	reporter *reporter
	number   int
}

func (w *writer) run(ctx context.Context, stop <-chan struct{}, from int) {
	for n := from; w.orders.Turns == 0 || n < w.orders.Turns; n++ {
		select {
		case <-stop:
			return
		default:
		}
		artifact, err := w.artifact(n)
		if err != nil {
			w.reporter.broken("writer %d, turn %d: a sound request was refused: %v", w.number, n, err)
			return
		}
		e := w.persist(ctx, artifact)
		e.Writer, e.Number = w.number, n
		w.reporter.report(event{Turn: e})
		if !e.settled() {
			return // out of time, or for good
		}
		if n%9 == 4 {
			w.again(ctx, artifact, e)
		}
	}
}

func (w *writer) artifact(n int) ([]byte, error) {
	tx, err := newTurn(w.orders.Seed, w.number, n).transaction()
	if err != nil {
		return nil, err
	}
	return tx.MarshalJSON()
}

// longestPatience bounds a single call.
const longestPatience = 2 * time.Minute

// persist persists an artifact, again and again until every batch is settled
// or nothing more can be hoped for. Each call has twice the time of the one
// before, so that a slow machine is no endless one.
func (w *writer) persist(ctx context.Context, artifact []byte) *turnEvent {
	e, began := &turnEvent{}, time.Now()
	for patience := w.orders.Patience; ; patience = min(2*patience, longestPatience) {
		call, cancel := context.WithTimeout(ctx, patience)
		result, err := txn.Persist(call, w.store.branch, ledgers(), artifact, txn.Options{})
		cancel()
		e.Calls++
		e.Micros = time.Since(began).Microseconds()
		if result == nil {
			w.reporter.broken("writer %d: its artifact was refused: %v", w.number, err)
			return e
		}
		e.Batches = e.Batches[:0]
		for _, l := range result.Ledgers {
			e.Pushes += l.Pushes
			e.Fetches += l.Fetches
			e.Batches = append(e.Batches, outcome(l))
		}
		if e.settled() || ctx.Err() != nil || slices.ContainsFunc(e.Batches, hopeless) {
			return e
		}
		if e.Calls > 1 && !pause(ctx.Done(), w.orders.Patience/100) {
			return e
		}
	}
}

func outcome(l txn.LedgerResult) batchOutcome {
	b := batchOutcome{Ledger: l.Ledger, Status: l.Status, Code: l.Code}
	if l.Status.Durable() {
		for _, r := range l.Records {
			b.SHAs = append(b.SHAs, *r.SHA)
		}
	}
	return b
}

// hopeless reports whether persisting again cannot help.
func hopeless(b batchOutcome) bool {
	switch b.Code {
	case txn.CodeConflict, txn.CodeHistory, txn.CodeSegmentSize, txn.CodeInternal, txn.CodeRefused, txn.CodeUnauthorized:
		return true
	}
	return false
}

// again persists a settled artifact once more, as a job that runs twice does.
// What was durable must be found as it was acknowledged.
func (w *writer) again(ctx context.Context, artifact []byte, first *turnEvent) {
	second := w.persist(ctx, artifact)
	if !second.settled() {
		return
	}
	for i, b := range first.Batches {
		same := second.Batches[i]
		switch {
		case b.Status.Durable() && (same.Status != txn.AlreadyPresent || !slices.Equal(same.SHAs, b.SHAs)):
			w.reporter.broken("writer %d, turn %d on %s: it was durable, and is now %s", w.number, first.Number, b.Ledger, same.Status)
		case b.Status == txn.Rejected && same.Status != txn.Rejected:
			w.reporter.broken("writer %d, turn %d on %s: it was rejected, and is now %s", w.number, first.Number, b.Ledger, same.Status)
		}
	}
}

package main

import (
	"context"
	"errors"
	"time"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/shard"
)

// maintainer compacts the ledgers until it is to end, and once more then. That
// it cannot, or that others are faster, is no failure: compaction fails open.
type maintainer struct {
	store    *opened
	reporter *reporter
	patience time.Duration
}

const (
	worthwhile = 8 // shards; fewer are left for later

	// Between two rounds the store is left to the writers, for some times as
	// long as a round took.
	respite    = 4
	minRespite = 50 * time.Millisecond
)

func (m *maintainer) run(ctx context.Context, stop <-chan struct{}) {
	for took := time.Duration(0); pause(stop, max(respite*took, minRespite)); {
		began := time.Now()
		for _, cfg := range ledgers() {
			m.compact(ctx, cfg, worthwhile, m.patience)
		}
		took = time.Since(began)
	}
	for _, cfg := range ledgers() {
		m.compact(ctx, cfg, 2, longestPatience)
	}
}

// compact plans and applies, when the plan merges at least so many shards.
func (m *maintainer) compact(ctx context.Context, cfg ledger.Config, least int, patience time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	e := compactionEvent{Ledger: cfg.Name}
	branch, err := m.store.branch(ctx, cfg)
	if err != nil {
		m.reporter.broken("maintenance of %s: %v", cfg.Name, err)
		return
	}
	p, err := compact.Propose(ctx, branch, cfg, compact.ProposeOptions{Trigger: compact.Requested})
	if err != nil {
		e.Error = err.Error()
		m.reporter.report(event{Compaction: &e})
		return
	}
	if p.Invalid > 0 {
		m.reporter.broken("maintenance of %s: %d shards are malformed", cfg.Name, p.Invalid)
	}
	if p.Plan == nil || p.Stats.SourceSegments < least {
		return
	}
	got, err := compact.Apply(ctx, branch, cfg, p.Plan.Append(nil), compact.ApplyOptions{})
	switch {
	case errors.Is(err, compact.ErrRejected), errors.Is(err, shard.ErrRefused):
		m.reporter.broken("maintenance of %s: its own plan failed: %v", cfg.Name, err)
		return
	case err != nil:
		e.Error = err.Error()
	default:
		e.Status = got.Status
		if got.Status == compact.Applied {
			e.Segments = got.Stats.SourceSegments
		}
	}
	m.reporter.report(event{Compaction: &e})
}

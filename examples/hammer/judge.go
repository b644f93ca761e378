package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gitledger/gitledger/internal/oracle"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay"
	"github.com/gitledger/gitledger/shard"
)

// verdict is what came out.
type verdict struct {
	ledgers []ledgerVerdict
	broken  []string
	took    time.Duration
}

// ledgerVerdict is what was found on one branch.
type ledgerVerdict struct {
	name    string
	records int
	shards  int
	rows    int // of the state
	history *ledger.Summary
}

func (l ledgerVerdict) String() string {
	text := fmt.Sprintf("%d records in %d shards, %d facts of the state compared", l.records, l.shards, l.rows)
	if l.history != nil {
		text += fmt.Sprintf("; %d commits verified: %d appends, %d compactions", l.history.Commits, l.history.Appends, l.history.Compactions)
	}
	return text
}

// judge reads every ledger with a fresh eye and compares it with what the
// writers were told. An error says that it could not.
func (h *hammer) judge(ctx context.Context) (v verdict, err error) {
	began := time.Now()
	defer func() { v.took = time.Since(began) }()
	s, err := h.store.open(ctx, "")
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	c, err := h.claims()
	if err != nil {
		return v, err
	}
	for _, cfg := range ledgers() {
		l, broken, err := judgeLedger(ctx, s, cfg, c[cfg.Name])
		if err != nil {
			return v, fmt.Errorf("ledger %s: %w", cfg.Name, err)
		}
		v.ledgers = append(v.ledgers, l)
		for _, text := range broken {
			v.broken = append(v.broken, cfg.Name+": "+text)
		}
	}
	return v, nil
}

func judgeLedger(ctx context.Context, s *opened, cfg ledger.Config, all []*told) (l ledgerVerdict, broken []string, err error) {
	branch, err := s.branch(ctx, cfg)
	if err != nil {
		return l, nil, err
	}
	snap, err := branch.Snapshot(ctx, shard.MaintenanceLimits())
	if err != nil {
		return l, nil, err
	}
	history, err := ledger.Reconstruct(ctx, snap)
	if err != nil {
		return l, nil, err
	}
	l = ledgerVerdict{name: cfg.Name, records: history.Len(), shards: len(snap.Shards)}
	slices.SortStableFunc(all, func(a, b *told) int { return cmp.Compare(a.turn.number, b.turn.number) })
	var claims []oracle.Claim
	for _, t := range all {
		claims = append(claims, t.claims...)
	}
	broken = append(oracle.Judge(history, claims), judgeBatches(history, all)...)
	state, err := replay.Replay(ctx, history, cfg)
	if err != nil {
		return l, append(broken, "it cannot be replayed: "+err.Error()), nil
	}
	wrong, rows := compareState(state, cfg, model(all))
	l.rows = rows
	broken = append(broken, wrong...)
	if s.log == nil {
		return l, broken, nil
	}
	found, summary, err := verifyHistory(ctx, s, cfg)
	l.history = summary
	return l, append(broken, found...), err
}

// verifyHistory verifies every commit of a branch.
func verifyHistory(ctx context.Context, s *opened, cfg ledger.Config) (found []string, summary *ledger.Summary, err error) {
	log, err := s.log(cfg)
	if err != nil {
		return nil, nil, err
	}
	v := ledger.Verifier{Log: log}
	for finding, err := range v.Verify(ctx) {
		if err != nil {
			return found, nil, err
		}
		found = append(found, "verification: "+finding.String())
	}
	sum := v.Summary()
	return found, &sum, nil
}

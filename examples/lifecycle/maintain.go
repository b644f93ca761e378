package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/shard"
)

// plan is the maintenance plan job: untrusted, it is handed a reader.
func plan(ctx context.Context, r shard.Reader, cfg ledger.Config) (*compact.Proposal, error) {
	return compact.Propose(ctx, r, cfg, compact.ProposeOptions{})
}

// apply is the maintenance apply job: to it the plan is hostile input.
func apply(ctx context.Context, b shard.Branch, cfg ledger.Config, plan []byte) (*compact.Outcome, error) {
	return compact.Apply(ctx, b, cfg, plan, compact.ApplyOptions{})
}

// maintain plans and applies compaction for every ledger, and applies once
// more, which changes nothing.
func (l *lifecycle) maintain(ctx context.Context) error {
	if err := l.planAll(ctx); err != nil {
		return err
	}
	s := l.screen
	s.job("apply", "trusted", "the branch, the configuration, the plan's bytes")
	rows, err := l.applyAll(ctx)
	if err != nil {
		return err
	}
	s.table([]string{"ledger", "outcome", "shards", "records", "bytes", "took"}, rows, len(rows))
	rows, err = l.applyAll(ctx)
	if err != nil {
		return err
	}
	outcomes := map[string]int{}
	for _, row := range rows {
		outcomes[row[1]]++
	}
	s.line("applied again: %v", outcomes)
	return nil
}

func (l *lifecycle) planFile(cfg ledger.Config) string {
	return filepath.Join(l.dir, "artifacts", "plan-"+cfg.Name+".json")
}

func (l *lifecycle) planAll(ctx context.Context) error {
	s := l.screen
	s.job("plan", "untrusted", "a branch reader, the configuration")
	repo, err := l.repository(ctx)
	if err != nil {
		return err
	}
	defer repo.Close()
	var rows [][]string
	for _, cfg := range l.configs {
		start := time.Now()
		reader, err := repo.Reader(cfg.Branch())
		if err != nil {
			return err
		}
		p, err := plan(ctx, reader, cfg)
		if err != nil {
			return err
		}
		row := []string{cfg.Name, p.Reason.String(), "no plan", took(start)}
		if p.Plan != nil {
			row[2] = fmt.Sprintf("merge %d shards, %s", len(p.Selected), p.Plan.ID().String()[:19])
			if err := compact.WriteFile(l.planFile(cfg), p.Plan); err != nil {
				return err
			}
			l.planned[cfg.Name] = true
		}
		rows = append(rows, row)
	}
	s.table([]string{"ledger", "why", "plan", "took"}, rows, len(rows))
	return nil
}

func (l *lifecycle) applyAll(ctx context.Context) (rows [][]string, err error) {
	repo, err := l.repository(ctx)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	for _, cfg := range l.configs {
		start := time.Now()
		if !l.planned[cfg.Name] {
			continue
		}
		data, err := compact.ReadFile(l.planFile(cfg))
		if err != nil {
			return nil, err
		}
		branch, err := repo.Branch(cfg.Branch())
		if err != nil {
			return nil, err
		}
		o, err := apply(ctx, branch, cfg, data)
		if err != nil {
			return nil, err
		}
		rows = append(rows, []string{cfg.Name, string(o.Status),
			fmt.Sprintf("%d → 1", o.Stats.SourceSegments),
			fmt.Sprintf("%d → %d", o.Stats.SourceRecords, o.Stats.ReplacementRecords),
			fmt.Sprintf("%d → %d", o.Stats.BytesBefore, o.Stats.BytesAfter), took(start)})
	}
	return rows, nil
}

package simulation

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/replay"
	"github.com/gitledger/gitledger/shard"
)

// judge looks at what is left when everybody has gone.
func (w *world) judge() {
	for _, cfg := range w.configs {
		w.judgeHistory(cfg)
		if h := w.history(cfg); h != nil {
			w.judgeRecords(cfg, h)
			w.judgeState(cfg, h)
		}
	}
	for _, id := range w.ids() {
		if wish := w.wanted[id]; wish.acked.IsZero() {
			w.blame("record %s of writer %d, turn %d was never acknowledged", id, wish.writer, wish.turn)
		}
	}
}

// ids lists the records that were asked for, in an order that repeats.
func (w *world) ids() []record.ID {
	return slices.SortedFunc(maps.Keys(w.wanted), func(a, b record.ID) int { return strings.Compare(a.String(), b.String()) })
}

func (w *world) verdict() error {
	if len(w.wrong) == 0 {
		return nil
	}
	return errors.New(strings.Join(w.wrong, "\n"))
}

// judgeHistory checks the branch commit by commit.
func (w *world) judgeHistory(cfg ledger.Config) {
	branch := w.stores[cfg.Name].branch
	v := ledger.Verifier{Log: branch.Log(cfg.Branch())}
	for f, err := range v.Verify(context.Background()) {
		if err != nil {
			w.blame("%s: %v", cfg.Name, err)
		} else {
			w.blame("%s: %v", cfg.Name, f)
		}
	}
	if s := v.Summary(); !s.Complete || s.Appends+s.Compactions != s.Commits {
		w.blame("%s: %d commits are %d appends and %d compactions", cfg.Name, s.Commits, s.Appends, s.Compactions)
	}
	if f, ok := branch.Files()[shard.StatePath]; ok {
		if s, err := compact.ParseState(f.Data); err != nil || s.Ledger != cfg.Name {
			w.blame("%s: state file: %v", cfg.Name, err)
		}
	}
}

func (w *world) history(cfg ledger.Config) *ledger.History {
	snap, err := w.stores[cfg.Name].branch.Snapshot(context.Background(), shard.ProjectionLimits())
	if err != nil {
		w.blame("%s: %v", cfg.Name, err)
		return nil
	}
	h, err := ledger.Reconstruct(context.Background(), snap)
	if err == nil {
		err = h.Err()
	}
	if err != nil {
		w.blame("%s: %v", cfg.Name, err)
		return nil
	}
	return h
}

// judgeRecords checks that each acknowledged record is there once, as it was
// asked for, that nothing else is, and that each writer's come in its order.
func (w *world) judgeRecords(cfg ledger.Config, h *ledger.History) {
	times := map[record.ID]int{}
	turn := map[int]int{}
	for _, r := range h.Records() {
		wish := w.wanted[r.ID()]
		if wish == nil || wish.ledger != cfg.Name {
			w.blame("%s: record %s was never asked for", cfg.Name, r.ID())
			continue
		}
		if times[r.ID()]++; times[r.ID()] > 1 {
			w.blame("%s: record %s is there %d times", cfg.Name, r.ID(), times[r.ID()])
		}
		if string(r.Payload()) != wish.payload {
			w.blame("%s: record %s has another payload", cfg.Name, r.ID())
		}
		if !wish.acked.IsZero() && wish.acked != r.SHA() {
			w.blame("%s: record %s was acknowledged as another", cfg.Name, r.ID())
		}
		if wish.turn < turn[wish.writer] {
			w.blame("%s: writer %d: turn %d comes after turn %d", cfg.Name, wish.writer, wish.turn, turn[wish.writer])
		}
		turn[wish.writer] = wish.turn
	}
	for _, id := range w.ids() {
		if wish := w.wanted[id]; wish.ledger == cfg.Name && !wish.acked.IsZero() && times[id] != 1 {
			w.blame("%s: record %s was acknowledged and is there %d times", cfg.Name, id, times[id])
		}
	}
}

// judgeState compares the derived state with a model that knows nothing of the
// library but the order of the records.
func (w *world) judgeState(cfg ledger.Config, h *ledger.History) {
	if cfg.Type == ledger.Raw {
		return
	}
	m := newModel(cfg.Type)
	for _, r := range h.Records() {
		if wish := w.wanted[r.ID()]; wish != nil {
			m.apply(wish.payload)
		}
	}
	state, err := replay.Replay(context.Background(), h, cfg)
	if err != nil {
		w.blame("%s: %v", cfg.Name, err)
		return
	}
	var got []string
	for row := range state.Tables()[0].Rows {
		got = append(got, m.row(row))
	}
	slices.Sort(got)
	if want := slices.Sorted(maps.Keys(m.rows())); !slices.Equal(got, want) {
		w.blame("%s: state of the %s is %q, want %q", cfg.Name, cfg.Type, got, want)
	}
}

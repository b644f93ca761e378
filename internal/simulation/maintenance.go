package simulation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// startMaintenance starts plan and apply jobs that come round again and again.
// A plan is applied late, several times, by several at a time, or never.
func (w *world) startMaintenance() {
	for _, cfg := range w.configs {
		for i := range 3 + w.random.IntN(5) {
			at := w.someTime()
			w.start(at, fmt.Sprintf("planner %d", i), w.crash(), func(p *process) { w.propose(p, cfg) })
			for k := range w.random.IntN(3) {
				w.start(at+w.delay()*time.Duration(1+w.random.IntN(4)), fmt.Sprintf("applier %d.%d", i, k), w.crash(),
					func(p *process) { w.apply(p, cfg) })
			}
		}
	}
}

// someTime is a time within which the writers are at work.
func (w *world) someTime() time.Duration { return w.delay() * time.Duration(1+w.random.IntN(20)) }

// propose is one run of the plan job.
func (w *world) propose(p *process, cfg ledger.Config) {
	proposal, err := compact.Propose(p.ctx, w.open(p, cfg.Name), cfg, compact.ProposeOptions{Trigger: compact.Requested, Now: w.clock})
	switch {
	case p.dead:
		w.stats.Crashes++
	case err != nil && !errors.Is(err, shard.ErrUnavailable):
		w.blame("%s: %v", p.name, err)
	case err == nil && proposal.Plan != nil:
		w.stats.Plans++
		w.plans[cfg.Name] = append(w.plans[cfg.Name], proposal.Plan.Append(nil))
		w.note("%s: %s: plan %d of %d shards", p.name, cfg.Name, len(w.plans[cfg.Name]), len(proposal.Plan.Sources))
	}
}

// apply is one run of the apply job, with the latest plan or an old one.
func (w *world) apply(p *process, cfg ledger.Config) {
	for range 20 {
		if len(w.plans[cfg.Name]) > 0 {
			break
		}
		p.wait(w.delay())
	}
	plans := w.plans[cfg.Name]
	if len(plans) == 0 {
		return
	}
	number := len(plans) - 1
	if w.random.IntN(2) == 0 {
		number = w.random.IntN(len(plans))
	}
	out, err := compact.Apply(p.ctx, w.open(p, cfg.Name), cfg, plans[number], compact.ApplyOptions{
		Now: w.clock, Attempts: 6,
		Backoff: func(ctx context.Context, attempts int) error { return p.sleep(ctx, w.delay()*time.Duration(attempts)) },
	})
	if p.dead {
		w.stats.Crashes++
		w.note("%s: died", p.name)
		return
	}
	if err != nil {
		if !errors.Is(err, shard.ErrUnavailable) && !errors.Is(err, shard.ErrLocked) &&
			!errors.Is(err, shard.ErrOutcomeUnknown) && !errors.Is(err, shard.ErrHeadMoved) {
			w.blame("%s: %v", p.name, err)
		}
		w.note("%s: plan %d: %v", p.name, number+1, err)
		return
	}
	w.note("%s: plan %d: %s %s", p.name, number+1, out.Status, out.Reason)
	switch out.Status {
	case compact.Applied:
		w.stats.Applied++
	case compact.AlreadyApplied:
	case compact.Stale:
		w.stats.Stale++
	default: // no shard ever changes, so there is no conflict, and no plan is forged
		w.blame("%s: plan %d: %s %s", p.name, number+1, out.Status, out.Reason)
	}
}

// startReaders starts readers, each of which looks several times.
func (w *world) startReaders() {
	for _, cfg := range w.configs {
		w.start(w.delay(), "reader", 0, func(p *process) {
			seen := map[record.Hash]bool{}
			for range 2 + w.random.IntN(4) {
				p.wait(w.someTime() / 4)
				w.look(p, cfg.Name, seen)
			}
		})
	}
}

// look reads a branch, and checks that it is sound, and that nothing is missing
// that was acknowledged before, or that was seen before.
func (w *world) look(p *process, name string, seen map[record.Hash]bool) {
	must := map[record.Hash]bool{}
	for _, wish := range w.wanted {
		if wish.ledger == name && !wish.acked.IsZero() {
			must[wish.acked] = true
		}
	}
	snap, err := w.open(p, name).Snapshot(p.ctx, shard.ProjectionLimits())
	if errors.Is(err, shard.ErrUnavailable) {
		return
	}
	if err != nil {
		w.blame("%s: %v", p.name, err)
		return
	}
	h, err := ledger.Reconstruct(p.ctx, snap)
	if err == nil {
		err = h.Err()
	}
	if err != nil {
		w.blame("%s: %s: %v", p.name, name, err)
		return
	}
	w.stats.Views++
	for _, r := range h.Records() {
		delete(must, r.SHA())
		delete(seen, r.SHA())
	}
	if len(must) > 0 {
		w.blame("%s: %s: %d acknowledged records are not there", p.name, name, len(must))
	}
	if len(seen) > 0 {
		w.blame("%s: %s: %d records have gone", p.name, name, len(seen))
	}
	for _, r := range h.Records() {
		seen[r.SHA()] = true
	}
}

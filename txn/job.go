package txn

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// job is one ledger's batch on its way to its branch.
type job struct {
	transactionID string
	cfg           ledger.Config
	appends       []Append
	opts          Options
	log           *slog.Logger
	result        LedgerResult

	losses int               // to other writers
	shards map[shard.ID]bool // that were there when the branch was read last
	seen   []record.Hash     // heads of the history when it was read last

	// A push was sent at this head and its fate is unknown. As long as the
	// branch is still there, it may land yet.
	unclear   bool
	unclearAt shard.Head
}

// run tries until the batch is durable or cannot become so.
func (j *job) run(ctx context.Context, branches Branches) {
	branch, err := branches(ctx, j.cfg)
	if err == nil {
		err = j.try(ctx, branch)
	}
	j.settle(err)
	if err != nil {
		j.log.Warn("batch is not durable", "status", j.result.Status, "code", j.result.Code, "pushes", j.result.Pushes)
		return
	}
	j.log.Info("batch is durable", "status", j.result.Status, "persisted", j.result.Persisted,
		"already_present", j.result.AlreadyPresent, "commit", j.result.Commit, "pushes", j.result.Pushes)
}

func (j *job) try(ctx context.Context, branch shard.Branch) error {
	failures := 0
	for {
		began := j.opts.Now()
		err := j.attempt(ctx, branch)
		if err == nil {
			return nil
		}
		next := nextStep(err)
		var window time.Duration
		switch {
		case next == giveUp || ctx.Err() != nil:
			return j.final(ctx, err)
		case j.result.Pushes >= j.opts.Attempts || j.losses > j.opts.Attempts:
			return j.final(ctx, fmt.Errorf("%w: %w", ErrAttempts, err))
		case next == rename:
			continue
		case next == contend:
			failures = 0
			j.losses++
			window = j.opts.Backoff.contention(j.losses, j.opts.Now().Sub(began))
		case next == persevere:
			if failures++; failures >= stubborn {
				return j.final(ctx, err)
			}
			window = j.opts.Backoff.trouble(failures)
		}
		j.log.Debug("trying again", "code", codeOf(err), "pushes", j.result.Pushes)
		if err := j.opts.Backoff.wait(ctx, window); err != nil {
			return j.final(ctx, err)
		}
	}
}

// final is the error that is reported. As long as the fate of a push is not
// known, no other reason may hide that.
func (j *job) final(ctx context.Context, err error) error {
	if ctx.Err() != nil && !errors.Is(err, ctx.Err()) {
		err = fmt.Errorf("%w: %w", ctx.Err(), err)
	}
	if j.unclear && !errors.Is(err, shard.ErrOutcomeUnknown) {
		err = fmt.Errorf("%w: %w", shard.ErrOutcomeUnknown, err)
	}
	return err
}

// step is what to do after an attempt that failed.
type step int

const (
	giveUp    step = iota
	contend        // another writer was faster: wait and try again
	persevere      // the branch is not usable at the moment: wait, but not often
	rename         // the shard's ID is taken: take another at once
)

func nextStep(err error) step {
	switch {
	case errors.Is(err, shard.ErrIdentityCollision):
		return rename
	case errors.Is(err, shard.ErrHeadMoved), errors.Is(err, errCrowded):
		return contend
	case errors.Is(err, shard.ErrLocked), errors.Is(err, shard.ErrUnavailable),
		errors.Is(err, shard.ErrOutcomeUnknown), errors.Is(err, ErrBranchLost):
		return persevere
	}
	return giveUp
}

// attempt reads the branch, validates everything against it, and commits what
// is not there yet.
func (j *job) attempt(ctx context.Context, branch shard.Branch) error {
	limits := shard.ProjectionLimits()
	j.result.Fetches++
	snap, err := branch.Snapshot(ctx, limits)
	if err != nil {
		if errors.Is(err, shard.ErrTooLarge) {
			return fmt.Errorf("%w: %w", ErrBranchFull, err)
		}
		return err
	}
	j.forget()
	h, err := ledger.Reconstruct(ctx, snap)
	if err != nil {
		return err
	}
	if err := h.Err(); err != nil {
		return err
	}
	if err := j.checkLoss(h); err != nil {
		return err
	}
	missing, err := j.reconcile(h)
	if err != nil {
		return err
	}
	if snap.Head != j.unclearAt {
		j.unclear = false // what was sent has landed, or never will
	}
	if len(missing) == 0 {
		j.result.Status, j.result.Commit = AlreadyPresent, snap.Head
		return nil
	}
	if j.crowded(snap) {
		return errCrowded
	}
	return j.commit(ctx, branch, snap, h, missing, limits)
}

// checkLoss makes sure that the history still has what it had when it was read
// before. A branch that was deleted or rewound is not written to.
func (j *job) checkLoss(h *ledger.History) error {
	if len(j.seen) > 0 {
		gone := make(map[record.Hash]struct{}, len(j.seen))
		for _, sha := range j.seen {
			gone[sha] = struct{}{}
		}
		for _, r := range h.Records() {
			delete(gone, r.SHA())
		}
		if len(gone) > 0 {
			return ErrBranchLost
		}
	}
	j.seen = h.Heads()
	return nil
}

// errCrowded: there are many other writers; give way before pushing.
var errCrowded = errors.New("txn: gave way to other writers")

// crowded reports whether several commits have landed since the first loss. It
// does so once for a batch: who gives way each time never gets through.
func (j *job) crowded(snap *shard.Snapshot) bool {
	fresh := 0
	now := make(map[shard.ID]bool, len(snap.Shards))
	for _, s := range snap.Shards {
		now[s.ID] = true
		if !j.shards[s.ID] {
			fresh++
		}
	}
	j.shards = now
	return j.losses == 1 && fresh >= 2
}

package compact

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// ApplyOptions are the settings of [Apply]. The zero value is right.
type ApplyOptions struct {
	Now      func() time.Time // nil is time.Now; gives last_applied_at
	Attempts int              // how often the branch is read at most; 0 is 10
	Backoff  Backoff          // nil waits 100 ms, then twice as long each time, up to 5 s
}

const defaultAttempts = 10

// Apply validates a plan, which is hostile input, against the configured
// ledger and the latest state of its branch, and publishes it as one commit
// under the head that it was validated against (S5.3, S5.4). When the branch
// moves meanwhile it looks and validates again; it never overwrites.
//
// The outcome says what became of the plan; anything but [Applied] has changed
// nothing. A plan that is [Rejected] is also an error, a [*RejectedError]. Any
// other error comes without an outcome: the branch could not be read or
// written within the attempts, or holds more than [shard.MaintenanceLimits] (it
// matches the branch's error, such as [shard.ErrUnavailable]), or the context
// ended. Applying again is always safe.
func Apply(ctx context.Context, b shard.Branch, cfg ledger.Config, plan []byte, o ApplyOptions) (*Outcome, error) {
	a, err := newApplication(cfg, plan, o)
	if err != nil {
		return rejected(cfg, err)
	}
	for {
		v, head, err := a.look(ctx, b)
		if err == nil && v.status != Ready {
			return a.conclude(v)
		}
		if err == nil {
			head, err = b.Commit(ctx, head, v.change)
		}
		switch {
		case err == nil:
			v.status = Applied
			a.outcome.Head = head
			return a.conclude(v)
		case errors.Is(err, shard.ErrIdentityCollision):
			return a.conclude(verdict{status: Conflict, reason: about(PlaceTaken, a.plan.Replacement.ID)})
		case !again(err) || a.outcome.Attempts >= a.options.Attempts:
			return nil, a.unable(err)
		}
		if err := a.options.Backoff(ctx, a.outcome.Attempts); err != nil {
			return nil, a.unable(err)
		}
	}
}

// again reports whether another look at the branch may help.
func again(err error) bool {
	return errors.Is(err, shard.ErrHeadMoved) || errors.Is(err, shard.ErrOutcomeUnknown) ||
		errors.Is(err, shard.ErrShardMissing) || errors.Is(err, shard.ErrUnavailable) || errors.Is(err, shard.ErrLocked)
}

// application is a plan on its way.
type application struct {
	cfg     ledger.Config
	plan    *Plan
	id      record.Hash
	options ApplyOptions
	outcome Outcome
}

func newApplication(cfg ledger.Config, data []byte, o ApplyOptions) (*application, error) {
	if err := policy(cfg); err != nil {
		return nil, err
	}
	p, err := ParsePlan(data)
	if err != nil {
		return nil, err
	}
	if err := p.fits(cfg); err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Attempts <= 0 {
		o.Attempts = defaultAttempts
	}
	if o.Backoff == nil {
		o.Backoff = wait
	}
	a := &application{cfg: cfg, plan: p, id: p.ID(), options: o}
	a.outcome = Outcome{Ledger: p.Ledger, Trigger: p.Trigger, PlanID: a.id, Replacement: p.Replacement.ID}
	return a, nil
}

// look reads the branch and judges the plan by it.
func (a *application) look(ctx context.Context, r shard.Reader) (verdict, shard.Head, error) {
	a.outcome.Attempts++
	snap, err := r.Snapshot(ctx, shard.MaintenanceLimits())
	if err != nil {
		return verdict{}, "", err
	}
	a.outcome.Head = snap.Head
	c, err := verify(ctx, a.cfg.Name, snap)
	if err != nil {
		return verdict{}, "", err
	}
	v, err := c.judge(a.plan, a.id, a.options.Now())
	return v, snap.Head, err
}

func (a *application) conclude(v verdict) (*Outcome, error) {
	a.outcome.Status, a.outcome.Reason, a.outcome.Stats = v.status, v.reason, v.stats
	if v.status == Rejected {
		return &a.outcome, &RejectedError{a.cfg.Name, v.reason}
	}
	return &a.outcome, nil
}

// unable is the error of a plan whose fate could not be decided.
func (a *application) unable(err error) error {
	return fmt.Errorf("compact: ledger %s: no verdict on the plan after %d attempts: %w", a.cfg.Name, a.outcome.Attempts, err)
}

// rejected is the outcome of bytes that are no plan for this ledger.
func rejected(cfg ledger.Config, err error) (*Outcome, error) {
	var r *RejectedError
	if !errors.As(err, &r) {
		return nil, err
	}
	return &Outcome{Status: Rejected, Reason: r.Reason, Ledger: cfg.Name}, &RejectedError{cfg.Name, r.Reason}
}

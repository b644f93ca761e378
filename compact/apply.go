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

// Backoff waits before another attempt, of which there have been some already.
// It MUST return soon after ctx ends, with its error.
type Backoff func(ctx context.Context, attempts int) error

const (
	defaultAttempts = 10
	firstWait       = 100 * time.Millisecond
	longestWait     = 5 * time.Second
)

// Outcome is what became of a plan.
type Outcome struct {
	Status      Status      `json:"status"`
	Reason      Reason      `json:"reason"`
	Ledger      string      `json:"ledger,omitempty"`
	Trigger     Trigger     `json:"trigger,omitempty"`
	PlanID      record.Hash `json:"plan_id,omitzero"`
	Replacement shard.ID    `json:"replacement,omitzero"`
	Stats       Stats       `json:"stats,omitzero"` // of a plan that was, or would be, applied
	Head        shard.Head  `json:"head,omitempty"` // of the branch, as far as this call knows
	Attempts    int         `json:"attempts,omitempty"`
}

// Apply validates a plan, which is hostile input, against the configured
// ledger and the latest state of its branch, and publishes it as one commit
// under the head that it was validated against (S5.3, S5.4). When the branch
// moves meanwhile it looks and validates again; it never overwrites.
//
// The outcome says what became of the plan; anything but [Applied] has changed
// nothing. A plan that is [Rejected] is also an error, a [*RejectedError]. Any
// other error comes without an outcome: the branch could not be read or
// written within the attempts (it matches the branch's error, such as
// [shard.ErrUnavailable]), or the context ended. Applying again is always safe.
func Apply(ctx context.Context, b shard.Branch, cfg ledger.Config, plan []byte, o ApplyOptions) (*Outcome, error) {
	a, err := newApplication(cfg, plan, o)
	if err != nil {
		return rejected(err)
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
			return a.conclude(verdict{status: Conflict, reason: about(ReplacementTaken, a.plan.Replacement.ID)})
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
		return &a.outcome, &RejectedError{v.reason}
	}
	return &a.outcome, nil
}

// unable is the error of a plan whose fate could not be decided.
func (a *application) unable(err error) error {
	return fmt.Errorf("compact: ledger %s: plan not applied after %d attempts: %w", a.cfg.Name, a.outcome.Attempts, err)
}

// rejected is the outcome of bytes that are no plan for this ledger.
func rejected(err error) (*Outcome, error) {
	var r *RejectedError
	if !errors.As(err, &r) {
		return nil, err
	}
	return &Outcome{Status: Rejected, Reason: r.Reason}, err
}

// wait is the default Backoff.
func wait(ctx context.Context, attempts int) error {
	d := firstWait
	for range attempts - 1 {
		if d *= 2; d >= longestWait {
			d = longestWait
			break
		}
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

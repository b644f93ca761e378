package compact

import (
	"context"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// ProposeOptions are the settings of [Propose]. The zero value is a scheduled
// run, now.
type ProposeOptions struct {
	Trigger    Trigger          // "" is Scheduled
	Now        func() time.Time // nil is time.Now
	BaseCommit string           // "" is the head that was read; 40 or 64 lower-case hexadecimal digits
}

// Proposal is the answer of [Propose].
type Proposal struct {
	Due      bool
	Reason   Reason     // why it is due or not; when it is due and has no plan, why not
	Plan     *Plan      // nil when there is nothing to do
	Selected []shard.ID // the shards whose records the plan merges
	Stats    Stats      // what applying the plan would do
	Eligible int        // shards that could be sources, when the ledger is due
	Invalid  int        // shards with a malformed line, or that are no regular file; never sources
	Head     shard.Head // what was read
}

// Stats says what a plan does. It holds counts only.
type Stats struct {
	SourceSegments     int   `json:"source_segments"`
	SourceRecords      int   `json:"source_records"` // of each source, summed
	ReplacementRecords int   `json:"replacement_records"`
	BytesBefore        int64 `json:"bytes_before"` // sources, and the replacement when it is there already
	BytesAfter         int64 `json:"bytes_after"`
	UnrelatedSegments  int   `json:"unrelated_segments"` // valid shards that stay as they are
}

// Propose reads a branch, up to [shard.MaintenanceLimits] (8192 files and 256
// MiB), decides whether its ledger is due, and makes a plan when there is
// something to merge (S4.2, S5.3-02). It writes nothing. That nothing is due or fits is no error: the
// proposal says why. An error is an unusable configuration or option, what the
// reader returned, or the context's.
func Propose(ctx context.Context, r shard.Reader, cfg ledger.Config, o ProposeOptions) (*Proposal, error) {
	if err := policy(cfg); err != nil {
		return nil, err
	}
	if o.Trigger == "" {
		o.Trigger = Scheduled
	}
	if !o.Trigger.valid() {
		return nil, fmt.Errorf("compact: ledger %s: unknown trigger", cfg.Name)
	}
	if o.BaseCommit != "" && !validCommit(o.BaseCommit) {
		return nil, fmt.Errorf("compact: ledger %s: base commit is not a commit", cfg.Name)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	snap, err := r.Snapshot(ctx, shard.MaintenanceLimits())
	if err != nil {
		return nil, fmt.Errorf("compact: ledger %s: %w", cfg.Name, err)
	}
	now := o.Now()
	p := &Proposal{Head: snap.Head}
	p.Due, p.Reason.Code = due(cfg.Compaction, o.Trigger, stateOf(cfg.Name, snap.State), now)
	if !p.Due {
		return p, nil
	}
	c, err := verify(ctx, cfg.Name, snap)
	if err == nil {
		err = p.plan(ctx, c, cfg)
	}
	if err != nil {
		return nil, fmt.Errorf("compact: ledger %s: %w", cfg.Name, err)
	}
	if p.Plan == nil {
		return p, nil
	}
	p.Plan.Trigger = o.Trigger
	p.Plan.CreatedAt = record.FormatTime(now)
	p.Plan.BaseCommit = baseCommit(o.BaseCommit, snap.Head)
	return p, nil
}

// plan makes the proposal's plan, or says why there is none.
func (p *Proposal) plan(ctx context.Context, c *contents, cfg ledger.Config) error {
	_, p.Invalid = c.count()
	s, err := c.choose(ctx, cfg)
	if err != nil {
		return err
	}
	p.Eligible = s.eligible
	if s.sources == nil {
		p.Reason = s.reason
		return nil
	}
	add, err := c.replacement(s.sources)
	if err != nil {
		return err
	}
	plan := &Plan{Ledger: cfg.Name, Branch: cfg.Branch()}
	var all []record.Record
	for _, i := range s.sources {
		id := c.snap.Shards[i].ID
		p.Selected = append(p.Selected, id)
		all = append(all, c.held[i].Records...)
		if id != add.ID { // merged before into a shard that has all of it
			plan.Sources = append(plan.Sources, c.describe(i))
		}
	}
	plan.Replacement = describe(add.ID, add.Data, all)
	p.Plan = plan
	p.Stats = c.stats(plan)
	return nil
}

// stats returns what the plan does to the branch.
func (c *contents) stats(p *Plan) Stats {
	valid, _ := c.count()
	s := Stats{
		SourceSegments:     len(p.Sources),
		ReplacementRecords: len(p.Replacement.Records),
		BytesAfter:         p.Replacement.Bytes,
		UnrelatedSegments:  valid - len(p.Sources),
	}
	for i := range p.Sources {
		s.SourceRecords += len(p.Sources[i].Records)
		s.BytesBefore += p.Sources[i].Bytes
	}
	if i, ok := c.index[p.Replacement.ID]; ok && c.valid(i) {
		s.BytesBefore += p.Replacement.Bytes
		s.UnrelatedSegments--
	}
	return s
}

// baseCommit returns the commit that a plan names. The head of a branch that
// has no commits is named by its digest.
func baseCommit(given string, head shard.Head) string {
	switch {
	case given != "":
		return given
	case validCommit(string(head)):
		return string(head)
	}
	h := record.Sum([]byte(head))
	return hex.EncodeToString(h[:])
}

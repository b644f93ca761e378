package compact

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// verdict is what a plan means for a branch at one head.
type verdict struct {
	status Status
	reason Reason
	change shard.Change // when ready
	stats  Stats        // when ready
}

// fits checks a parsed plan against the configured ledger (S5.3-05).
func (p *Plan) fits(cfg ledger.Config) error {
	switch {
	case cfg.Compaction.Disabled:
		return &RejectedError{Reason{Code: NotDueDisabled}}
	case p.Ledger != cfg.Name:
		return reject("ledger")
	case p.Branch != cfg.Branch():
		return reject("branch")
	case len(p.Sources) > cfg.Compaction.MaxSegments:
		return reject("sources")
	case p.Replacement.Bytes > cfg.Limits.SegmentBytes:
		return reject("replacement.bytes")
	}
	for i := range p.Sources {
		if p.Sources[i].Bytes > cfg.Limits.SegmentBytes {
			return reject(fmt.Sprintf("sources[%d].bytes", i))
		}
	}
	return nil
}

// judge compares the plan with what the branch holds (S5.3-06, -09, -10).
func (c *contents) judge(p *Plan, id record.Hash, now time.Time) (verdict, error) {
	var sources []int
	var gone []shard.ID
	for s := range p.Sources {
		i, ok := c.index[p.Sources[s].ID]
		switch {
		case !ok:
			gone = append(gone, p.Sources[s].ID)
			continue
		case !c.valid(i):
			return verdict{status: Conflict, reason: about(SourceMalformed, p.Sources[s].ID)}, nil
		}
		if have := c.describe(i); !have.equal(&p.Sources[s]) {
			return verdict{status: Conflict, reason: about(SourceChanged, p.Sources[s].ID)}, nil
		}
		sources = append(sources, i)
	}
	present, taken := c.find(&p.Replacement)
	switch {
	case taken:
		return verdict{status: Conflict, reason: about(ReplacementTaken, p.Replacement.ID)}, nil
	case len(sources) == 0 && (present >= 0 || c.state.recalls(id)):
		return verdict{status: AlreadyApplied, reason: about(SourcesRetired, gone...)}, nil
	case len(sources) == 0:
		return verdict{status: Stale, reason: about(SourcesGone, gone...)}, nil
	case len(gone) > 0:
		return verdict{status: Stale, reason: about(SomeSourcesGone, gone...)}, nil
	}
	return c.transition(p, id, sources, present, now)
}

// find looks for the replacement: its index, or -1 when it is not there. It is
// taken when a shard with that ID has other content (S9-12).
func (c *contents) find(s *Segment) (present int, taken bool) {
	i, ok := c.index[s.ID]
	if !ok {
		return -1, false
	}
	sh := &c.snap.Shards[i]
	if !c.valid(i) || sh.Size != s.Bytes || record.Sum(sh.Data) != s.SHA256 {
		return -1, true
	}
	return i, false
}

// transition rebuilds the replacement from the branch's own records and proves
// that deleting the sources loses nothing (S5.4-01, S6-04, S9-01). present is
// the index of the replacement when it is there already.
func (c *contents) transition(p *Plan, id record.Hash, sources []int, present int, now time.Time) (verdict, error) {
	from := sources
	if present >= 0 {
		from = []int{present}
	}
	add, err := c.replacement(from)
	if err != nil {
		return verdict{}, err
	}
	rebuilt, err := reread(add)
	if err != nil || !rebuilt.equal(&p.Replacement) {
		return verdict{status: Rejected, reason: about(ReplacementForged, p.Replacement.ID)}, nil
	}
	if !c.lossless(sources, rebuilt.Records) {
		return verdict{status: Rejected, reason: about(RecordsWouldBeLost, p.Replacement.ID)}, nil
	}
	v := verdict{status: Ready, reason: Reason{Code: Verified}, stats: c.stats(p)}
	if present < 0 {
		v.change.Add = []shard.Addition{add}
	}
	for i := range p.Sources {
		v.change.Delete = append(v.change.Delete, p.Sources[i].ID)
	}
	v.change.State = c.state.after(p, id, now).Append(nil)
	v.change.Message = fmt.Sprintf("Compact %d segments into %s\n\nRecords: %d\nPlan: %s\n",
		len(p.Sources), p.Replacement.ID, len(rebuilt.Records), id)
	return v, nil
}

// reread describes a replacement by the bytes that would be published, not by
// the records that went into them.
func reread(add shard.Addition) (Segment, error) {
	var records []record.Record
	for line, err := range record.Lines(add.Data) {
		if err != nil {
			return Segment{}, err
		}
		records = append(records, line.Record)
	}
	return describe(add.ID, add.Data, records), nil
}

// lossless reports whether the set of records on the branch is the same once
// the sources are gone and the replacement is there.
func (c *contents) lossless(sources []int, replacement []record.Hash) bool {
	const before, after = 1, 2
	total := 0
	for i := range c.held {
		total += len(c.held[i].Records)
	}
	visible := make(map[record.Hash]uint8, total)
	for i := range c.held {
		when := uint8(before | after)
		if slices.Contains(sources, i) {
			when = before
		}
		for r := range c.held[i].Records {
			visible[c.held[i].Records[r].SHA()] |= when
		}
	}
	for _, sha := range replacement {
		visible[sha] |= after
	}
	for _, when := range visible {
		if when != before|after {
			return false
		}
	}
	return true
}

// Check validates a plan against a branch as [Apply] does, and changes nothing.
// A plan that would be applied has the status [Ready].
func Check(ctx context.Context, r shard.Reader, cfg ledger.Config, plan []byte, o ApplyOptions) (*Outcome, error) {
	a, err := newApplication(cfg, plan, o)
	if err != nil {
		return rejected(err)
	}
	v, _, err := a.look(ctx, r)
	if err != nil {
		return nil, a.unable(err)
	}
	return a.conclude(v)
}

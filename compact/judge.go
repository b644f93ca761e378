package compact

import (
	"time"

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
	case len(sources) == 0 && (present >= 0 || c.state.recalls(id)):
		return verdict{status: AlreadyApplied, reason: about(SourcesRetired, gone...)}, nil
	case taken:
		return verdict{status: Conflict, reason: about(ReplacementTaken, p.Replacement.ID)}, nil
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

package compact

import (
	"context"
	"fmt"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/shard"
)

// Check validates a plan against a branch as [Apply] does, and changes nothing.
// A plan that would be applied has the status [Ready].
func Check(ctx context.Context, r shard.Reader, cfg ledger.Config, plan []byte, o ApplyOptions) (*Outcome, error) {
	a, err := newApplication(cfg, plan, o)
	if err != nil {
		return rejected(cfg, err)
	}
	v, _, err := a.look(ctx, r)
	if err != nil {
		return nil, a.unable(err)
	}
	return a.conclude(v)
}

// fits checks a parsed plan against the configured ledger (S5.3-05).
func (p *Plan) fits(cfg ledger.Config) error {
	switch {
	case cfg.Compaction.Disabled:
		return because(NotDueDisabled)
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

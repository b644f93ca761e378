package compact

import (
	"fmt"

	"github.com/gitledger/gitledger/internal/compaction"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/shard"
)

// What the wire format fixes.
const (
	PlanVersion  = compaction.PlanVersion
	StateVersion = compaction.StateVersion

	MaxPlanBytes   = 16 << 20                  // one plan
	MaxPlanSources = 256                       // sources of one plan
	MaxPlanRecords = 100_000                   // records of all its sources together, and of its replacement
	MaxRecentPlans = compaction.MaxRecentPlans // plan IDs that the state file remembers
)

// Trigger says why maintenance looks at a ledger.
type Trigger string

const (
	Scheduled Trigger = compaction.Scheduled // maintenance came round
	Requested Trigger = compaction.Requested // somebody asked for it; see [Requests]
)

func (t Trigger) valid() bool { return compaction.ValidTrigger(string(t)) }

// policy checks that a configuration can be worked with. One that was written
// by hand and left incomplete must not pass for a ledger that is never due
// (S9-15).
func policy(cfg ledger.Config) error {
	c := cfg.Compaction
	switch {
	case !ledger.ValidName(cfg.Name):
		return fmt.Errorf("compact: configuration: invalid ledger name")
	case cfg.Limits.SegmentBytes < 1 || cfg.Limits.SegmentBytes > shard.MaintenanceLimits().FileBytes:
		return fmt.Errorf("compact: configuration of ledger %s: max-segment-kb is out of range", cfg.Name)
	case c.Disabled:
		return nil
	case c.MinSegments < 2 || c.MinSegments > c.MaxSegments || c.MaxSegments > MaxPlanSources:
		return fmt.Errorf("compact: configuration of ledger %s: min-segments and max-segments are out of range", cfg.Name)
	}
	if _, known := interval(c.Schedule); !known {
		return fmt.Errorf("compact: configuration of ledger %s: unknown schedule", cfg.Name)
	}
	return nil
}

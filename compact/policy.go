package compact

import (
	"errors"
	"fmt"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/shard"
)

// policy checks that a configuration can be worked with. One that was written
// by hand and left incomplete must not pass for a ledger that is never due
// (S9-15).
func policy(cfg ledger.Config) error {
	c := cfg.Compaction
	switch {
	case !ledger.ValidName(cfg.Name):
		return errors.New("compact: configuration: invalid ledger name")
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

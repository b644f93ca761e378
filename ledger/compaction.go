package ledger

import "slices"

// Schedule says how often maintenance considers a ledger for compaction.
type Schedule string

// How often: a daily or weekly ledger is due some hours early, since maintenance
// does not come round to the minute.
const (
	Daily  Schedule = "daily"
	Weekly Schedule = "weekly"
	Manual Schedule = "manual" // only when a run asks for it
)

// Schedules returns the schedules that exist (S7-06).
func Schedules() []Schedule { return []Schedule{Daily, Weekly, Manual} }

// Compaction is a ledger's compaction policy. Counts are segments (shards),
// never KiB (S9-15).
type Compaction struct {
	Disabled    bool     // compaction: false; the other fields are zero then
	Schedule    Schedule // daily, weekly or manual
	MinSegments int      // below this many segments nothing is due: 2–256
	MaxSegments int      // at most this many are merged by one plan: MinSegments–256
}

const (
	minSegmentCount     = 2
	maxSegmentCount     = 256
	standardMinSegments = 32
	standardMaxSegments = 128
)

// DefaultCompaction is the policy of a ledger that states none (S7-05).
func DefaultCompaction() Compaction {
	return Compaction{Schedule: Daily, MinSegments: standardMinSegments, MaxSegments: standardMaxSegments}
}

func (p Compaction) valid() bool {
	if p.Disabled {
		return p == Compaction{Disabled: true}
	}
	return slices.Contains(Schedules(), p.Schedule) &&
		minSegmentCount <= p.MinSegments && p.MinSegments <= p.MaxSegments && p.MaxSegments <= maxSegmentCount
}

package compact

import (
	"time"

	"github.com/gitledger/gitledger/internal/compaction"
	"github.com/gitledger/gitledger/ledger"
)

// Intervals between two scheduled compactions: four hours short of the
// schedule's name, since maintenance does not come round to the minute.
const (
	dailyInterval  = 20 * time.Hour
	weeklyInterval = 164 * time.Hour
)

// interval returns how long after the last compaction a schedule is due; zero
// is never. known is false for a schedule that does not exist.
func interval(s ledger.Schedule) (every time.Duration, known bool) {
	switch s {
	case ledger.Daily:
		return dailyInterval, true
	case ledger.Weekly:
		return weeklyInterval, true
	case ledger.Manual:
		return 0, true
	}
	return 0, false
}

// due decides whether maintenance considers the ledger at all, and says why. A
// nil state is a ledger that was never compacted. One that is said to
// be in the future, by the clock of another machine, is waited for as any other
// is; a request does not wait.
func due(c ledger.Compaction, trigger Trigger, state *State, now time.Time) (bool, Code) {
	if c.Disabled {
		return false, NotDueDisabled
	}
	if trigger == Requested {
		return true, DueRequested
	}
	every, _ := interval(c.Schedule)
	if every == 0 {
		return false, NotDueManual
	}
	if state == nil {
		return true, DueFirst
	}
	last, _ := compaction.Instant(state.LastAppliedAt)
	if now.Sub(last) < every {
		return false, NotDueYet
	}
	return true, DueSchedule
}

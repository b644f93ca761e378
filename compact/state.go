package compact

import (
	"errors"
	"slices"
	"time"

	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/internal/compaction"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
)

// What the wire format fixes of the state file.
const (
	StateVersion   = compaction.StateVersion
	MaxRecentPlans = compaction.MaxRecentPlans // plan IDs that it remembers
)

// State is what a branch remembers of compaction, in the file shard.StatePath.
type State struct {
	Ledger        string
	LastPlanID    record.Hash
	LastTrigger   Trigger
	LastAppliedAt string        // UTC, as Plan.CreatedAt
	RecentPlanIDs []record.Hash // newest first, at most MaxRecentPlans
}

// ErrInvalidState is returned for a state file that must be treated as absent.
var ErrInvalidState = errors.New("compact: invalid compaction state")

// ParseState reads a state file strictly: exactly the six keys, no key twice,
// nothing after it but white space. The error matches [ErrInvalidState].
func ParseState(data []byte) (*State, error) {
	read, ok := compaction.ParseState(data)
	if !ok || !ledger.ValidName(read.Ledger) {
		return nil, ErrInvalidState
	}
	return &State{
		Ledger:        read.Ledger,
		LastPlanID:    read.LastPlanID,
		LastTrigger:   Trigger(read.LastTrigger),
		LastAppliedAt: read.LastAppliedAt,
		RecentPlanIDs: read.RecentPlanIDs,
	}, nil
}

// Append appends the state file's bytes to dst: canonical JSON and a newline.
func (s *State) Append(dst []byte) []byte {
	dst = append(dst, `{"last_applied_at":`...)
	dst = canonical.AppendQuoted(dst, s.LastAppliedAt)
	dst = append(dst, `,"last_plan_id":"`...)
	dst = s.LastPlanID.AppendText(dst)
	dst = append(dst, `","last_trigger":`...)
	dst = canonical.AppendQuoted(dst, string(s.LastTrigger))
	dst = append(dst, `,"ledger":`...)
	dst = canonical.AppendQuoted(dst, s.Ledger)
	dst = append(dst, `,"recent_plan_ids":`...)
	dst = appendHashes(dst, s.RecentPlanIDs)
	return append(dst, `,"version":"`+StateVersion+"\"}\n"...)
}

// stateOf returns the state of a ledger, nil when the file is absent, invalid
// or another ledger's.
func stateOf(name string, data []byte) *State {
	if data == nil {
		return nil
	}
	s, err := ParseState(data)
	if err != nil || s.Ledger != name {
		return nil
	}
	return s
}

// recalls reports whether the plan is among those that were applied last.
func (s *State) recalls(plan record.Hash) bool {
	return s != nil && (s.LastPlanID == plan || slices.Contains(s.RecentPlanIDs, plan))
}

// after returns the state once the plan was applied. The receiver may be nil.
func (s *State) after(p *Plan, id record.Hash, at time.Time) *State {
	recent := []record.Hash{id}
	if s != nil {
		for _, old := range s.RecentPlanIDs {
			if old != id && len(recent) < MaxRecentPlans {
				recent = append(recent, old)
			}
		}
	}
	return &State{
		Ledger:        p.Ledger,
		LastPlanID:    id,
		LastTrigger:   p.Trigger,
		LastAppliedAt: record.FormatTime(at),
		RecentPlanIDs: recent,
	}
}

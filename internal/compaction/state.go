package compaction

import (
	"slices"

	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// State is what the state file says.
type State struct {
	Ledger        string // any text
	LastPlanID    record.Hash
	LastTrigger   string
	LastAppliedAt string
	RecentPlanIDs []record.Hash
}

// Names reports whether the plan is the last one that was applied, and among
// the recent ones.
func (s *State) Names(plan record.Hash) bool {
	return s.LastPlanID == plan && slices.Contains(s.RecentPlanIDs, plan)
}

// ParseState reads a state file strictly: exactly the six keys, no key twice,
// nothing after it but white space. Whether the ledger's name is one is for
// the caller to see.
func ParseState(data []byte) (State, bool) {
	var s State
	if int64(len(data)) > shard.MaintenanceLimits().StateBytes() {
		return s, false
	}
	text, err := canonical.Append(nil, data, canonical.Refuse)
	if err != nil {
		return s, false
	}
	v, ok := canonical.Exact(text, "version", "ledger", "last_plan_id", "last_trigger", "last_applied_at", "recent_plan_ids")
	if !ok || !canonical.IsArray(v[5]) {
		return s, false
	}
	version, _ := canonical.Text(v[0])
	s.Ledger, _ = canonical.Text(v[1])
	s.LastTrigger, _ = canonical.Text(v[3])
	s.LastAppliedAt, _ = canonical.Text(v[4])
	_, instant := Instant(s.LastAppliedAt)
	s.LastPlanID, ok = Digest(v[2])
	if version != StateVersion || !ValidTrigger(s.LastTrigger) || !instant || !ok {
		return State{}, false
	}
	for e := range canonical.Elements(v[5]) {
		id, ok := Digest(e)
		if !ok || len(s.RecentPlanIDs) == MaxRecentPlans {
			return State{}, false
		}
		s.RecentPlanIDs = append(s.RecentPlanIDs, id)
	}
	return s, true
}

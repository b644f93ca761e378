package compact

import (
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// Status is what became of a plan.
type Status string

const (
	Ready          Status = "ready"           // [Check] only: the plan would be applied
	Applied        Status = "applied"         // published by this call
	AlreadyApplied Status = "already_applied" // its effect is there; nothing changed
	Stale          Status = "stale"           // sources are gone; nothing changed, plan again
	Conflict       Status = "conflict"        // a shard is not what the plan says; nothing changed, plan again
	Rejected       Status = "rejected"        // not a plan that this ledger may apply; nothing changed
)

// Outcome is what became of a plan.
type Outcome struct {
	Status      Status      `json:"status"`
	Reason      Reason      `json:"reason"`
	Ledger      string      `json:"ledger,omitempty"`
	Trigger     Trigger     `json:"trigger,omitempty"`
	PlanID      record.Hash `json:"plan_id,omitzero"`
	Replacement shard.ID    `json:"replacement,omitzero"`
	Stats       Stats       `json:"stats,omitzero"` // of a plan that was, or would be, applied
	Head        shard.Head  `json:"head,omitempty"` // of the branch, as far as this call knows
	Attempts    int         `json:"attempts,omitempty"`
}

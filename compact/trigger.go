package compact

import "github.com/gitledger/gitledger/internal/compaction"

// Trigger says why maintenance looks at a ledger.
type Trigger string

const (
	Scheduled Trigger = compaction.Scheduled // maintenance came round
	Requested Trigger = compaction.Requested // somebody asked for it; see [Requests]
)

func (t Trigger) valid() bool { return compaction.ValidTrigger(string(t)) }

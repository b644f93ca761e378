package txn

import (
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// Status is what became of one ledger's batch.
type Status string

// What became of a batch; only the first two are durable.
const (
	Persisted      Status = "persisted"       // written by this call, and confirmed
	AlreadyPresent Status = "already_present" // all of it was on the branch
	Rejected       Status = "rejected"        // the latest state does not admit it; nothing was written
	Conflict       Status = "conflict"        // an ID is on the branch with other content; nothing was written
	Failed         Status = "failed"          // nothing was written
	Unknown        Status = "unknown"         // a push was sent and its fate could not be learnt; persist again
)

// Durable reports whether the whole batch is on the branch for certain (S5.2-07).
func (s Status) Durable() bool { return s == Persisted || s == AlreadyPresent }

// Result is what [Persist] did. It holds no value of any record (S5.2-06).
type Result struct {
	TransactionID string         `json:"transaction_id"`
	Ledgers       []LedgerResult `json:"ledgers"` // by name

	// AuditFailed says that an audit entry could not be written.
	AuditFailed bool `json:"audit_failed,omitempty"`
}

// Durable reports whether every ledger's batch is on its branch.
func (r *Result) Durable() bool {
	for _, l := range r.Ledgers {
		if !l.Status.Durable() {
			return false
		}
	}
	return true
}

// LedgerResult is what became of one ledger's batch. Requested is the number
// of its requests, Validated that of those that passed every check, those
// against the latest state included.
type LedgerResult struct {
	Ledger string      `json:"ledger"`
	Type   ledger.Type `json:"type"`
	Branch string      `json:"branch"`
	Status Status      `json:"status"`
	Code   Code        `json:"code,omitempty"` // why, when the batch is not durable
	Commit shard.Head  `json:"commit,omitempty"`

	Requested      int `json:"requested"`
	Validated      int `json:"validated"`
	Persisted      int `json:"persisted"`
	AlreadyPresent int `json:"already_present"`
	Rejected       int `json:"rejected"`
	NotesAdded     int `json:"notes_added,omitempty"`
	VotesAdded     int `json:"votes_added,omitempty"`

	Fetches int `json:"fetches"` // how often the branch was read
	Pushes  int `json:"pushes"`  // how often a commit was tried

	Records []RecordResult `json:"records"` // in the order of the requests

	// Err is why the batch is not durable; a [*LedgerError], or nil.
	Err error `json:"-"`

	shard shard.ID // what was added
}

// RecordResult is what became of one request.
type RecordResult struct {
	Index      int          `json:"index"`
	Operation  string       `json:"operation"` // empty for a raw record
	ID         record.ID    `json:"id"`
	SHA        *record.Hash `json:"sha,omitempty"` // of the record on the branch
	Validation Validity     `json:"validation"`
	Status     RecordStatus `json:"status"`
}

// Validity is whether a request passed validation.
type Validity string

// Whether a request passed, as far as is known.
const (
	Valid     Validity = "valid"
	Invalid   Validity = "invalid"
	Unchecked Validity = "unchecked" // the state it depends on could not be read, or it was not reached
)

// RecordStatus is where a record is.
type RecordStatus string

// Where a record is when [Persist] returns.
const (
	RecordPersisted      RecordStatus = "persisted"
	RecordAlreadyPresent RecordStatus = "already_present"
	RecordNotWritten     RecordStatus = "not_written"
	RecordUnknown        RecordStatus = "unknown" // as its ledger
)

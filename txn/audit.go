package txn

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/gitledger/gitledger/internal/artifact"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// audit appends what was done to a file. The zero path writes nothing.
type audit struct {
	path string
	now  func() time.Time
}

// auditEntry is one line: hashes and identifiers only (S9-13).
type auditEntry struct {
	Time           string       `json:"time"`
	Event          string       `json:"event"` // "persist" or "refused"
	TransactionID  string       `json:"transaction_id,omitempty"`
	Artifact       *record.Hash `json:"artifact_sha256,omitempty"` // of a refused artifact's bytes
	Reasons        []Reason     `json:"reasons,omitempty"`
	Ledger         string       `json:"ledger,omitempty"`
	Type           ledger.Type  `json:"type,omitempty"`
	Branch         string       `json:"branch,omitempty"`
	Status         Status       `json:"status,omitempty"`
	Code           Code         `json:"code,omitempty"`
	Commit         string       `json:"commit,omitempty"`
	Shard          *shard.ID    `json:"shard,omitempty"`
	Requested      int          `json:"requested"`
	Persisted      int          `json:"persisted"`
	AlreadyPresent int          `json:"already_present"`
	Rejected       int          `json:"rejected"`
	Pushes         int          `json:"pushes"`
	Records        []auditedOne `json:"records,omitempty"`
}

type auditedOne struct {
	ID     record.ID    `json:"id"`
	SHA    *record.Hash `json:"sha,omitempty"`
	Status RecordStatus `json:"status"`
}

func (a audit) ledger(transactionID string, r *LedgerResult) error {
	e := auditEntry{
		Event: "persist", TransactionID: printable(transactionID),
		Ledger: r.Ledger, Type: r.Type, Branch: r.Branch, Status: r.Status, Code: r.Code, Commit: printable(string(r.Commit)),
		Requested: r.Requested, Persisted: r.Persisted, AlreadyPresent: r.AlreadyPresent, Rejected: r.Rejected, Pushes: r.Pushes,
	}
	if !r.shard.IsZero() {
		e.Shard = &r.shard
	}
	for _, one := range r.Records {
		e.Records = append(e.Records, auditedOne{one.ID, one.SHA, one.Status})
	}
	return a.write(e)
}

func (a audit) refused(artifact []byte, err error) error {
	sum := record.Sum(artifact)
	e := auditEntry{Event: "refused", Artifact: &sum, Status: Failed}
	var errs *RequestErrors
	if errors.As(err, &errs) {
		for _, one := range errs.Errors {
			e.Reasons = append(e.Reasons, one.Reason)
		}
	}
	return a.write(e)
}

// write appends one line in one piece, so that processes that share the file
// do not mix theirs.
func (a audit) write(e auditEntry) error {
	if a.path == "" {
		return nil
	}
	e.Time = record.FormatTime(a.now())
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return artifact.AppendLine(a.path, append(line, '\n'))
}

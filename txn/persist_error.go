package txn

import (
	"context"
	"errors"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/shard"
)

// Why a ledger's batch is not durable, beside the errors of packages shard and
// ledger. Nothing was written.
var (
	// ErrRejected: the latest state does not admit the batch, such as an insert
	// whose key another writer took. Trying again does not help.
	ErrRejected = errors.New("txn: rejected by the ledger's state")

	// ErrConflict: a record of the batch is on the branch with other content.
	// Two runs share a transaction ID, or somebody forged a record.
	ErrConflict = errors.New("txn: record ID is taken by other content")

	// ErrBranchFull: the branch holds as much as a projection may read (S2-07,
	// S9-06). Run compaction and persist again.
	ErrBranchFull = errors.New("txn: branch is full; compaction is needed")

	// ErrSegmentSize: the batch makes a shard over max-segment-kb.
	ErrSegmentSize = errors.New("txn: batch is over max-segment-kb")

	// ErrBranchLost: records that were on the branch a moment ago are gone: it
	// was deleted or rewound. It is not created again. Look at the branch.
	ErrBranchLost = errors.New("txn: branch was deleted or rewound meanwhile")

	// ErrAttempts: other writers were faster each time. Persist again.
	ErrAttempts = errors.New("txn: attempts used up")
)

// LedgerError is why one ledger's batch is not durable. [Persist] joins them.
type LedgerError struct {
	Ledger string
	Status Status
	Err    error
}

func (e *LedgerError) Error() string { return "txn: ledger " + e.Ledger + ": " + e.Err.Error() }

// Unwrap returns the reason.
func (e *LedgerError) Unwrap() error { return e.Err }

// Code names a reason for which a batch is not durable. Codes are stable.
type Code string

// The codes, each of the error of its name: of this package (ErrRejected to
// ErrAttempts), of package shard, of the context, or of a malformed history.
// CodeInternal is any other error.
const (
	CodeRejected     Code = "rejected"
	CodeConflict     Code = "conflict"
	CodeHistory      Code = "malformed-history"
	CodeFull         Code = "compaction-needed"
	CodeSegmentSize  Code = "segment-size"
	CodeLost         Code = "branch-lost"
	CodeAttempts     Code = "attempts"
	CodeCollision    Code = "identity-collision"
	CodeLocked       Code = "locked"
	CodeUnauthorized Code = "unauthorized"
	CodeRefused      Code = "refused"
	CodeUnavailable  Code = "unavailable"
	CodeOutcome      Code = "outcome-unknown"
	CodeCanceled     Code = "canceled"
	CodeDeadline     Code = "deadline"
	CodeInternal     Code = "internal"
)

// codeOf finds the code of an error, which may match several.
func codeOf(err error) Code {
	for _, c := range []struct {
		err  error
		code Code
	}{
		// First: while a push may yet be on the branch, no other reason says
		// that nothing was written.
		{shard.ErrOutcomeUnknown, CodeOutcome},
		{ErrRejected, CodeRejected},
		{ErrConflict, CodeConflict},
		{ledger.ErrMalformed, CodeHistory},
		{ErrBranchFull, CodeFull},
		{ErrSegmentSize, CodeSegmentSize},
		{ErrBranchLost, CodeLost},
		{context.Canceled, CodeCanceled},
		{context.DeadlineExceeded, CodeDeadline},
		{shard.ErrIdentityCollision, CodeCollision},
		{shard.ErrLocked, CodeLocked},
		{shard.ErrUnauthorized, CodeUnauthorized},
		{shard.ErrRefused, CodeRefused},
		{shard.ErrUnavailable, CodeUnavailable},
		{ErrAttempts, CodeAttempts},
	} {
		if errors.Is(err, c.err) {
			return c.code
		}
	}
	return CodeInternal
}

// statusOf is the status that an error gives a batch.
func statusOf(code Code) Status {
	switch code {
	case CodeRejected:
		return Rejected
	case CodeConflict:
		return Conflict
	case CodeOutcome:
		return Unknown
	}
	return Failed
}

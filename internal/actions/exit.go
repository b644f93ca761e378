package actions

import (
	"errors"
	"io/fs"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay"
	"github.com/gitledger/gitledger/shard"
	"github.com/gitledger/gitledger/txn"
)

// ExitCodes says what the exit codes of all programs mean.
const ExitCodes = `Exit codes:
  0  done; a plan that has become stale or conflicts is done too, with a warning
  1  failed, and the same again may succeed: the network, a lock, a full disk
  2  used wrongly: arguments, environment, configuration or credential
  3  refused, and the same again will be: a forged or invalid file, a request
     that the ledger does not admit, a ledger that is malformed or full
`

const (
	exitDone = iota
	exitFailed
	exitUsage
	exitRefused
)

type usageError string

func (e usageError) Error() string { return string(e) }

// Usage is an error in how a program is used.
func Usage(text string) error { return usageError(text) }

// Code returns the exit code for an error. Of several joined ones a failure that
// may pass decides, because then trying again makes sense.
func Code(err error) int {
	if err == nil {
		return exitDone
	}
	for _, kind := range []error{
		shard.ErrUnavailable, shard.ErrHeadMoved, shard.ErrLocked, shard.ErrOutcomeUnknown, txn.ErrAttempts, txn.ErrRead,
	} {
		if errors.Is(err, kind) {
			return exitFailed
		}
	}
	var usage usageError
	var problems ledger.Problems
	if errors.As(err, &usage) || errors.As(err, &problems) || errors.Is(err, shard.ErrUnauthorized) || errors.Is(err, fs.ErrNotExist) {
		return exitUsage
	}
	for _, kind := range []error{
		txn.ErrArtifact, txn.ErrRejected, txn.ErrConflict, txn.ErrBranchFull, txn.ErrSegmentSize, txn.ErrBranchLost,
		compact.ErrRejected, compact.ErrInvalidRequest, compact.ErrLedgerRequired, compact.ErrUnknownLedger,
		ledger.ErrMalformed, shard.ErrTooLarge, shard.ErrRefused, shard.ErrIdentityCollision,
	} {
		if errors.Is(err, kind) {
			return exitRefused
		}
	}
	var invalid *replay.Error
	var requests *txn.RequestErrors
	if errors.As(err, &invalid) || errors.As(err, &requests) {
		return exitRefused
	}
	return exitFailed
}

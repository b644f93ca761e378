package actions

import (
	"context"
	"errors"
	"io/fs"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/internal/artifact"
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

// Usage is an error in how a program is used. The text says what to do.
func Usage(text string) error { return usageError(text) }

type refusedError string

func (e refusedError) Error() string { return string(e) }

// Refused is an error in what a program is given, which the same again will be.
// The text says what to do.
func Refused(text string) error { return refusedError(text) }

// Code returns the exit code for an error. Of several joined ones a failure that
// may pass decides, because then trying again makes sense.
func Code(err error) int {
	if err == nil {
		return exitDone
	}
	return judge(err).code
}

// Advice says what to do about an error; empty when its text says so itself.
func Advice(err error) string {
	if err == nil {
		return ""
	}
	return judge(err).advice
}

// verdict is what a kind of error means for who runs a program.
type verdict struct {
	is     func(error) bool
	code   int
	advice string
}

func judge(err error) verdict {
	for _, v := range verdicts() {
		if v.is(err) {
			return v
		}
	}
	return verdict{code: exitFailed}
}

// verdicts are in the order in which they count.
func verdicts() []verdict {
	const (
		again           = "run the job again: nothing is stored twice"
		nothingAccepted = "nothing was accepted; the agent must correct its requests"
	)
	return []verdict{
		{one(shard.ErrOutcomeUnknown), exitFailed, "a push was sent and not confirmed; run the job again: nothing is stored twice"},
		{one(shard.ErrLocked), exitFailed, "run the job again; if it stays so, a writer that died left its lock: see package gitbranch"},
		{one(shard.ErrUnavailable, shard.ErrHeadMoved, txn.ErrAttempts, txn.ErrRead, context.Canceled, context.DeadlineExceeded), exitFailed, again},
		{as[usageError], exitUsage, ""},
		{as[refusedError], exitRefused, ""},
		{as[ledger.Problems], exitUsage, "correct the declaration of the ledgers and encode it again"},
		{one(shard.ErrUnauthorized), exitUsage, "give the step a token in " + ledger.EnvToken + ", and its job the permission for it: contents, to read or to write"},
		{one(fs.ErrNotExist), exitUsage, "check that the artifact was downloaded, and the path to it"},
		{one(txn.ErrArtifact), exitRefused, "let the safe-outputs job make the artifact of this run, with the same configuration, and pass it on as it is"},
		{as[*txn.RequestErrors], exitRefused, nothingAccepted},
		{as[*txn.RequestError], exitRefused, nothingAccepted},
		{one(compact.ErrInvalidRequest, compact.ErrLedgerRequired, compact.ErrUnknownLedger), exitRefused, nothingAccepted},
		{one(artifact.ErrNotRegular, artifact.ErrTooLarge), exitRefused, "pass the file on as its job wrote it"},
		{one(txn.ErrBranchFull, shard.ErrTooLarge), exitRefused, "compact the ledger, then run the job again"},
		{one(txn.ErrConflict), exitRefused, "two runs had the same transaction ID, or a record was forged: look at the branch"},
		{one(txn.ErrSegmentSize), exitRefused, "let the agent write less in one run, or raise max-segment-kb"},
		{one(txn.ErrBranchLost), exitRefused, "the branch was deleted or rewound: look at it before anything is written"},
		{one(txn.ErrRejected), exitRefused, "the ledger's latest state does not admit the requests; let the agent look again"},
		{one(compact.ErrRejected), exitRefused, "plan again; apply only a plan that the plan job made for this ledger"},
		{one(ledger.ErrMalformed), exitRefused, "the branch holds what is no valid record; examples/verify finds the commit that brought it"},
		{as[*replay.Error], exitRefused, "the branch holds an operation that its state does not admit; examples/verify finds the commit that brought it"},
		{one(shard.ErrRefused, shard.ErrIdentityCollision), exitRefused, "check the server's rules for the branches ledgers/*"},
	}
}

func one(kinds ...error) func(error) bool {
	return func(err error) bool {
		for _, kind := range kinds {
			if errors.Is(err, kind) {
				return true
			}
		}
		return false
	}
}

func as[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}

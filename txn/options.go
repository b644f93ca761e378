package txn

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/shard"
)

// Branches gives the branch of a ledger to [Persist].
//
// It MUST return the branch named cfg.Branch(). It is called once for each
// ledger of an artifact, from several goroutines at a time, and a Branch that
// it returned is used by one of them only. An error fails that ledger and no
// other; its text is shown, so it MUST NOT hold a path, a URL, a credential or
// a library's text. The caller closes what needs closing after Persist.
type Branches func(ctx context.Context, cfg ledger.Config) (shard.Branch, error)

// Options change how [Persist] works. The zero Options are right. Its functions
// are called from several goroutines at a time, one for each ledger.
type Options struct {
	// Attempts bounds how often one ledger's batch is pushed; 0 is
	// [DefaultAttempts].
	Attempts int

	// Backoff says how long to wait between attempts.
	Backoff Backoff

	// Parallel is how many ledgers are worked on at a time; 0 is 4.
	Parallel int

	// Now is the clock of the records; nil is [time.Now].
	Now func() time.Time

	// NewShardID names new shards; nil is [shard.NewID].
	NewShardID func() (shard.ID, error)

	// Message writes the commit's message; nil is [Commit.String]. Author and
	// committer are the branch's business.
	Message func(Commit) string

	// AuditFile is where an audit entry is appended for each ledger, as JSON
	// lines of hashes and identifiers: a regular file of its own, which is made
	// with mode 0600 when it does not exist. Empty writes none. A failure to
	// write is reported in [Result] and fails nothing.
	AuditFile string

	// Logger gets progress: identifiers, codes and counts. nil is none.
	Logger *slog.Logger
}

// DefaultAttempts is enough for 16 writers that push to one branch without
// pause; see the package's contention test.
const DefaultAttempts = 32

// stubborn is how many failures in a row that say nothing about contention (a
// lock, a server that does not answer, a branch that lost records) are retried.
const stubborn = 6

const defaultParallel = 4

// withDefaults fills in what was left zero.
func (o Options) withDefaults() Options {
	if o.Attempts <= 0 {
		o.Attempts = DefaultAttempts
	}
	if o.Parallel <= 0 {
		o.Parallel = defaultParallel
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewShardID == nil {
		o.NewShardID = shard.NewID
	}
	if o.Message == nil {
		o.Message = Commit.String
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Backoff = o.Backoff.withDefaults()
	return o
}

// Commit is what a commit's message is made of.
type Commit struct {
	Ledger        string
	Records       int
	TransactionID string
}

// String is the default message: counts and identifiers.
func (c Commit) String() string {
	records := "records"
	if c.Records == 1 {
		records = "record"
	}
	return fmt.Sprintf("Append %d %s to %s\n\nTransaction: %s\n", c.Records, records, c.Ledger, printable(c.TransactionID))
}

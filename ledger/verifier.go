package ledger

import (
	"context"
	"iter"

	"github.com/gitledger/gitledger/shard"
)

// Verify checks a ledger branch as a whole: not only its tip, as a reader
// does, but each commit of its history. It yields what is bad as a [Finding]
// and goes on; what could not be checked is an error. See [Verifier] for what
// is checked, and for the summary.
func Verify(ctx context.Context, log shard.Log) iter.Seq2[Finding, error] {
	return (&Verifier{Log: log}).Verify(ctx)
}

// Verifier checks a ledger branch and sums up what it saw.
//
// Of each commit it checks that the objects are there and sound, that the
// layout is clean, that each new shard is valid (S9-05), that every record of
// the commits before is still visible, that shards go only by a compaction,
// which is an exact union (S5.4), and that the state file is sound. Of the
// latest commit it checks that the branch can be read, and that a reader gets
// the records that the commits add up to, in replay order.
//
// A commit costs what it changed, and each of the folders on the way: a shard
// is verified once however many commits hold it. Memory is about 250 bytes a
// record of the history.
type Verifier struct {
	Log shard.Log

	summary Summary
}

// Summary is what a verification saw. It is final when Verify has ended.
type Summary struct {
	Branch   string     `json:"branch"`
	Head     shard.Head `json:"head,omitempty"` // the last commit; empty for an absent branch
	Complete bool       `json:"complete"`       // everything was checked

	Commits     int `json:"commits"`
	Appends     int `json:"appends"`     // commits that added shards and deleted none
	Compactions int `json:"compactions"` // commits that are compactions by what they did
	Merges      int `json:"merges"`      // commits with several parents

	Contents int   `json:"contents"` // distinct shard contents verified
	Bytes    int64 `json:"bytes"`    // of these

	Shards  int `json:"shards"`  // of the latest commit
	Records int `json:"records"` // visible in the latest commit
	Heads   int `json:"heads"`   // records that are no record's parent

	Findings map[FindingKind]int `json:"findings"` // how many of each kind
	Errors   int                 `json:"errors"`   // what could not be checked
}

// Sound reports whether everything was checked and nothing is bad.
func (s Summary) Sound() bool { return s.Complete && len(s.Findings) == 0 }

// Summary returns the summary of the last Verify.
func (v *Verifier) Summary() Summary { return v.summary }

// Verify yields the findings, by commit. An error beside the zero Finding says
// what could not be checked; after the context's error, and after one of the
// log that concerns no single object, nothing follows. The Verifier is for one
// call at a time.
func (v *Verifier) Verify(ctx context.Context) iter.Seq2[Finding, error] {
	return func(yield func(Finding, error) bool) {
		v.summary = Summary{Branch: v.Log.Name(), Findings: map[FindingKind]int{}}
		a := newAudit(ctx, v.Log, &v.summary, yield)
		a.history()
		if !a.stopped {
			a.tip()
		}
		v.summary.Complete = !a.stopped && v.summary.Errors == 0
	}
}

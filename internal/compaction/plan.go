// Package compaction is what compaction leaves on a branch beside records: its
// state file, and the identities of the transitions that it made. Package
// compact makes them and package ledger verifies them.
package compaction

import (
	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// What the wire format fixes.
const (
	PlanVersion  = "gh-aw/ledger-compaction-plan/v1"
	StateVersion = "gh-aw/ledger-compaction-state/v1"

	Scheduled = "scheduled"
	Requested = "requested"

	MaxRecentPlans = 20 // plan IDs that the state file remembers

	// ReplacementMetadata is hashed into the ID of every replacement shard.
	ReplacementMetadata = `{"compaction":"` + PlanVersion + `"}`
)

// ValidTrigger reports whether s says why maintenance looked at a ledger.
func ValidTrigger(s string) bool { return s == Scheduled || s == Requested }

// Identity is a shard as a plan's identity names it.
type Identity struct {
	ID     shard.ID
	SHA256 record.Hash // of the shard's bytes
}

// Append appends the two members of the identity.
func (i Identity) Append(dst []byte) []byte {
	dst = append(dst, `"segment":"`...)
	dst = append(dst, i.ID.String()...)
	dst = append(dst, `","sha256":"`...)
	dst = i.SHA256.AppendText(dst)
	return append(dst, '"')
}

// PlanID returns the identity of a transition (S5.3-03): the digest of its
// ledger, branch, version, sources in ID order, and replacement.
func PlanID(ledger, branch string, sources []Identity, replacement Identity) record.Hash {
	b := append([]byte(nil), `{"branch":`...)
	b = canonical.AppendQuoted(b, branch)
	b = append(b, `,"ledger":`...)
	b = canonical.AppendQuoted(b, ledger)
	b = append(b, `,"replacement":{`...)
	b = replacement.Append(b)
	b = append(b, `},"sources":[`...)
	for i := range sources {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(sources[i].Append(append(b, '{')), '}')
	}
	b = append(b, `],"version":"`+PlanVersion+`"}`...)
	return record.Sum(b)
}

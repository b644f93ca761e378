package compact

import (
	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/internal/compaction"
	"github.com/gitledger/gitledger/record"
)

// What the wire format fixes of a plan (S5.3-02, S5.3-05).
const (
	PlanVersion = compaction.PlanVersion

	MaxPlanBytes   = 16 << 20 // one plan
	MaxPlanSources = 256      // sources of one plan
	MaxPlanRecords = 100_000  // records of all its sources together, and of its replacement
)

// Plan is a proposal to replace shards of one ledger by one shard that holds
// their records. It holds no command, path or Git argument (S5.3-04).
type Plan struct {
	Ledger      string
	Branch      string // ledgers/<name>
	Trigger     Trigger
	CreatedAt   string    // UTC, YYYY-MM-DDTHH:MM:SS with at most three decimals, and Z
	BaseCommit  string    // 40 or 64 lower-case hexadecimal digits; informs, decides nothing
	Sources     []Segment // ascending by ID, each once
	Replacement Segment
}

// ID returns the plan's identity: the digest of its ledger, branch, version
// and the identities of its segments (S5.3-03). The same transition has the
// same ID, whenever and why ever it was planned.
func (p *Plan) ID() record.Hash {
	sources := make([]compaction.Identity, len(p.Sources))
	for i := range p.Sources {
		sources[i] = p.Sources[i].identity()
	}
	return compaction.PlanID(p.Ledger, p.Branch, sources, p.Replacement.identity())
}

// Append appends the plan's canonical JSON, its ID included, to dst. What
// [ParsePlan] accepts comes out in this form, with the same meaning.
func (p *Plan) Append(dst []byte) []byte {
	dst = append(dst, `{"base_commit":`...)
	dst = canonical.AppendQuoted(dst, p.BaseCommit)
	dst = append(dst, `,"branch":`...)
	dst = canonical.AppendQuoted(dst, p.Branch)
	dst = append(dst, `,"created_at":`...)
	dst = canonical.AppendQuoted(dst, p.CreatedAt)
	dst = append(dst, `,"ledger":`...)
	dst = canonical.AppendQuoted(dst, p.Ledger)
	dst = append(dst, `,"plan_id":"`...)
	dst = p.ID().AppendText(dst)
	dst = append(dst, `","replacement":`...)
	dst = p.Replacement.append(dst)
	dst = append(dst, `,"sources":[`...)
	for i := range p.Sources {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = p.Sources[i].append(dst)
	}
	dst = append(dst, `],"trigger":`...)
	dst = canonical.AppendQuoted(dst, string(p.Trigger))
	return append(dst, `,"version":"`+PlanVersion+`"}`...)
}

// MarshalJSON implements [encoding/json.Marshaler] with the canonical form.
func (p *Plan) MarshalJSON() ([]byte, error) { return p.Append(nil), nil }

// UnmarshalJSON implements [encoding/json.Unmarshaler] with the rules of [ParsePlan].
func (p *Plan) UnmarshalJSON(data []byte) error {
	parsed, err := ParsePlan(data)
	if err == nil {
		*p = *parsed
	}
	return err
}

package compact

import (
	"fmt"
	"strings"

	"github.com/gitledger/gitledger/shard"
)

// Code is a stable word for a reason.
type Code string

// Why a ledger is due, or not.
const (
	DueRequested Code = "requested"        // somebody asked
	DueFirst     Code = "first-compaction" // no valid state file on the branch
	DueSchedule  Code = "schedule-elapsed" // last_applied_at is long enough ago

	NotDueDisabled Code = "compaction-disabled"  // compaction: false
	NotDueManual   Code = "manual-schedule"      // only a request makes it due
	NotDueYet      Code = "schedule-not-elapsed" // last_applied_at is too recent
	TooFew         Code = "too-few-segments"     // eligible segments are below min-segments
	NothingFits    Code = "no-combination-fits"  // fewer than two fit within max-segment-kb
)

// Why a plan has its status.
const (
	Verified           Code = "verified"             // ready, applied
	SourcesRetired     Code = "sources-retired"      // already applied: all gone, and the effect is there
	SourcesGone        Code = "sources-gone"         // stale: all gone, the effect is not there
	SomeSourcesGone    Code = "some-sources-gone"    // stale
	SourceMalformed    Code = "source-malformed"     // conflict: not a file of valid records
	SourceChanged      Code = "source-changed"       // conflict: other bytes or records
	ReplacementTaken   Code = "replacement-taken"    // conflict: exists with other bytes (S9-12)
	PlaceTaken         Code = "place-taken"          // conflict: there is no room for the replacement or the state file
	PlanNotRegular     Code = "plan-not-regular"     // rejected: a symlink, folder or the like ([ReadFile])
	PlanTooLarge       Code = "plan-too-large"       // rejected: over [MaxPlanBytes]
	PlanMalformed      Code = "plan-malformed"       // rejected: no JSON object, a key twice, or a number but a plain integer
	PlanInvalid        Code = "plan-invalid"         // rejected: Field is wrong
	ReplacementForged  Code = "replacement-forged"   // rejected: not the union of the sources' records
	RecordsWouldBeLost Code = "records-would-vanish" // rejected: the visible records differ (S6-04)
)

// Reason says why, in a stable code and identifiers: never a value of the
// plan, a record's content, a path or another library's text.
type Reason struct {
	Code     Code       `json:"code"`
	Field    string     `json:"field,omitempty"`    // of the plan, such as sources[3].bytes; keys for those of the plan itself
	Segments []shard.ID `json:"segments,omitempty"` // the first few that it is about
	Count    int        `json:"count,omitempty"`    // how many there are
	Need     int        `json:"need,omitempty"`     // how many it takes
}

// maxNamed is how many segments a reason names.
const maxNamed = 8

func about(code Code, ids ...shard.ID) Reason {
	return Reason{Code: code, Segments: ids[:min(len(ids), maxNamed)], Count: len(ids)}
}

// String returns the reason on one line.
func (r Reason) String() string {
	var b strings.Builder
	b.WriteString(string(r.Code))
	if r.Field != "" {
		b.WriteString(": " + r.Field)
	}
	if r.Need > 0 {
		fmt.Fprintf(&b, ": %d of %d", r.Count, r.Need)
	}
	for i, id := range r.Segments {
		if i == 0 {
			b.WriteString(":")
		}
		b.WriteString(" " + id.String())
	}
	if more := r.Count - len(r.Segments); len(r.Segments) > 0 && more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	return b.String()
}

package compact

import (
	"fmt"
	"slices"

	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/internal/compaction"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// ParsePlan reads a plan as hostile input (S5.3-05): exactly the nine keys, no
// key twice, nothing after it, plain integers, everything sorted and within its
// bound, every source record in the replacement, and the right plan_id. The
// error is a [*RejectedError] that names the field. Whether the plan fits a
// ledger is for [Apply] to see.
func ParsePlan(data []byte) (*Plan, error) {
	if len(data) > MaxPlanBytes {
		return nil, because(PlanTooLarge)
	}
	if !plainNumbers(data) {
		return nil, because(PlanMalformed)
	}
	text, err := canonical.Append(nil, data, canonical.Refuse)
	if err != nil || !canonical.IsObject(text) {
		return nil, because(PlanMalformed)
	}
	v, ok := canonical.Exact(text, "version", "ledger", "branch", "trigger", "created_at", "base_commit", "sources", "replacement", "plan_id")
	if !ok {
		return nil, reject("keys")
	}
	p := &Plan{}
	version, _ := canonical.Text(v[0])
	trigger, _ := canonical.Text(v[3])
	p.Ledger, _ = canonical.Text(v[1])
	p.Branch, _ = canonical.Text(v[2])
	p.Trigger = Trigger(trigger)
	p.CreatedAt, _ = canonical.Text(v[4])
	p.BaseCommit, _ = canonical.Text(v[5])
	_, instant := compaction.Instant(p.CreatedAt)
	switch {
	case version != PlanVersion:
		return nil, reject("version")
	case !ledger.ValidName(p.Ledger):
		return nil, reject("ledger")
	case p.Branch != ledger.Config{Name: p.Ledger}.Branch():
		return nil, reject("branch")
	case !p.Trigger.valid():
		return nil, reject("trigger")
	case !instant:
		return nil, reject("created_at")
	case !validCommit(p.BaseCommit):
		return nil, reject("base_commit")
	}
	if err := p.parseSegments(v[6], v[7]); err != nil {
		return nil, err
	}
	if id, ok := compaction.Digest(v[8]); !ok || id != p.ID() {
		return nil, reject("plan_id")
	}
	return p, nil
}

func (p *Plan) parseSegments(sources, replacement []byte) error {
	kept, bad, ok := parseSegment(replacement, MaxPlanRecords)
	if !ok {
		return reject(member("replacement", bad))
	}
	p.Replacement = kept
	if !canonical.IsArray(sources) {
		return reject("sources")
	}
	room := MaxPlanRecords
	for text := range canonical.Elements(sources) {
		n := len(p.Sources)
		if n == MaxPlanSources {
			return reject("sources")
		}
		field := fmt.Sprintf("sources[%d]", n)
		s, bad, ok := parseSegment(text, room)
		switch {
		case !ok:
			return reject(member(field, bad))
		case s.ID == kept.ID || n > 0 && !before(p.Sources[n-1].ID, s.ID):
			return reject(field + ".segment")
		case !subset(s.Records, kept.Records):
			return reject("replacement.records")
		}
		room -= len(s.Records)
		p.Sources = append(p.Sources, s)
	}
	if len(p.Sources) == 0 {
		return reject("sources")
	}
	return nil
}

func member(of, name string) string {
	if name == "" {
		return of
	}
	return of + "." + name
}

// before reports whether a comes before b in the order of their text.
func before(a, b shard.ID) bool { return string(a[:]) < string(b[:]) }

// subset reports whether every element of a is in b; both are ascending.
func subset(a, b []record.Hash) bool {
	for _, h := range a {
		at, ok := slices.BinarySearchFunc(b, h, record.Hash.Compare)
		if !ok {
			return false
		}
		b = b[at+1:]
	}
	return true
}

// plainNumbers reports whether every number in JSON text is spelled as a plain
// integer without a sign. No plan and no state holds any of the words whose
// letters it refuses, so it need not tell them from exponents. Text that is no
// JSON may pass.
func plainNumbers(text []byte) bool {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '.', 'e', 'E', '+', '-':
			return false
		}
	}
	return true
}

// validCommit reports whether s has the form of a Git object name.
func validCommit(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

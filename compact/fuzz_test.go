package compact_test

import (
	"bytes"
	"testing"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// FuzzPlan: whatever is read as a plan comes out in canonical form, and is read
// again as the same plan.
func FuzzPlan(f *testing.F) {
	_, plan := mustPropose(f, populate(f, "fuzz", 2, 1), configure(2, 8, 100<<10))
	f.Add(plan)
	f.Add([]byte(" \n" + string(plan) + "\t"))
	f.Add(bytes.Replace(plan, []byte(`"bytes":`), []byte(`"bytes":1`), 1))
	f.Add(bytes.Replace(plan, []byte(`"trigger"`), []byte(`"tr\u0069gger"`), 1))
	f.Add([]byte(`{"sources":[{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := compact.ParsePlan(data)
		if err != nil {
			return
		}
		text := p.Append(nil)
		if !record.IsCanonical(text) {
			t.Fatalf("not canonical: %s", text)
		}
		again, err := compact.ParsePlan(text)
		if err != nil || !bytes.Equal(again.Append(nil), text) || again.ID() != p.ID() {
			t.Fatalf("read again as %v, %v", again, err)
		}
	})
}

// FuzzState: whatever is read as a state file is canonical JSON once written,
// and is read again as the same state.
func FuzzState(f *testing.F) {
	s := &compact.State{Ledger: "findings", LastTrigger: compact.Requested, LastAppliedAt: "2026-03-01T12:00:00.000Z", RecentPlanIDs: []record.Hash{{1}, {2}}}
	f.Add(s.Append(nil))
	f.Add([]byte(`{"version":"gh-aw/ledger-compaction-state/v1"}`))
	f.Add(bytes.Replace(s.Append(nil), []byte("Z"), []byte("+"), 1))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := compact.ParseState(data)
		if err != nil {
			return
		}
		text := s.Append(nil)
		if !record.IsCanonical(bytes.TrimSuffix(text, []byte("\n"))) || int64(len(text)) > shard.MaintenanceLimits().StateBytes() {
			t.Fatalf("wrote %s", text)
		}
		again, err := compact.ParseState(text)
		if err != nil || !bytes.Equal(again.Append(nil), text) {
			t.Fatalf("read again as %v, %v", again, err)
		}
	})
}

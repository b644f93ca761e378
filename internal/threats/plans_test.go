//go:build cgo

package threats_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// The plan job is the adversary's: it wants a source deleted without its
// records (S9-01).
func TestThreatForgedReplacement(t *testing.T) {
	w := newWorld(t)
	honest, before, history := w.plan(), w.content(), w.history("events")
	forge := func(change func(*compact.Plan)) []byte {
		p, err := compact.ParsePlan(honest.Append(nil))
		if err != nil {
			t.Fatal(err)
		}
		change(p)
		return p.Append(nil) // with the ID that fits
	}
	for name, plan := range map[string][]byte{
		"the replacement lacks a record": forge(func(p *compact.Plan) { p.Replacement.Records = p.Replacement.Records[1:] }),
		"so does the source":             forge(func(p *compact.Plan) { p.Sources[0].Records, p.Replacement.Records = nil, p.Replacement.Records[1:] }),
		"another digest of the replacement": forge(func(p *compact.Plan) {
			p.Replacement.SHA256 = record.Sum([]byte("forged"))
		}),
		"another record in its place": forge(func(p *compact.Plan) {
			p.Replacement.Records[0] = record.Sum([]byte("forged"))
			slices.SortFunc(p.Replacement.Records, record.Hash.Compare)
		}),
		"a source as the replacement": forge(func(p *compact.Plan) { p.Replacement = p.Sources[0] }),
		"smaller than it is":          forge(func(p *compact.Plan) { p.Replacement.Bytes-- }),
	} {
		if out, err := w.apply(plan); out == nil || out.Status == compact.Applied || out.Status == compact.AlreadyApplied {
			t.Errorf("%s: %+v, %v", name, out, err)
		}
		w.unchanged(before, name)
	}
	if out, err := w.apply(honest.Append(nil)); err != nil || out.Status != compact.Applied {
		t.Fatalf("the honest plan: %+v, %v", out, err)
	}
	w.visible("events", history)
}

// Records that came after planning are not the plan's to delete (S9-04).
func TestThreatDeletingLaterRecords(t *testing.T) {
	w := newWorld(t)
	plan := w.plan()
	w.run(`{"type":"ledger_append","ledger":"events","record":{"n":"late"}}`)
	history, before := w.history("events"), w.content()

	// The plan names the new shard too, with what the planner could know of it.
	greedy, err := compact.ParsePlan(plan.Append(nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range w.snapshot("events").Shards {
		if !slices.ContainsFunc(greedy.Sources, func(source compact.Segment) bool { return source.ID == s.ID }) {
			r := greedy.Sources[0].Records
			greedy.Sources = append(greedy.Sources, compact.Segment{ID: s.ID, SHA256: record.Sum(s.Data), Bytes: s.Size, Records: r})
		}
	}
	slices.SortFunc(greedy.Sources, func(a, b compact.Segment) int { return strings.Compare(a.ID.String(), b.ID.String()) })
	if len(greedy.Sources) != 4 {
		t.Fatalf("%d sources", len(greedy.Sources))
	}
	if out, err := w.apply(greedy.Append(nil)); out == nil || out.Status != compact.Conflict {
		t.Errorf("a plan that covers a later shard: %+v, %v", out, err)
	}
	w.unchanged(before, "a plan that covers a later shard")

	if out, err := w.apply(plan.Append(nil)); err != nil || out.Status != compact.Applied {
		t.Fatalf("%+v, %v", out, err)
	}
	w.visible("events", history)
}

// Plans that are malicious, stale or replayed (S9-09).
func TestThreatHostilePlans(t *testing.T) {
	w := newWorld(t)
	honest, before := w.plan(), w.content()
	plan := honest.Append(nil)
	forge := func(change func(*compact.Plan)) []byte { // with the ID that fits
		p, err := compact.ParsePlan(plan)
		if err != nil {
			t.Fatal(err)
		}
		change(p)
		return p.Append(nil)
	}
	replace := func(old, new string) []byte {
		changed := bytes.Replace(plan, []byte(old), []byte(new), 1)
		if bytes.Equal(changed, plan) {
			t.Fatalf("%s is not in the plan", old)
		}
		return changed
	}
	for name, hostile := range map[string][]byte{
		"a command":                 replace(`{"base_commit"`, `{"args":["--force"],"base_commit"`),
		"another ledger":            replace(`"ledger":"events"`, `"ledger":"findings"`),
		"another branch":            replace(`"branch":"ledgers/events"`, `"branch":"main"`),
		"a path":                    replace(`"segment":"`, `"segment":"../../`),
		"another version":           replace(`plan/v1`, `plan/v2`),
		"another plan ID":           replace(honest.ID().String(), record.Sum([]byte("forged")).String()),
		"no digest":                 replace(`"plan_id":"sha256:`, `"plan_id":"sha256:00`),
		"a plan for another ledger": forge(func(p *compact.Plan) { p.Ledger, p.Branch = "findings", "ledgers/findings" }),
		"a ledger's other branch":   forge(func(p *compact.Plan) { p.Branch = "ledgers/findings" }),
		"a replacement without end": forge(func(p *compact.Plan) { p.Replacement.Bytes = 1 << 40 }),
		"a source without end":      forge(func(p *compact.Plan) { p.Sources[0].Bytes = 101 << 10 }),
		"sources out of order":      forge(func(p *compact.Plan) { slices.Reverse(p.Sources) }),
		"a source twice":            forge(func(p *compact.Plan) { p.Sources[1] = p.Sources[0] }),
		"more than max-segments": forge(func(p *compact.Plan) {
			for i := range 8 {
				more := p.Sources[0]
				more.ID = shard.ID(record.FoldUUID(record.Sum([]byte{byte(i)})))
				p.Sources = append(p.Sources, more)
			}
			slices.SortFunc(p.Sources, func(a, b compact.Segment) int { return strings.Compare(a.ID.String(), b.ID.String()) })
		}),
		"a key twice":      replace(`{"base_commit"`, `{"ledger":"events","base_commit"`),
		"more than a plan": append(slices.Clone(plan), " {}"...),
		"nothing":          nil,
		"too much":         bytes.Repeat([]byte(" "), compact.MaxPlanBytes+1),
	} {
		var rejected *compact.RejectedError
		if len(hostile) > 0 && bytes.Equal(hostile, plan) {
			t.Fatalf("%s: nothing was changed", name)
		}
		if out, err := w.apply(hostile); out == nil || out.Status != compact.Rejected || !errors.As(err, &rejected) {
			t.Errorf("%s: %+v, %v", name, out, err)
		}
		w.unchanged(before, name)
	}
	if out, err := w.apply(plan); err != nil || out.Status != compact.Applied {
		t.Fatalf("%+v, %v", out, err)
	}
	applied := w.content()
	for range 2 {
		if out, err := w.apply(plan); err != nil || out.Status != compact.AlreadyApplied {
			t.Errorf("replayed: %+v, %v", out, err)
		}
	}
	w.unchanged(applied, "a replayed plan")

	// Stale: one of two sources is gone when the plan arrives.
	w.run(`{"type":"ledger_append","ledger":"events","record":{"n":3}}`)
	stale := w.plan()
	w.plant("events", shard.Change{Delete: []shard.ID{stale.Sources[0].ID}, Message: "by hand"})
	before = w.content()
	if out, err := w.apply(stale.Append(nil)); err != nil || out.Status != compact.Stale {
		t.Errorf("stale: %+v, %v", out, err)
	}
	w.unchanged(before, "a stale plan")
}

// Somebody who can push takes the replacement's ID, so that compaction never
// succeeds (S9-12).
func TestThreatReplacementIDTaken(t *testing.T) {
	w := newWorld(t)
	plan := w.plan()
	w.plant("events", shard.Change{Add: []shard.Addition{{ID: plan.Replacement.ID, Data: lines(t, "squatter", `{"n":"squatter"}`)}}})
	history, before := w.history("events"), w.content()
	out, err := w.apply(plan.Append(nil))
	if err != nil || out.Status != compact.Conflict || out.Reason.Code != compact.ReplacementTaken {
		t.Errorf("%+v, %v", out, err)
	}
	w.unchanged(before, "a taken ID")
	w.run(`{"type":"ledger_append","ledger":"events","record":{"n":"after"}}`)
	w.visible("events", history)
}

// Compaction that fails, for whatever reason, stands in nobody's way (S9-14).
func TestThreatCompactionFailureBlocksPersistence(t *testing.T) {
	w := newWorld(t)
	plan, history, before := w.plan().Append(nil), w.history("events"), w.content()
	for _, step := range []gittest.Step{gittest.FetchRefs, gittest.PushRefs, gittest.PushPack} {
		w.server.Always(step, gittest.Status(500))
		if out, err := w.apply(plan); err == nil || out != nil {
			t.Errorf("%s: %+v, %v", step, out, err)
		}
		w.server.Heal()
		w.unchanged(before, string(step))
	}
	// A state file that is nonsense, and a plan that is none.
	w.plant("events", shard.Change{State: []byte("{\"version\":\"forged\"}\n")})
	if out, _ := w.apply([]byte("nonsense")); out == nil || out.Status != compact.Rejected {
		t.Errorf("%+v", out)
	}
	w.run(`{"type":"ledger_append","ledger":"events","record":{"n":"after"}}`)
	w.visible("events", history)
	if out, err := w.apply(w.plan().Append(nil)); err != nil || out.Status != compact.Applied {
		t.Errorf("the next maintenance: %+v, %v", out, err)
	}
	w.visible("events", history)
}

//go:build cgo

package threats_test

import (
	"fmt"
	"testing"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/shard"
)

// second is the same world seen through another repository, as a job that runs
// at the same time sees it.
func (w *world) second() *world {
	w.t.Helper()
	other := *w
	other.runs = 100
	other.open(w.url)
	return &other
}

// A record that lands between an apply job's last look at the branch and its
// push survives, wherever in between that is (S9-04, S9-09).
func TestThreatAppendDuringApply(t *testing.T) {
	for _, step := range []gittest.Step{gittest.PushRefs, gittest.PushPack} {
		t.Run(string(step), func(t *testing.T) {
			w := newWorld(t)
			other, plan, history := w.second(), w.plan().Append(nil), w.history("events")
			w.server.Once(step, gittest.Do(func() {
				other.run(`{"type":"ledger_append","ledger":"events","record":{"n":"late"}}`)
			}))
			out, err := w.apply(plan)
			if err != nil || out.Status != compact.Applied || out.Attempts != 2 {
				t.Errorf("%+v, %v", out, err)
			}
			w.visible("events", history)
			if n := w.history("events").Len(); n != history.Len()+1 {
				t.Errorf("%d records; want one more than %d", n, history.Len())
			}
			w.linear("events")
		})
	}
}

// The sources change under the apply job: what it verified is not there any more
// when it pushes, and it deletes nothing (S9-09).
func TestThreatSourcesChangeDuringApply(t *testing.T) {
	w := newWorld(t)
	other, plan := w.second(), w.plan()
	var before string
	w.server.Once(gittest.PushPack, gittest.Do(func() {
		other.plant("events", shard.Change{Delete: []shard.ID{plan.Sources[0].ID}, Message: "by hand"})
		before = w.content()
	}))
	if out, err := w.apply(plan.Append(nil)); err != nil || out.Status != compact.Stale {
		t.Errorf("%+v, %v", out, err)
	}
	w.unchanged(before, "sources that change")
}

// Two runs persist at once: neither takes the other's records off the branch.
func TestThreatPersistDuringPersist(t *testing.T) {
	w := newWorld(t)
	other, history := w.second(), w.history("events")
	w.server.Once(gittest.PushPack, gittest.Do(func() {
		other.run(`{"type":"ledger_append","ledger":"events","record":{"n":"theirs"}}`)
	}))
	w.run(`{"type":"ledger_append","ledger":"events","record":{"n":"ours"}}`)
	w.visible("events", history)
	got, err := w.database("events").Query(t.Context(), "SELECT json_extract(payload, '$.n') AS n FROM records WHERE n IN ('ours', 'theirs') ORDER BY n")
	if err != nil || fmt.Sprint(got.Rows) != `[[ours] [theirs]]` {
		t.Errorf("%+v, %v", got, err)
	}
	w.linear("events")
}

// A plan that was applied is replayed after a later one retired its replacement
// as well, and after somebody put one of its sources back (S9-09).
func TestThreatPlanReplayedLater(t *testing.T) {
	w := newWorld(t)
	first, source := w.plan(), w.snapshot("events").Shards[0]
	if out, err := w.apply(first.Append(nil)); err != nil || out.Status != compact.Applied {
		t.Fatalf("%+v, %v", out, err)
	}
	w.run(`{"type":"ledger_append","ledger":"events","record":{"n":"more"}}`)
	if out, err := w.apply(w.plan().Append(nil)); err != nil || out.Status != compact.Applied {
		t.Fatalf("%+v, %v", out, err)
	}
	history, before := w.history("events"), w.content()
	if out, err := w.apply(first.Append(nil)); err != nil || out.Status != compact.AlreadyApplied {
		t.Errorf("after a later compaction: %+v, %v", out, err)
	}
	w.unchanged(before, "a plan from before a later compaction")

	w.plant("events", shard.Change{Add: []shard.Addition{{ID: source.ID, Data: source.Data}}})
	before = w.content()
	if out, err := w.apply(first.Append(nil)); err != nil || out.Status != compact.Stale {
		t.Errorf("with a source put back: %+v, %v", out, err)
	}
	w.unchanged(before, "a source put back")
	w.visible("events", history)
}

// linear judges that each commit has the one before it as its only parent:
// nobody overwrote a head that somebody else had moved to.
func (w *world) linear(name string) {
	w.t.Helper()
	if merges := w.git("rev-list", "--min-parents=2", "ledgers/"+name); merges != "" {
		w.t.Errorf("merges: %s", merges)
	}
	if roots := w.git("rev-list", "--max-parents=0", "--count", "ledgers/"+name); roots != "1\n" {
		w.t.Errorf("%s roots", roots)
	}
}

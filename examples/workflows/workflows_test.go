//go:build cgo

package workflows

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/shard"
	"github.com/gitledger/gitledger/shard/gitbranch"
	"github.com/gitledger/gitledger/txn"
)

var (
	all         = []string{"agent", "safe_outputs", "push_ledger_changes"}
	maintenance = []string{"ledger_compaction_plan", "ledger_compaction_apply"}
)

func (r *runner) history(name string) (*ledger.History, *shard.Snapshot) {
	r.t.Helper()
	repo, err := gitbranch.Open(r.t.Context(), gitbranch.Options{URL: r.path})
	if err != nil {
		r.t.Fatal(err)
	}
	defer repo.Close()
	reader, err := repo.Reader("ledgers/" + name)
	if err != nil {
		r.t.Fatal(err)
	}
	snap, err := reader.Snapshot(r.t.Context(), shard.MaintenanceLimits())
	if err != nil {
		r.t.Fatal(err)
	}
	h, err := ledger.Reconstruct(r.t.Context(), snap)
	if err != nil || h.Err() != nil {
		r.t.Fatal(err, h.Err())
	}
	return h, snap
}

func (r *runner) result() *txn.Result {
	r.t.Helper()
	result := &txn.Result{}
	if err := json.Unmarshal([]byte(r.values["needs.push_ledger_changes.outputs.ledger_result"]), result); err != nil {
		r.t.Fatal(err, r.said.String())
	}
	return result
}

// TestSample plays three runs and maintenance.
func TestSample(t *testing.T) {
	r := newRunner(t)
	for run := range 3 {
		r.play("ledger.yml", nil, all)
		if result := r.result(); !result.Durable() || len(result.Ledgers) != 2 {
			t.Fatalf("run %d: %+v\n%s", run, result, r.said.String())
		}
	}
	for _, name := range []string{"seen", "findings"} {
		if h, snap := r.history(name); h.Len() != 3 || len(snap.Shards) != 3 {
			t.Errorf("%s: %d records in %d shards", name, h.Len(), len(snap.Shards))
		}
	}
	for _, want := range []string{"```mermaid\ngraph LR\n", "| ledger | type | records | shards | heads |", "class r1 head", `"rows":[[1]]`} {
		if !strings.Contains(r.said.String(), want) {
			t.Errorf("nothing says %q:\n%s", want, r.said.String())
		}
	}

	r.said.Reset()
	r.play("maintenance.yml", nil, maintenance)
	// findings may be compacted from two shards on, seen from 32 on.
	if r.values["needs.ledger_compaction_plan.outputs.plan_0"] != "true" || r.values["needs.ledger_compaction_plan.outputs.plan_1"] != "false" {
		t.Errorf("%v\n%s", r.values, r.said.String())
	}
	if h, snap := r.history("findings"); h.Len() != 3 || len(snap.Shards) != 1 || snap.State == nil {
		t.Errorf("%d records in %d shards", h.Len(), len(snap.Shards))
	}
	for _, want := range []string{"| before | 3 | 1010 | ▁▁▁ |\n| after | 1 | 1010 | ▁ |", "| findings | applied | verified | 3 | 3 |"} {
		if !strings.Contains(r.said.String(), want) {
			t.Errorf("nothing says %q:\n%s", want, r.said.String())
		}
	}

	// Maintenance of one ledger leaves the other alone.
	r.play("maintenance.yml", map[string]string{"inputs.ledger": "seen"}, maintenance)
	if v := r.values["needs.ledger_compaction_plan.outputs.plan_0"]; v != "" {
		t.Errorf("findings was planned: %q", v)
	}
	// The agent sees what is there after compaction, and the next run goes on.
	r.play("ledger.yml", nil, all)
	if h, _ := r.history("findings"); h.Len() != 4 {
		t.Errorf("%d records", h.Len())
	}
}

// Jobs that run a second time find what they did.
func TestRunAgain(t *testing.T) {
	r := newRunner(t)
	r.play("ledger.yml", nil, all)
	r.runs-- // the same run
	r.play("ledger.yml", nil, all)
	for _, l := range r.result().Ledgers {
		if l.Status != txn.AlreadyPresent {
			t.Errorf("%s: %s", l.Ledger, l.Status)
		}
	}
}

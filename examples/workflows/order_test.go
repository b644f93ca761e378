//go:build cgo

package workflows

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/replay/sqlite"
	"github.com/gitledger/gitledger/txn"
)

// remember takes requests through the two trusted jobs of a run.
func (r *world) remember(run int, requests ...string) ended {
	r.t.Helper()
	r.env["GITHUB_RUN_ID"] = fmt.Sprint(run)
	file, artifact := r.write(fmt.Sprintf("requests-%d.jsonl", run), strings.Join(requests, "\n")+"\n"), r.path(fmt.Sprintf("transactions-%d.json", run))
	r.run("safeoutputs", file, artifact).want(r.t, 0)
	return r.run("persist", artifact).want(r.t, 0)
}

// The five mains in the order of a run and of maintenance.
func TestInOrder(t *testing.T) {
	t.Parallel()
	r := newWorld(t)
	s := r.run("prepare", "-json", "findings", r.path("0/ledger.db")).want(t, 0)
	var reports []sqlite.Report
	if s.into(t, &reports); len(reports) != 1 || reports[0].Records != 0 {
		t.Errorf("%s", s.stdout)
	}

	requests := r.write("requests.jsonl", strings.Join([]string{
		`{"type":"create_issue","title":"not ours"}`,
		`{"type":"ledger_append","ledger":"findings","operation":"insert","value":{"id":"F-1"}}`,
		`{"type":"ledger_append","ledger":"seen","operation":"add","value":"a"}`,
		``,
		`{"type":"add-comment","body":"nor this"}`,
	}, "\n"))
	s = r.run("safeoutputs", "-json", requests, r.path("deep/transactions.json")).want(t, 0)
	var accepted struct {
		TransactionID string `json:"transaction_id"`
		Records       int
		Others        int `json:"other_lines"`
	}
	if s.into(t, &accepted); accepted.TransactionID != "4200:1" || accepted.Records != 2 || accepted.Others != 2 || !strings.Contains(s.summary, "| findings | 1 |") {
		t.Errorf("%s\n%s", s.stdout, s.summary)
	}

	s = r.run("persist", "-json", r.path("deep/transactions.json")).want(t, 0)
	var printed, output txn.Result
	s.into(t, &printed)
	if err := json.Unmarshal([]byte(s.outputs()["ledger_result"]), &output); err != nil || !output.Durable() || len(output.Ledgers) != 2 || len(printed.Ledgers) != 2 {
		t.Errorf("%v %q", err, s.output)
	}
	for _, want := range []string{"| findings | persisted |", "```mermaid\ngraph LR\n  r0[\"", "  class r0 head\n"} {
		if !strings.Contains(s.summary, want) {
			t.Errorf("no %q in\n%s", want, s.summary)
		}
	}
	r.env["GH_AW_LEDGER_TRANSACTIONS"] = r.path("deep/transactions.json") // as the runtime says it
	if s = r.run("persist").want(t, 0); !strings.Contains(s.stdout, "findings: already_present, 0 new, 1 present") {
		t.Errorf("%s", s.stdout)
	}

	for run := range 9 {
		var requests []string
		for i := range 4 {
			requests = append(requests, fmt.Sprintf(`{"type":"ledger_append","ledger":"findings","operation":"insert","value":{"id":"F-%d-%d"}}`, run, i))
		}
		r.remember(5000+run, requests...)
	}
	s = r.run("prepare", "findings", r.path("1/ledger.db")).want(t, 0)
	if s.stdout != "findings: 37 records in 10 shards\n" || strings.Count(s.summary, "[\"") != 30 || strings.Count(s.summary, "-->") != 29 ||
		!strings.Contains(s.summary, "  class r36 head\n") || !strings.Contains(s.summary, "30 of 37 records") {
		t.Errorf("%s\n%s", s.stdout, s.summary)
	}
	r.maintain()
}

// maintain takes the ten shards of findings, of which a plan merges at most eight,
// through the pair of maintenance jobs.
func (r *world) maintain() {
	r.t.Helper()
	t := r.t
	r.env["GH_AW_LEDGER_COMPACTION_TRIGGER"] = "requested"
	for _, other := range []string{"seen", "Findings"} { // the name that is asked for, exactly
		r.env["GH_AW_LEDGER_COMPACTION_REQUESTED"] = other
		if s := r.run("plan", "findings", r.path("none.json")).want(t, 0); s.output != "plan_created=false\n" || !strings.Contains(s.stdout, "not-requested") {
			t.Errorf("%s%s", s.output, s.stdout)
		}
	}
	r.env["GH_AW_LEDGER_COMPACTION_REQUESTED"] = "findings"
	plan := r.path("plans/plan-0.json")
	s := r.run("plan", "-json", "findings", plan).want(t, 0)
	var proposed struct {
		Created bool `json:"plan_created"`
		Stats   compact.Stats
	}
	if s.into(t, &proposed); s.output != "plan_created=true\n" || !proposed.Created || proposed.Stats.SourceSegments != 8 {
		t.Errorf("%s%s", s.output, s.stdout)
	}
	s = r.run("apply", "-json", "findings", plan).want(t, 0)
	var outcome compact.Outcome
	if s.into(t, &outcome); outcome.Status != compact.Applied {
		t.Errorf("%s", s.stdout)
	}
	for _, want := range []string{"| before | 10 |", "| after | 3 |", " ▁▂▂▂▂▂▂▂▂▂ |"} {
		if !strings.Contains(s.summary, want) {
			t.Errorf("no %q in\n%s", want, s.summary)
		}
	}
	if names := strings.Fields(r.git("", "ls-tree", "-r", "--name-only", "ledgers/findings")); len(names) != 4 {
		t.Errorf("the branch holds %d files, want 3 shards and the state", len(names))
	}
	if s = r.run("apply", "findings", plan).want(t, 0); !strings.HasPrefix(s.stdout, "findings: already_applied") {
		t.Errorf("%s", s.stdout)
	}
	if s = r.run("prepare", "findings", r.path("2/ledger.db")).want(t, 0); s.stdout != "findings: 37 records in 3 shards\n" {
		t.Errorf("%s", s.stdout)
	}
	delete(r.env, "GH_AW_LEDGER_COMPACTION_REQUESTED")
	r.env["GH_AW_LEDGER_COMPACTION_TRIGGER"] = "scheduled" // a moment after it was compacted
	if s = r.run("plan", "findings", r.path("none.json")).want(t, 0); s.output != "plan_created=false\n" {
		t.Errorf("%s%s", s.output, s.stdout)
	}
}

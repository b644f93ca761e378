package ledger_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/ledger"
)

func parse(t testing.TB, value string) ledger.Configs {
	t.Helper()
	configs, err := ledger.ParseYAMLValue([]byte(value))
	if err != nil {
		t.Fatal(err)
	}
	return configs
}

func TestMerge(t *testing.T) {
	a := ledger.Workflow{ID: "a", Ledgers: parse(t, `{shared: {type: map, compaction: {schedule: weekly}}, alone: {}}`)}
	b := ledger.Workflow{ID: "b", Ledgers: parse(t, `{shared: {type: map, compaction: {schedule: daily}, max-segment-kb: 200}, Shared: {}}`)}
	c := ledger.Workflow{ID: "c", Ledgers: parse(t, `{shared: {type: map, compaction: {schedule: weekly}, schema: {}}}`)}
	want := "Shared raw\nalone raw\nshared map compaction=weekly/32/128"
	differences := []string{"b: tools.ledger.shared.max-segment-kb", "b: tools.ledger.shared.compaction", "c: tools.ledger.shared.schema"}
	for _, order := range [][]ledger.Workflow{{a, b, c}, {c, b, a}, {b, a, c}} {
		got, problems := ledger.Merge(order...)
		if summary(got) != want {
			t.Errorf("got %s\nwant %s", summary(got), want)
		}
		var paths []string
		for _, p := range problems {
			paths = append(paths, p.Path)
			if p.Code != ledger.ProblemPolicyDiffers || !strings.Contains(p.Text, "workflow a") {
				t.Errorf("%+v", p)
			}
		}
		if !slices.Equal(paths, differences) {
			t.Errorf("got %v, want %v", paths, differences)
		}
	}
	if got, problems := ledger.Merge(); got != nil || problems != nil {
		t.Errorf("nothing merges to %v %v", got, problems)
	}
}

func TestMaintenanceJobs(t *testing.T) {
	configs := parse(t, `{Runs: {}, runs: {compaction: {schedule: manual}}, off: {compaction: false}}`)
	jobs, err := ledger.MaintenanceJobs(configs)
	if err != nil || len(jobs) != 2 {
		t.Fatal(jobs, err)
	}
	plan, apply := jobs[0], jobs[1]
	if plan.Trust != ledger.Untrusted || apply.Trust != ledger.Trusted || !slices.Equal(apply.Needs, []string{plan.Host}) {
		t.Errorf("%+v\n%+v", plan, apply)
	}
	if !slices.Equal(plan.Permissions, []ledger.Permission{{Scope: "contents", Access: "read"}}) || plan.Credentials[0].Kind != ledger.RepositoryRead {
		t.Errorf("plan may write: %+v %+v", plan.Permissions, plan.Credentials)
	}
	if len(plan.Steps) != 2 || len(apply.Steps) != 2 {
		t.Fatalf("%d plan and %d apply steps", len(plan.Steps), len(apply.Steps))
	}
	for i, file := range []string{ledger.PlanFile(0), ledger.PlanFile(1)} {
		if plan.Steps[i].Arguments[2] != file || apply.Steps[i].Arguments[2] != file {
			t.Errorf("step %d: %v, %v", i, plan.Steps[i].Arguments, apply.Steps[i].Arguments)
		}
	}
	if strings.EqualFold(ledger.PlanFile(0), ledger.PlanFile(1)) {
		t.Error("plan files collide")
	}
	if !strings.Contains(plan.Steps[0].Condition, "schedule") || strings.Contains(plan.Steps[1].Condition, "schedule") {
		t.Errorf("conditions %q, %q", plan.Steps[0].Condition, plan.Steps[1].Condition)
	}
	runs, _ := configs.Lookup("runs")
	off, _ := configs.Lookup("off")
	if !runs.Requested("") || !runs.Requested("runs") || runs.Requested("Runs") || off.Requested("off") {
		t.Error("Requested does not compare exactly")
	}
	if jobs, err := ledger.MaintenanceJobs(parse(t, `{off: {compaction: false}}`)); jobs != nil || err != nil {
		t.Errorf("%v %v", jobs, err)
	}
}

func TestJobs(t *testing.T) {
	jobs, err := ledger.Jobs(parse(t, `{a: {}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]struct {
		trust  ledger.Trust
		access string
		kind   ledger.CredentialKind
	}{
		"prepare":      {ledger.Trusted, "contents: read", ledger.RepositoryRead},
		"agent":        {ledger.Untrusted, "contents: read", ""},
		"safe_outputs": {ledger.Trusted, "actions: write", ledger.SafeOutput},
		"persist":      {ledger.Trusted, "contents: write", ledger.LedgerWrite},
		"plan":         {ledger.Untrusted, "contents: read", ledger.RepositoryRead},
		"apply":        {ledger.Trusted, "contents: write", ledger.LedgerWrite},
	}
	if len(jobs) != len(want) {
		t.Fatalf("%d jobs", len(jobs))
	}
	for _, j := range jobs {
		w := want[j.Name]
		kind := ledger.CredentialKind("")
		if len(j.Credentials) > 0 {
			kind = j.Credentials[0].Kind
		}
		if j.Trust != w.trust || len(j.Permissions) != 1 || j.Permissions[0].Scope+": "+j.Permissions[0].Access != w.access || kind != w.kind {
			t.Errorf("%s: %v %v %v", j.Name, j.Trust, j.Permissions, kind)
		}
		if j.Trust == ledger.Untrusted && kind == ledger.LedgerWrite || j.Calls == "" || j.Purpose == "" {
			t.Errorf("%+v", j)
		}
		if j.Name == "persist" && (len(j.Environment) != 1 || j.Environment[0].Name != ledger.EnvConfig) {
			t.Errorf("persist is told more than the configuration: %v", j.Environment)
		}
		for _, v := range j.Environment {
			if v.Name == ledger.EnvConfig {
				if got, err := ledger.ParseBase64(v.Value); err != nil || summary(got) != "a raw" {
					t.Errorf("%s: %v %v", j.Name, got, err)
				}
			}
		}
	}
	// Without compaction nothing is dispatched, so safe outputs needs no permission.
	jobs, err = ledger.Jobs(parse(t, `{a: {compaction: false}}`))
	if err != nil || len(jobs) != 4 || len(jobs[2].Permissions) != 0 || len(jobs[2].Credentials) != 0 {
		t.Errorf("%+v %v", jobs, err)
	}
	if jobs, err := ledger.Jobs(nil); jobs != nil || err != nil {
		t.Errorf("%v %v", jobs, err)
	}
}

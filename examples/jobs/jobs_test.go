package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/gitledger/gitledger/ledger"
)

type workflow struct {
	Jobs map[string]struct {
		Needs       []string
		If          string
		Permissions map[string]string
		Env         map[string]string
		Concurrency any
		Outputs     map[string]string
		Steps       []struct {
			ID, Name, Run, If, Uses string
			Env                     map[string]string
		}
	}
	Permissions map[string]string
	Concurrency any
}

func rendered(t *testing.T, args ...string) ([]byte, workflow, string) {
	t.Helper()
	var out, warnings bytes.Buffer
	if err := run(append([]string{"-root", "testdata"}, args...), &out, &warnings); err != nil {
		t.Fatal(err)
	}
	var w workflow
	if err := yaml.Unmarshal(out.Bytes(), &w); err != nil {
		t.Fatalf("not YAML: %v\n%s", err, out.Bytes())
	}
	if w.Concurrency != nil || w.Permissions == nil || len(w.Permissions) != 0 {
		t.Errorf("workflow has concurrency %v, permissions %v", w.Concurrency, w.Permissions)
	}
	return out.Bytes(), w, warnings.String()
}

func TestWorkflow(t *testing.T) {
	_, w, _ := rendered(t, "testdata/reviews.md")
	want := map[string]map[string]string{
		"agent":               {"contents": "read"},
		"safe_outputs":        {"actions": "write"},
		"push_ledger_changes": {"contents": "write"},
	}
	if len(w.Jobs) != len(want) {
		t.Errorf("%d jobs, want %d", len(w.Jobs), len(want))
	}
	for name, permissions := range want {
		job := w.Jobs[name]
		for scope, access := range permissions {
			if len(job.Permissions) != len(permissions) || job.Permissions[scope] != access {
				t.Errorf("%s: permissions %v, want %v", name, job.Permissions, permissions)
			}
		}
		for _, v := range job.Env {
			if strings.Contains(v, "token") || strings.Contains(v, "secrets.") {
				t.Errorf("%s: a credential in the job's environment", name)
			}
		}
		for _, s := range job.Steps {
			if s.Run == "run-the-agent" && len(s.Env) != 0 {
				t.Errorf("the agent is handed %v", s.Env)
			}
			if strings.Contains(s.Run, "${{") {
				t.Errorf("%s: an expression in a command: %s", s.Name, s.Run)
			}
		}
	}
	if _, ok := w.Jobs["agent"]; !ok || len(w.Jobs["agent"].Steps) != 5 { // three ledgers, the agent, the upload
		t.Errorf("agent: %+v", w.Jobs["agent"].Steps)
	}
}

// A workflow file's name is its author's; the YAML around it stays what it is.
func TestNamesAreQuoted(t *testing.T) {
	configs, err := ledger.ParseYAMLValue([]byte("{true: {}, 007x: {type: notes}, null: {type: map}}"))
	if err == nil {
		t.Fatalf("names that are no strings were read: %v", configs)
	}
	configs, err = ledger.ParseYAMLValue([]byte(`{"true": {}, 1e3: {type: notes}, "null": {type: map}, "0x1": {}}`))
	if err == nil { // 1e3 is a number
		t.Fatalf("a number was read as a name: %v", configs)
	}
	configs, err = ledger.ParseYAMLValue([]byte(`{"true": {}, "1e3": {type: notes}, "null": {type: map}, "0x1": {}}`))
	if err != nil {
		t.Fatal(err)
	}
	r := renderer{program: "job", agent: "agent"}
	for _, name := range []string{"a: b", "a\nb: c", "\"'\\ #", "::error::", "- x", "null", "${{ x }}", "\u2028", "<b>`", "*a", "!x", "%"} {
		text, err := r.workflow(name, configs)
		if err != nil {
			t.Fatal(err)
		}
		var w struct {
			Name string
			Jobs map[string]any
		}
		if err := yaml.Unmarshal(text, &w); err != nil || w.Name != name || len(w.Jobs) != 3 {
			t.Errorf("%q came back as %q with %d jobs: %v", name, w.Name, len(w.Jobs), err)
		}
	}
	text, err := r.maintenance(configs)
	if err != nil {
		t.Fatal(err)
	}
	var w workflow
	if err := yaml.Unmarshal(text, &w); err != nil {
		t.Fatal(err)
	}
	for i, c := range configs {
		if got, want := w.Jobs[ledger.PlanHost].Steps[i].Name, "Plan compaction of ledger "+c.Name; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestMaintenance(t *testing.T) {
	_, w, warnings := rendered(t, "-maintenance", "testdata/triage.md", "testdata/reviews.md")
	if !strings.Contains(warnings, "triage: tools.ledger.Reviews.compaction") {
		t.Errorf("warnings %q name no differing policy", warnings)
	}
	plan, apply := w.Jobs["ledger_compaction_plan"], w.Jobs["ledger_compaction_apply"]
	if len(w.Jobs) != 2 || len(plan.Permissions) != 1 || plan.Permissions["contents"] != "read" || apply.Permissions["contents"] != "write" {
		t.Errorf("jobs %v", w.Jobs)
	}
	if plan.Concurrency != nil || apply.Concurrency != nil {
		t.Error("a job has a concurrency group")
	}
	if len(apply.Needs) != 1 || apply.Needs[0] != "ledger_compaction_plan" {
		t.Errorf("apply needs %v", apply.Needs)
	}
	for _, steps := range [][]string{runs(plan.Steps), runs(apply.Steps)} {
		files := map[string]bool{}
		for _, command := range steps {
			fields := strings.Fields(command)
			files[strings.ToLower(fields[len(fields)-1])] = true
		}
		if len(steps) != 3 || len(files) != 3 { // Reviews, issues and reviews; totals is not compacted
			t.Errorf("steps %v, files %v", steps, files)
		}
	}
}

func runs(steps []struct {
	ID, Name, Run, If, Uses string
	Env                     map[string]string
}) []string {
	var out []string
	for _, s := range steps {
		if s.Run != "" {
			out = append(out, s.Run)
		}
	}
	return out
}

// The linter is no dependency of the module: the go command fetches it.
func TestActionlint(t *testing.T) {
	dir := t.TempDir()
	lint := exec.Command("go", "run", "github.com/rhysd/actionlint/cmd/actionlint@v1.7.7")
	lint.Dir = dir
	lint.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	probe := exec.Command(lint.Args[0], append(lint.Args[1:], "-version")...)
	probe.Dir, probe.Env = lint.Dir, lint.Env
	if out, err := probe.CombinedOutput(); err != nil {
		t.Skipf("NOT CHECKED: actionlint cannot be installed here (%v): %.300s", err, out)
	}
	for name, args := range map[string][]string{
		"workflow.yml":    {"testdata/reviews.md"},
		"maintenance.yml": {"-maintenance", "testdata/triage.md", "testdata/reviews.md"},
	} {
		text, _, _ := rendered(t, args...)
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		lint.Args = append(lint.Args, path)
	}
	lint.Args = append(lint.Args[:3:3], append([]string{"-shellcheck=", "-pyflakes="}, lint.Args[3:]...)...)
	if out, err := lint.CombinedOutput(); err != nil {
		t.Errorf("actionlint: %v\n%s", err, out)
	}
}

func TestRefused(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.md")
	if err := os.WriteFile(bad, []byte("---\ntools: { ledger: { a: { type: tabel } } }\n---\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{}, {"a", "b"}, {"missing.md"}, {bad}} {
		var out bytes.Buffer
		if err := run(args, &out, &out); err == nil {
			t.Errorf("run(%v) succeeded", args)
		}
	}
}

//go:build cgo

package workflows

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

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
	for _, want := range []string{"| ▁▁▁ |\n| after | 1 |", "| findings | applied | verified | 3 | 3 |"} {
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

// A run whose agent asks for nothing leaves no commit and no failure.
func TestNothingAsked(t *testing.T) {
	r := newRunner(t)
	r.play("ledger.yml", nil, all, "agent call", "true")
	if result := r.result(); !result.Durable() || len(result.Ledgers) != 0 {
		t.Errorf("%+v", result)
	}
	if r.values["needs.push_ledger_changes.result"] != "success" {
		t.Error(r.said.String())
	}
}

// An agent that is hostile to those who read logs and summaries.
func TestHostilePayloads(t *testing.T) {
	r := newRunner(t)
	hostile := `\n::set-output name=x::y\n::add-mask::z\n##[add-path]/x\u001b[2J\u202e</td><script>alert(1)</script>| [x](javascript:y)` + "```"
	line := `{"type":"ledger_append","ledger":"seen","operation":"add","value":"` + hostile + `"}`
	other := `{"type":"create_issue","title":"` + hostile + `"}`
	write := `cat > "$GH_AW_SAFE_OUTPUTS" <<'END'` + "\n            " + line + "\n            " + other + "\n            END"
	play := func(line string) {
		r.play("ledger.yml", nil, all, `agent call ledger_append '{"ledger":"seen","operation":"add","value":"octo/web#7"}'`, line, "agent call", "true")
	}
	play(strings.ReplaceAll(write, "            ", "          "))
	if !r.result().Durable() {
		t.Fatal(r.said.String())
	}
	if h, _ := r.history("seen"); h.Len() != 1 {
		t.Fatalf("%d records", h.Len())
	}
	r.play("ledger.yml", nil, all) // prepares it, and prints
	for _, bad := range []string{
		strings.Replace(line, `"add"`, `"drop`+hostile+`"`, 1), strings.Replace(line, "seen", hostile, 1), strings.Replace(line, `"value"`, `"`+hostile+`"`, 1),
		`{"type":"ledger_request_compaction","ledger":"` + hostile + `"}`,
	} {
		play(strings.ReplaceAll(`cat > "$GH_AW_SAFE_OUTPUTS" <<'END'`+"\n"+bad+"\nEND", "\n", "\n          "))
	}
	for line := range strings.Lines(r.said.String()) {
		if strings.HasPrefix(strings.TrimSpace(line), "::") && !regexp.MustCompile(`^::(error|warning|notice) title=[a-z]+::[^\x00-\x1f]*\n$`).MatchString(line) {
			t.Errorf("a workflow command: %q", line)
		}
		for _, never := range []string{"set-output", "\x1b", "\u202e", "<script", "javascript:", "##["} {
			if strings.Contains(line, never) {
				t.Errorf("%q is in %q", never, line)
			}
		}
	}
}

func TestExitCodes(t *testing.T) {
	r := newRunner(t)
	r.play("ledger.yml", nil, all)
	var file struct{ Env map[string]string }
	text, err := os.ReadFile("ledger.yml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	config := file.Env[ledger.EnvConfig]
	dir := t.TempDir()
	forged, broken := dir+"/forged.json", dir+"/broken.jsonl"
	for path, data := range map[string]string{forged: `{"version":1,"transaction_id":"1","ledgers":{"seen":{"appends":[{}]}}}`, broken: "{\"type\":\"ledger_append\"\n"} {
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	remote := []string{"GITHUB_SERVER_URL=" + r.server.URL, "GITHUB_REPOSITORY=octo/memory", "GITHUB_RUN_ID=9"}
	r.server.Require("Basic bm9ib2R5OnJpZ2h0")
	for _, test := range []struct {
		name string
		args []string
		env  []string
		code int
	}{
		{"no configuration", []string{"prepare"}, remote, 2},
		{"no base64", []string{"prepare"}, append(remote, ledger.EnvConfig+"=!!"), 2},
		{"no repository", []string{"prepare"}, []string{ledger.EnvConfig + "=" + config}, 2},
		{"a wrong token", []string{"prepare"}, append(remote, ledger.EnvConfig+"="+config, "GH_TOKEN=canary"), 2},
		{"one argument too few", []string{"prepare", "seen"}, append(remote, ledger.EnvConfig+"="+config), 2},
		{"no such ledger", []string{"prepare", "other", dir + "/x.db"}, append(remote, ledger.EnvConfig+"="+config), 2},
		{"a forged artifact", []string{"persist", forged}, append(remote, ledger.EnvConfig+"="+config, "GH_TOKEN=canary"), 3},
		{"no such artifact", []string{"persist", dir + "/none"}, append(remote, ledger.EnvConfig+"="+config), 2},
		{"broken requests", []string{"safeoutputs", broken, dir + "/out.json"}, append(remote, ledger.EnvConfig+"="+config), 3},
		{"no transaction ID", []string{"safeoutputs", dir + "/none", dir + "/out.json"}, []string{ledger.EnvConfig + "=" + config}, 2},
		{"a forged plan", []string{"apply", "seen", forged}, append(remote, ledger.EnvMaintenance+"="+config, "GH_TOKEN=canary", "GITHUB_ACTIONS=true"), 3},
		{"nobody answers", []string{"prepare", "-repo", "http://127.0.0.1:1/x.git", "seen", dir + "/x.db"}, []string{ledger.EnvConfig + "=" + config}, 1},
		{"help", []string{"plan", "-h"}, nil, 0},
	} {
		cmd := exec.CommandContext(t.Context(), programs+"/"+test.args[0], test.args[1:]...)
		cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, test.env...)
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != test.code {
			t.Errorf("%s: exit code %d, want %d: %s", test.name, code, test.code, out)
		}
		for _, secret := range []string{"canary", dir, r.server.URL} {
			if strings.Contains(string(out), secret) {
				t.Errorf("%s: says %s: %s", test.name, secret, out)
			}
		}
	}
}

func TestActionlint(t *testing.T) {
	lint := exec.Command("go", "run", "github.com/rhysd/actionlint/cmd/actionlint@v1.7.7", "-shellcheck=", "-pyflakes=", "ledger.yml", "maintenance.yml")
	lint.Env = append(os.Environ(), "GOFLAGS=")
	probe := exec.Command("go", "run", "github.com/rhysd/actionlint/cmd/actionlint@v1.7.7", "-version")
	probe.Env = lint.Env
	if out, err := probe.CombinedOutput(); err != nil {
		t.Skipf("NOT CHECKED: actionlint cannot be installed here (%v): %.300s", err, out)
	}
	if out, err := lint.CombinedOutput(); err != nil {
		t.Errorf("actionlint: %v\n%s", err, out)
	}
}

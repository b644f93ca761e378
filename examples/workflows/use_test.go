//go:build cgo

package workflows

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gitledger/gitledger/internal/actions"
	"github.com/gitledger/gitledger/ledger"
)

// -h teaches: which variables are read, what is written, an example, the codes.
func TestHelp(t *testing.T) {
	t.Parallel()
	variables := map[string][]string{
		"prepare":     {ledger.EnvConfig, ledger.EnvToken, "GITHUB_SERVER_URL", "GITHUB_REPOSITORY"},
		"safeoutputs": {ledger.EnvConfig, ledger.EnvTransactions, ledger.EnvToken, "GITHUB_RUN_ID", "GITHUB_API_URL"},
		"persist":     {ledger.EnvConfig, ledger.EnvTransactions, ledger.EnvToken, ledger.OutputResult},
		"plan":        {ledger.EnvMaintenance, ledger.EnvPlanFile, ledger.EnvTrigger, ledger.EnvRequested, ledger.OutputPlanCreated},
		"apply":       {ledger.EnvMaintenance, ledger.EnvPlanFile, ledger.EnvToken},
	}
	for _, name := range mains {
		cmd := exec.Command(programs+"/"+name, "-h")
		cmd.Env = []string{"GITHUB_ACTIONS=true"}
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, want := range append(variables[name], "usage: "+name, "Reads ", "Writes ", "\n  "+name+" ", "-json", "-config", "-summary", actions.ExitCodes) {
			if want == "\n  "+name+" " && strings.Contains(string(out), "GH_TOKEN=… "+name) {
				continue
			}
			if !strings.Contains(string(out), want) {
				t.Errorf("%s -h has no %q", name, want)
			}
		}
		if strings.Contains(string(out), "-token") {
			t.Errorf("%s takes a token where others can read it", name)
		}
	}
}

// A flag does what its variable does.
func TestFlags(t *testing.T) {
	t.Parallel()
	r := newWorld(t)
	config, maintenance, url := r.env[ledger.EnvConfig], r.env[ledger.EnvMaintenance], r.server.URL+"/octo/memory.git"
	for _, name := range []string{ledger.EnvConfig, ledger.EnvMaintenance, "GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID"} {
		delete(r.env, name)
	}
	requests := r.write("r.jsonl", `{"type":"ledger_append","ledger":"findings","operation":"insert","value":{"id":"1"}}`)
	for _, run := range []string{"1:1", "2:1"} {
		if run == "2:1" {
			requests = r.write("r2.jsonl", `{"type":"ledger_append","ledger":"findings","operation":"insert","value":{"id":"2"}}`)
		}
		r.run("safeoutputs", "-config", config, "-transaction", run, requests, r.path(run)).want(t, 0)
		r.run("persist", "-config", config, "-repo", url, r.path(run)).want(t, 0)
	}
	// A path needs no server and no token.
	delete(r.env, ledger.EnvToken)
	r.run("prepare", "-config", config, "-repo", r.repo, "findings", r.path("f.db")).want(t, 0)
	s := r.run("plan", "-config", maintenance, "-repo", "file://"+r.repo, "-trigger", "requested", "-requested", "findings",
		"-output", r.path("output"), "-summary", r.path("summary"), "findings", r.path("plan.json")).want(t, 0)
	if s.output != "" || s.summary != "" || read(r.path("output")) != "plan_created=true\n" || read(r.path("summary")) == "" {
		t.Errorf("%q %q %q", s.output, s.summary, read(r.path("output")))
	}
	r.run("apply", "-config", maintenance, "-repo", r.repo, "findings", r.path("plan.json")).want(t, 0)
}

// A request for compaction starts maintenance, once a run, and whatever comes of
// it stops no record.
func TestCompactionRequests(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex // of what the server shares with the test
	var bodies []string
	status := http.StatusNoContent
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		mu.Lock()
		defer mu.Unlock()
		bodies = append(bodies, q.Method+" "+q.URL.Path+" "+q.Header.Get("Authorization")+" "+string(body))
		w.WriteHeader(status)
		io.WriteString(w, payload)
	}))
	defer api.Close()
	seen := func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(bodies)
	}
	r := newWorld(t)
	r.env["GITHUB_API_URL"] = api.URL
	ask := `{"type":"ledger_request_compaction","ledger":"findings","reason":"` + payload + `"}`
	add := `{"type":"ledger_append","ledger":"seen","operation":"add","value":1}`
	evil := `{"type":"ledger_request_compaction","ledger":` + quoted(hostile[1]) + `}`
	requests := r.write("r.jsonl", strings.Join([]string{evil, ask, add, ask, evil}, "\n"))

	s := r.run("safeoutputs", "-json", "-ref", "trunk", requests, r.path("1.json")).want(t, 0)
	var accepted struct {
		Records     int
		Compactions []string `json:"compactions_requested"`
	}
	if s.into(t, &accepted); accepted.Records != 1 || len(accepted.Compactions) != 1 || accepted.Compactions[0] != "findings" {
		t.Errorf("%s", s.stdout)
	}
	if strings.Count(s.stderr, "::warning ") != 2 || !strings.Contains(s.summary, "consider findings") {
		t.Errorf("%s%s", s.stderr, s.summary)
	}
	want := "POST /repos/octo/memory/actions/workflows/agentics-maintenance.yml/dispatches Bearer " + token + " "
	var sent struct {
		Ref    string
		Inputs map[string]string
	}
	got := seen()
	if len(got) != 1 || !strings.HasPrefix(got[0], want) || json.Unmarshal([]byte(strings.TrimPrefix(got[0], want)), &sent) != nil ||
		sent.Ref != "trunk" || sent.Inputs["ledger"] != "findings" || sent.Inputs["operation"] != ledger.CompactOperation {
		t.Errorf("%q", got)
	}

	mu.Lock()
	status = http.StatusForbidden
	mu.Unlock()
	s = r.run("safeoutputs", "-ref", "trunk", requests, r.path("2.json")).want(t, 0)
	if !strings.Contains(s.stderr, "::warning ") || strings.Contains(s.summary, "consider") {
		t.Errorf("%s%s", s.stderr, s.summary)
	}
	sending := len(seen())
	delete(r.env, ledger.EnvToken)
	if s = r.run("safeoutputs", requests, r.path("3.json")).want(t, 0); !strings.Contains(s.stderr, ledger.EnvToken) || len(seen()) != sending {
		t.Errorf("%s", s.stderr)
	}
}

// What is no ledger's is passed over, and nothing else, whatever is wrong with it.
func TestOtherTools(t *testing.T) {
	t.Parallel()
	r := newWorld(t)
	spelled := r.write("r.jsonl", `{"type":"ledger-append","ledger":"seen","operation":"add","value":1}`) // as some clients do
	if s := r.run("safeoutputs", spelled, r.path("spelled.json")).want(t, 0); !strings.HasPrefix(s.stdout, "accepted 1 requests") {
		t.Errorf("%s", s.stdout)
	}
	for line, code := range map[string]int{
		`{"type":"create_issue","body":"ledger_append"}`:                            0,
		`{"type":"create_issue","body":"` + strings.Repeat("ledger_", 1<<17) + `"}`: 0, // longer than a request may be
		`{"type":"ledger_apend","ledger":"seen","operation":"add","value":1}`:       3,
		`{"type":"Ledger_append","ledger":"seen","operation":"add","value":1}`:      3,
		`{"type":7,"ledger":"seen","operation":"add","value":1}`:                    3,
		`{"type":"","ledger":"seen","operation":"add","value":1}`:                   3,
		`{"type":"ledger_append"`:                                                   3,
		`{"operation":"add"}`:                                                       3,
		`["create_issue"]`:                                                          3,
		`{"type":"ledger_append","value":"` + strings.Repeat("x", 300<<10) + `"}`:   3,
		"{\"type\":\"create_issue\xff\"}":                                           3,
	} {
		s := r.run("safeoutputs", r.write("r.jsonl", line), r.path("t.json"))
		if s.code != code || code == 0 && !strings.Contains(s.stdout, "; 1 lines of other tools") {
			t.Errorf("%.80q: exit code %d, want %d: %s", line, s.code, code, s.stdout)
		}
		os.Remove(r.path("t.json"))
	}
}

// The job that holds no storage cannot reach any: nothing of the kind is linked.
func TestSafeOutputsHoldsNoStorage(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", "../safeoutputs").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, no := range []string{"gitbranch", "git2go", "sqlite"} {
		if strings.Contains(string(out), no) {
			t.Errorf("safeoutputs links %s", no)
		}
	}
	if !strings.Contains(string(out), "gitledger/txn\n") {
		t.Error("nothing was listed")
	}
}

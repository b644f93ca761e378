//go:build cgo

package workflows

import (
	"encoding/json"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/ledger"
)

// TestRefused goes through what can be wrong around a job. The environment is put
// right again after each.
func TestRefused(t *testing.T) {
	t.Parallel()
	r := newWorld(t)
	r.remember(1, `{"type":"ledger_append","ledger":"findings","operation":"insert","value":{"id":"1"}}`)
	r.remember(2, `{"type":"ledger_append","ledger":"findings","operation":"insert","value":{"id":"2"}}`)
	good := r.path("transactions-1.json")
	r.env[ledger.EnvTrigger] = "requested"
	r.run("plan", "findings", r.path("plan.json")).want(t, 0)
	artifact, plan := read(good), read(r.path("plan.json"))
	before := r.git("", "for-each-ref")
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()

	const noPlace = "/proc/gitledger/ledger.db" // where not even root can make a folder
	requests := r.write("requests.jsonl", `{"type":"ledger_append","ledger":"findings","operation":"insert","value":{"id":"`+payload+`"}}`)
	rejected := r.path("rejected.json") // by the state: a key that is taken
	r.run("safeoutputs", "-transaction", "77:1", r.write("again.jsonl", `{"type":"ledger_append","ledger":"findings","operation":"insert","value":{"id":"1"}}`), rejected).want(t, 0)
	forgedID := r.write("id.json", strings.Replace(artifact, `"id":"ldg-`, `"id":"ldg-0`, 1))
	forgedLedger := r.write("ledger.json", strings.ReplaceAll(artifact, `"findings"`, `"`+payload+`"`))
	forgedText := r.write("text.json", "::error::"+payload)
	forgedPlan := r.write("forged.json", strings.Replace(plan, `"bytes":`, `"bytes":1`, 1))
	otherPlan := r.write("other.json", strings.ReplaceAll(plan, "ledgers/findings", "ledgers/"+payload))
	link := r.path("link.json")
	if err := os.Symlink(good, link); err != nil {
		t.Fatal(err)
	}

	type env map[string]string
	for name, c := range map[string]struct {
		env  env
		args []string
		code int
		says string
	}{
		"no such flag":          {nil, []string{"prepare", "-" + "nonsense"}, 2, "see -h"},
		"too many arguments":    {nil, []string{"prepare", "a", "b", "c"}, 2, "see -h"},
		"no configuration":      {env{ledger.EnvConfig: ""}, []string{"prepare"}, 2, ledger.EnvConfig},
		"no base64":             {env{ledger.EnvConfig: "::error::" + payload}, []string{"prepare"}, 2, "base64"},
		"no base64 in a flag":   {nil, []string{"persist", "-config", "%%%", good}, 2, "base64"},
		"base64 of no JSON":     {env{ledger.EnvConfig: "UEFZTE9BRA=="}, []string{"persist", good}, 2, "encode it again"},
		"no compaction's":       {env{ledger.EnvMaintenance: ""}, []string{"plan", "findings", "x"}, 2, ledger.EnvMaintenance},
		"no such ledger":        {nil, []string{"prepare", "Findings", r.path("x.db")}, 2, "no ledger of that name"},
		"no ledger named":       {nil, []string{"plan"}, 2, "LEDGER PLAN"},
		"a strange trigger":     {env{ledger.EnvTrigger: payload}, []string{"plan", "findings", "x"}, 2, ledger.EnvTrigger},
		"no repository":         {env{"GITHUB_REPOSITORY": ""}, []string{"prepare", "findings", "x"}, 2, "GITHUB_REPOSITORY"},
		"no token":              {env{ledger.EnvToken: ""}, []string{"persist", good}, 2, ledger.EnvToken},
		"a wrong token":         {env{ledger.EnvToken: "ghs_wrongSECRET"}, []string{"persist", good}, 2, "permission"},
		"a wrong token, prep":   {env{ledger.EnvToken: "ghs_wrongSECRET"}, []string{"prepare", "findings", "x"}, 2, "permission"},
		"a wrong token, plan":   {env{ledger.EnvToken: "ghs_wrongSECRET"}, []string{"plan", "findings", "x"}, 2, "permission"},
		"a wrong token, apply":  {env{ledger.EnvToken: "ghs_wrongSECRET"}, []string{"apply", "findings", r.path("plan.json")}, 2, "permission"},
		"no server":             {env{"GITHUB_SERVER_URL": "http://" + closed.Addr().String()}, []string{"prepare", "findings", "x"}, 1, "again"},
		"no such path":          {nil, []string{"prepare", "-repo", r.path("absent.git"), "findings", "x"}, 1, "again"},
		"a password in the URL": {nil, []string{"prepare", "-repo", "https://me:" + payload + "@127.0.0.1:1/x.git", "findings", "x"}, 2, "correct the repository's URL"},
		"a token over HTTP":     {nil, []string{"persist", "-repo", "http://example.invalid/x.git", good}, 2, "plain HTTP"},
		"a token for SSH":       {nil, []string{"plan", "-repo", "ssh://git@127.0.0.1:1/x.git", "findings", "x"}, 2, "ssh has keys"},
		"no place for it":       {nil, []string{"prepare", "findings", noPlace}, 2, "name a folder"},
		"no transaction":        {env{"GITHUB_RUN_ID": ""}, []string{"safeoutputs", requests, r.path("x.json")}, 2, "GITHUB_RUN_ID"},
		"artifact exists":       {nil, []string{"safeoutputs", requests, good}, 2, "remove it"},
		"requests are a link":   {nil, []string{"safeoutputs", link, r.path("x.json")}, 3, "not a regular file"},
		"an empty transaction":  {nil, []string{"safeoutputs", "-transaction", strings.Repeat("x", 200), requests, r.path("x.json")}, 3, "transaction"},
		"no artifact":           {nil, []string{"persist", r.path("absent.json")}, 2, "downloaded"},
		"artifact is a link":    {nil, []string{"persist", link}, 3, "artifact"},
		"a forged ID":           {nil, []string{"persist", forgedID}, 3, "artifact"},
		"a forged ledger":       {nil, []string{"persist", forgedLedger}, 3, "artifact"},
		"a forged text":         {nil, []string{"persist", forgedText}, 3, "artifact"},
		"rejected by the state": {nil, []string{"persist", rejected}, 3, "latest state"},
		"no plan":               {nil, []string{"apply", "findings", r.path("absent.json")}, 2, "downloaded"},
		"a forged plan":         {nil, []string{"apply", "findings", forgedPlan}, 3, "plan again"},
		"a plan of another":     {nil, []string{"apply", "findings", otherPlan}, 3, "plan again"},
		"a plan for another":    {nil, []string{"apply", "seen", r.path("plan.json")}, 3, "plan again"},
		"no plan at all":        {nil, []string{"apply", "findings", forgedText}, 3, "plan again"},
	} {
		t.Run(name, func(t *testing.T) {
			whole := r.env
			defer func() { r.env = whole }()
			r.env = env{}
			for k, v := range whole {
				r.env[k] = v
			}
			for k, v := range c.env {
				r.env[k] = v
			}
			s := r.run(c.args[0], append([]string{"-json"}, c.args[1:]...)...).want(t, c.code)
			if !strings.Contains(s.stderr, c.says) {
				t.Errorf("no %q in %s", c.says, s.stderr)
			}
			if !json.Valid([]byte(s.stdout)) || strings.Count(s.stdout, "\n") != 1 {
				t.Errorf("not one line of JSON: %q", s.stdout)
			}
			if !strings.Contains(s.summary, c.args[0]+" failed") {
				t.Errorf("summary %q", s.summary)
			}
		})
	}
	if after := r.git("", "for-each-ref"); after != before {
		t.Errorf("the branches changed:\n%s\n%s", before, after)
	}
}

// A failure that may pass: the same step again succeeds.
func TestAgain(t *testing.T) {
	t.Parallel()
	r := newWorld(t)
	requests, artifact := r.write("r.jsonl", `{"type":"ledger_append","ledger":"seen","operation":"add","value":1}`), r.path("t.json")
	r.run("safeoutputs", requests, artifact).want(t, 0)
	r.server.Always(gittest.FetchRefs, gittest.Status(503))
	r.run("prepare", "seen", r.path("seen.db")).want(t, 1)
	r.server.Heal()
	r.server.Once(gittest.PushPack, gittest.Status(403))
	if s := r.run("persist", artifact); s.code == 0 {
		t.Errorf("durable, and the server refused it\n%s", s.stdout)
	}
	r.run("persist", artifact).want(t, 0)
}

// What is given besides the file of requests and the artifact: nothing.
func TestNothingRequested(t *testing.T) {
	t.Parallel()
	r := newWorld(t)
	s := r.run("safeoutputs", r.path("absent.jsonl"), r.path("t.json")).want(t, 0)
	if !strings.Contains(s.stderr, "::warning ") {
		t.Errorf("no warning: %s", s.stderr)
	}
	r.run("persist", r.path("t.json")).want(t, 0)
	r.env[ledger.EnvTransactions] = r.path("absent.json")
	if s = r.run("persist", "-json").want(t, 0); !strings.Contains(s.stderr, "::warning ") || s.outputs()["ledger_result"] == "" || !json.Valid([]byte(s.stdout)) {
		t.Errorf("%s%s", s.stderr, s.output)
	}
	if refs := r.git("", "for-each-ref"); refs != "" {
		t.Errorf("nothing was requested, and there is %s", refs)
	}
}

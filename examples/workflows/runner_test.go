//go:build cgo

package workflows

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/gitledger/gitledger/internal/gittest"
)

// programs is the folder of the programs, as make programs builds them.
var programs string

func TestMain(m *testing.M) {
	var err error
	if programs, err = os.MkdirTemp("", "programs-"); err != nil {
		panic(err)
	}
	for _, build := range [][]string{
		{"-C", "../..", "build", "-o", programs + "/", "./examples/prepare", "./examples/safeoutputs", "./examples/persist", "./examples/plan", "./examples/apply"},
		{"-C", "../agent", "build", "-o", programs + "/agent", "."},
	} {
		if out, err := exec.Command("go", build...).CombinedOutput(); err != nil {
			panic(string(out))
		}
	}
	code := m.Run()
	_ = os.RemoveAll(programs)
	os.Exit(code)
}

type workflow struct {
	Env  map[string]string
	Jobs map[string]struct {
		Needs   string
		If      string
		Outputs map[string]string
		Steps   []step
	}
}

type step struct {
	ID, Name, If, Run, Uses string
	Env, With               map[string]string
	ContinueOnError         bool `yaml:"continue-on-error"`
}

// runner stands in for GitHub's: it plays the steps of workflows one by one. Each
// job has its own folder in the place of /tmp/gh-aw, so that only artifacts go
// from one to another.
type runner struct {
	t         *testing.T
	server    *gittest.Server
	path      string // of the repository
	runs      int
	artifacts map[string]string
	values    map[string]string // of expressions: outputs, inputs
	said      strings.Builder   // by all steps, with outputs and summaries
}

func newRunner(t *testing.T) *runner {
	t.Helper()
	server, err := gittest.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	_, path, err := server.Create("octo/memory.git")
	if err != nil {
		t.Fatal(err)
	}
	return &runner{t: t, server: server, path: path}
}

// play plays a workflow, whose text is changed before: pairs of old and new.
func (r *runner) play(file string, inputs map[string]string, jobs []string, changes ...string) {
	r.t.Helper()
	r.runs++
	r.artifacts = map[string]string{}
	r.values = map[string]string{"github.event_name": "workflow_dispatch", "github.token": "t0ken", "inputs.ledger": ""}
	maps.Copy(r.values, inputs)
	text, err := os.ReadFile(file)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, name := range jobs {
		folder := r.t.TempDir()
		changed := strings.NewReplacer(append([]string{"/tmp/gh-aw", folder, "run: prepare", "run: prepare -databases " + folder,
			"agent query", "agent query -databases " + folder}, changes...)...).Replace(string(text))
		var w workflow
		if err := yaml.Unmarshal([]byte(changed), &w); err != nil {
			r.t.Fatal(err)
		}
		job, ok := w.Jobs[name]
		if !ok {
			r.t.Fatalf("%s has no job %s", file, name)
		}
		if !r.truth(job.If) {
			continue
		}
		ok = true
		for _, s := range job.Steps {
			if s.If == "" && !ok || !r.truth(s.If) {
				continue
			}
			if !r.step(w.Env, s, folder) && !s.ContinueOnError {
				ok = false
			}
		}
		r.values["needs."+name+".result"] = map[bool]string{true: "success", false: "failure"}[ok]
		for output, value := range job.Outputs {
			r.values["needs."+name+".outputs."+output] = r.expand(value)
		}
	}
}

// step plays one step, and reports whether it succeeded.
func (r *runner) step(env map[string]string, s step, folder string) bool {
	r.t.Helper()
	switch {
	case strings.HasPrefix(s.Uses, "actions/checkout@"), strings.HasPrefix(s.Run, "make -C gitledger programs"):
		return true
	case strings.HasPrefix(s.Uses, "actions/upload-artifact@"):
		if _, err := os.Stat(s.With["path"]); err == nil {
			r.artifacts[s.With["name"]] = s.With["path"]
		} else if s.With["if-no-files-found"] == "error" {
			return false
		}
		return true
	case strings.HasPrefix(s.Uses, "actions/download-artifact@"):
		from, ok := r.artifacts[s.With["name"]]
		if !ok {
			return false
		}
		to := s.With["path"]
		if info, err := os.Stat(from); err == nil && !info.IsDir() {
			to = filepath.Join(to, filepath.Base(from))
		}
		_ = os.MkdirAll(filepath.Dir(to), 0o755)
		if out, err := exec.Command("cp", "-r", from, to).CombinedOutput(); err != nil {
			r.t.Fatalf("%s", out)
		}
		return true
	case s.Uses != "":
		r.t.Fatalf("unknown action %s", s.Uses)
	}
	output, summary := filepath.Join(r.t.TempDir(), "output"), filepath.Join(r.t.TempDir(), "summary")
	cmd := exec.CommandContext(r.t.Context(), "bash", "-e", "-o", "pipefail", "-c", r.expand(s.Run))
	cmd.Env = append(gittest.Environ(), "PATH="+programs+":"+os.Getenv("PATH"), "GITHUB_ACTIONS=true", "CI=true",
		"GITHUB_SERVER_URL="+r.server.URL, "GITHUB_REPOSITORY=octo/memory", fmt.Sprintf("GITHUB_RUN_ID=%d", r.runs), "GITHUB_RUN_ATTEMPT=1",
		"GITHUB_API_URL="+r.server.URL+"/api", "GITHUB_OUTPUT="+output, "GITHUB_STEP_SUMMARY="+summary,
		"GH_AW_SAFE_OUTPUTS="+folder+"/ledger-requests.jsonl", "GH_AW_LEDGER_TRANSACTIONS="+folder+"/ledger-transactions.json")
	for _, more := range []map[string]string{env, s.Env} {
		for name, value := range more {
			cmd.Env = append(cmd.Env, name+"="+r.expand(value))
		}
	}
	out, err := cmd.CombinedOutput()
	r.said.Write(out)
	for _, file := range []string{output, summary} {
		text, _ := os.ReadFile(file)
		r.said.Write(text)
		if file == output {
			for line := range strings.Lines(string(text)) {
				name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
				r.values["steps."+s.ID+".outputs."+name] = value
			}
		}
	}
	if err != nil {
		r.t.Logf("%s: %v: %s", s.Name, err, out)
	}
	return err == nil
}

var expression = regexp.MustCompile(`\$\{\{ (.*?) \}\}`)

func (r *runner) expand(text string) string {
	return expression.ReplaceAllStringFunc(text, func(e string) string {
		return r.value(expression.FindStringSubmatch(e)[1])
	})
}

// value is of an expression with ==, !=, && and ||, which is all that the samples use.
func (r *runner) value(e string) string {
	if left, right, ok := strings.Cut(e, " || "); ok {
		if v := r.value(left); v != "" && v != "false" {
			return v
		}
		return r.value(right)
	}
	if left, right, ok := strings.Cut(e, " && "); ok {
		if v := r.value(left); v == "" || v == "false" {
			return v
		}
		return r.value(right)
	}
	if left, right, ok := strings.Cut(e, " == "); ok {
		return fmt.Sprint(r.value(left) == r.value(right))
	}
	if left, right, ok := strings.Cut(e, " != "); ok {
		return fmt.Sprint(r.value(left) != r.value(right))
	}
	switch {
	case e == "!cancelled()":
		return "true"
	case strings.HasPrefix(e, "'"):
		return strings.Trim(e, "'")
	}
	return r.values[e]
}

func (r *runner) truth(condition string) bool {
	return condition == "" || r.expand(condition) == "true"
}

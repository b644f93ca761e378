//go:build cgo

package workflows

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/gitledger/gitledger/compact/dispatch"
	"github.com/gitledger/gitledger/ledger"
)

type sample struct {
	Permissions map[string]string
	Env         map[string]string
	Jobs        map[string]struct {
		Container   string
		Permissions map[string]string
		Env         map[string]string
		Timeout     int `yaml:"timeout-minutes"`
		Outputs     map[string]string
		Steps       []struct {
			Name, Uses, Run string
			Env             map[string]string
			With            map[string]string
		}
	}
}

func parse(t *testing.T, name string) (text string, w sample) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, &w); err != nil {
		t.Fatal(err)
	}
	return string(data), w
}

var (
	pinned = regexp.MustCompile(`^actions/(checkout|upload-artifact|download-artifact)@[0-9a-f]{40}$`)
	mains  = []string{"prepare", "safeoutputs", "persist", "plan", "apply"}
)

// The least that each job needs, and a credential for nothing but its own program.
func TestSamples(t *testing.T) {
	t.Parallel()
	access := map[string]string{
		ledger.AgentHost: "contents: read", ledger.SafeOutputsHost: "actions: write", ledger.PersistHost: "contents: write",
		ledger.PlanHost: "contents: read", ledger.ApplyHost: "contents: write",
	}
	jobs := 0
	for _, file := range []string{"ledger.yml", "maintenance.yml"} {
		text, w := parse(t, file)
		if w.Permissions == nil || len(w.Permissions) != 0 {
			t.Errorf("%s: permissions %v", file, w.Permissions)
		}
		if regexp.MustCompile(`(?m)^ *(concurrency|pull_request_target):|secrets\.`).MatchString(text) {
			t.Errorf("%s: a concurrency group, a trigger from strangers or a secret", file)
		}
		for name, job := range w.Jobs {
			jobs++
			scope, want, _ := strings.Cut(access[name], ": ")
			if len(job.Permissions) != 1 || job.Permissions[scope] != want || job.Container != "golang:1.26-bookworm" || job.Timeout == 0 {
				t.Errorf("%s: %v, %s, %d minutes", name, job.Permissions, job.Container, job.Timeout)
			}
			for _, s := range job.Steps {
				program, _, _ := strings.Cut(s.Run, " ")
				program = strings.TrimSpace(program)
				if s.Uses != "" && !pinned.MatchString(s.Uses) {
					t.Errorf("%s: %s is not pinned", name, s.Uses)
				}
				if strings.HasPrefix(s.Uses, "actions/checkout@") && s.With["persist-credentials"] != "false" {
					t.Errorf("%s: the checkout leaves a credential", name)
				}
				if (s.Env[ledger.EnvToken] != "") != slices.Contains(mains, program) {
					t.Errorf("%s: step %q is handed %v", name, s.Name, s.Env)
				}
				if strings.Contains(s.Run, "${{") {
					t.Errorf("%s: an expression in a command: %s", name, s.Run)
				}
			}
		}
	}
	if jobs != len(access) {
		t.Errorf("%d jobs, want %d", jobs, len(access))
	}
}

// What travels from job to job goes by the names that the library gives it.
func TestSamplesNames(t *testing.T) {
	t.Parallel()
	run, _ := parse(t, "ledger.yml")
	maintenance, _ := parse(t, "maintenance.yml")
	for _, want := range []string{ledger.EnvConfig, ledger.RequestsArtifact, ledger.RequestsPath, ledger.TransactionsArtifact,
		ledger.TransactionsPath, "steps.persist.outputs." + ledger.OutputResult} {
		if !strings.Contains(run, want) {
			t.Errorf("ledger.yml has no %s", want)
		}
	}
	for _, want := range []string{ledger.EnvMaintenance, ledger.EnvTrigger, ledger.EnvRequested, ledger.PlansArtifact, ledger.PlanFile(0),
		ledger.PlanFile(1), "outputs." + ledger.OutputPlanCreated, ledger.CompactOperation, dispatch.DefaultWorkflow} {
		if !strings.Contains(maintenance, want) {
			t.Errorf("maintenance.yml has no %s", want)
		}
	}
}

// What is in base64 is what the comment declares, and the same in both.
func TestSamplesDeclaration(t *testing.T) {
	t.Parallel()
	text, run := parse(t, "ledger.yml")
	_, maintenance := parse(t, "maintenance.yml")
	var declared strings.Builder
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "#   "); ok {
			declared.WriteString(rest)
		}
	}
	configs, err := ledger.ParseYAMLValue([]byte(declared.String()))
	if err != nil || len(configs) != 2 {
		t.Fatalf("%v %d\n%s", err, len(configs), declared.String())
	}
	if want, err := configs.Base64(); err != nil || run.Env[ledger.EnvConfig] != want {
		t.Errorf("%s should be %s", ledger.EnvConfig, want)
	}
	if want, err := configs.MaintenanceBase64(); err != nil || maintenance.Env[ledger.EnvMaintenance] != want {
		t.Errorf("%s should be %s", ledger.EnvMaintenance, want)
	}
}

//go:build cgo

package workflows

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/ledger"
)

const (
	token = "ghs_0123456789abcdefSECRET"
	// payload stands in everything that a stranger writes, and must come out nowhere.
	payload = "PAYLOAD"
)

// world is a repository on a server, and what a runner knows of it.
type world struct {
	t      *testing.T
	server *gittest.Server
	repo   string // its path
	dir    string // of artifacts and databases
	env    map[string]string
}

const declared = `{seen: {type: set}, notes: {type: notes}, findings: {type: table, key: id, compaction: {min-segments: 2, max-segments: 8}}}`

func newWorld(t *testing.T) *world {
	t.Helper()
	server, err := gittest.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	_, path, err := server.Create("octo/memory.git")
	if err != nil {
		t.Fatal(err)
	}
	server.Require("Basic " + base64.StdEncoding.EncodeToString([]byte("x-access-token:"+token)))
	configs, err := ledger.ParseYAMLValue([]byte(declared))
	if err != nil {
		t.Fatal(err)
	}
	config, err := configs.Base64()
	if err != nil {
		t.Fatal(err)
	}
	maintenance, err := configs.MaintenanceBase64()
	if err != nil {
		t.Fatal(err)
	}
	return &world{t: t, server: server, repo: path, dir: t.TempDir(), env: map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": t.TempDir(), "CI": "true", "GITHUB_ACTIONS": "true",
		"GITHUB_SERVER_URL": server.URL, "GITHUB_REPOSITORY": "octo/memory", "GITHUB_RUN_ID": "4200", "GITHUB_RUN_ATTEMPT": "1",
		ledger.EnvToken: token, ledger.EnvConfig: config, ledger.EnvMaintenance: maintenance,
	}}
}

func (r *world) path(name string) string { return filepath.Join(r.dir, name) }

func (r *world) write(name, content string) string {
	r.t.Helper()
	if err := os.WriteFile(r.path(name), []byte(content), 0o600); err != nil {
		r.t.Fatal(err)
	}
	return r.path(name)
}

// ended is what came of one step.
type ended struct {
	code                            int
	stdout, stderr, output, summary string
}

// command is what a runner takes for one: at the start of a line, or anywhere.
var command = regexp.MustCompile(`(?m)^\s*::.*$|##\[.*$`)

// run runs one program as a step, and judges what holds for every step: nothing
// that is secret or a stranger's comes out, and no command but our own.
func (r *world) run(name string, args ...string) ended {
	r.t.Helper()
	files := r.t.TempDir()
	cmd := exec.CommandContext(r.t.Context(), filepath.Join(programs, name), args...)
	cmd.Dir = r.dir
	for k, v := range r.env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	output, summary := filepath.Join(files, "output"), filepath.Join(files, "summary")
	cmd.Env = append(cmd.Env, "GITHUB_OUTPUT="+output, "GITHUB_STEP_SUMMARY="+summary)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		r.t.Fatal(err)
	}
	s := ended{code: cmd.ProcessState.ExitCode(), stdout: out.String(), stderr: errs.String(), output: read(output), summary: read(summary)}
	r.judge(name, s)
	return s
}

func read(path string) string {
	data, _ := os.ReadFile(path) // what is not there was not written
	return string(data)
}

func (r *world) judge(name string, s ended) {
	r.t.Helper()
	ours := regexp.MustCompile(`^::(error|warning|notice) title=` + name + `::.`)
	for _, c := range command.FindAllString(s.stdout+"\n"+s.stderr, -1) {
		if !ours.MatchString(strings.TrimLeft(c, "\n")) {
			r.t.Errorf("%s: a command: %q", name, c)
		}
	}
	if strings.Contains(s.stdout, "::error") {
		r.t.Errorf("%s: an annotation among the results", name)
	}
	if (s.code != 0) != strings.Contains(s.stderr, "::error ") {
		r.t.Errorf("%s: exit code %d and %q", name, s.code, s.stderr)
	}
	for where, text := range map[string]string{"stdout": s.stdout, "stderr": s.stderr, "output": s.output, "summary": s.summary} {
		for _, secret := range []string{payload, "SECRET", base64.StdEncoding.EncodeToString([]byte("x-access-token:" + token)), r.dir, r.repo, r.server.URL, "\x1b"} {
			if strings.Contains(text, secret) {
				r.t.Errorf("%s: %q in %s:\n%s", name, secret, where, text)
			}
		}
		for _, c := range text {
			if c != '\n' && c != '\t' && !unicode.IsPrint(c) {
				r.t.Errorf("%s: %q in %s", name, c, where)
				break
			}
		}
	}
}

// want fails unless the step ended with that code.
func (s ended) want(t *testing.T, code int) ended {
	t.Helper()
	if s.code != code {
		t.Fatalf("exit code %d, want %d\n%s%s", s.code, code, s.stdout, s.stderr)
	}
	return s
}

// outputs reads what a step wrote to GITHUB_OUTPUT.
func (s ended) outputs() map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(s.output) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		all[name] = value
	}
	return all
}

// into reads the one line of JSON that a step printed.
func (s ended) into(t *testing.T, v any) {
	t.Helper()
	if strings.Count(s.stdout, "\n") != 1 {
		t.Fatalf("not one line: %q", s.stdout)
	}
	if err := json.Unmarshal([]byte(s.stdout), v); err != nil {
		t.Fatalf("%v: %q", err, s.stdout)
	}
}

// git runs git in the repository.
func (r *world) git(stdin string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", r.repo}, args...)...)
	cmd.Env = append(gittest.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b.invalid", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b.invalid")
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("git %v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

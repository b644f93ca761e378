package txn

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// needNode says loudly that a machine has no Node. The tests cannot be run
// without it, and a build that skipped them must not look as if it had.
func needNode(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Fatal("node is not installed: install nodejs, the validation script cannot be tested without it")
	}
}

func TestValidation(t *testing.T) {
	needNode(t)
	t.Setenv("GH_TOKEN", "secret-canary")
	t.Setenv("NODE_OPTIONS", "--require=/nonexistent")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "memory.json"), []byte(`{"ok":true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		v      Validation
		why    Verdict // "" passes
		output string
	}{
		{"passes", Validation{Script: `const m = JSON.parse(require("fs").readFileSync("memory.json")); if (!m.ok) process.exit(1); console.log("fine")`}, "", "fine\n"},
		{"waits for what is asynchronous", Validation{Script: `setTimeout(() => process.exit(4), 20)`}, ExitedNonZero, ""},
		{"exits with a code", Validation{Script: `console.error("no"); process.exitCode = 3`}, ExitedNonZero, "no\n"},
		{"throws", Validation{Script: `throw new Error("x")`, MaxOutput: 1}, ExitedNonZero, "["},
		{"does not parse", Validation{Script: `this is no script`, MaxOutput: 1}, ExitedNonZero, "["},
		{"rejects", Validation{Script: `Promise.reject(new Error("x"))`, MaxOutput: 1}, ExitedNonZero, "["},
		{"kills itself", Validation{Script: `process.kill(process.pid, "SIGTERM"); setInterval(() => {}, 1000)`}, Signaled, ""},
		{"never ends", Validation{Script: `setInterval(() => {}, 1000)`, Timeout: 300 * time.Millisecond}, TimedOut, ""},
		{"spins", Validation{Script: `for (;;);`, Timeout: 300 * time.Millisecond}, TimedOut, ""},
		{"ignores signals", Validation{Script: `process.on("SIGTERM", () => {}); process.on("SIGINT", () => {}); for (;;);`, Timeout: 300 * time.Millisecond}, TimedOut, ""},
		{"sees the environment that is listed", Validation{Env: map[string]string{"A": "1"},
			Script: `console.log(Object.keys(process.env).sort().join())`}, "", "A,PATH\n"},
		{"talks without end", Validation{MaxOutput: 5, Script: `process.stdout.write("x".repeat(1 << 20))`}, "", "xxxxx"},
		{"is empty", Validation{}, BadScript, ""},
		{"is too large", Validation{Script: strings.Repeat(" ", maxScript+1)}, BadScript, ""},
		{"would get a credential", Validation{Script: `0`, Env: map[string]string{"GH_TOKEN": "x"}}, BadEnv, ""},
		{"would get code", Validation{Script: `0`, Env: map[string]string{"NODE_OPTIONS": "x"}}, BadEnv, ""},
		{"would get code to load", Validation{Script: `0`, Env: map[string]string{"LD_AUDIT": "x"}}, BadEnv, ""},
		{"would get a module folder", Validation{Script: `0`, Env: map[string]string{"NODE_PATH": "x"}}, BadEnv, ""},
		{"would get a personal access token", Validation{Script: `0`, Env: map[string]string{"GH_PAT": "x"}}, BadEnv, ""},
		{"would get a key", Validation{Script: `0`, Env: map[string]string{"Deploy_Key": "x"}}, BadEnv, ""},
		{"gets an author", Validation{Script: `0`, Env: map[string]string{"GIT_AUTHOR_NAME": "x"}}, "", ""},
		{"has no node", Validation{Script: `0`, Path: dir}, NoNode, ""},
		{"looks node up in the memory", Validation{Script: `0`, Path: "."}, NoNode, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			report, err := test.v.Run(t.Context(), dir)
			var e *ValidationError
			errors.As(err, &e)
			switch {
			case test.why == "" && err != nil:
				t.Fatal(err)
			case test.why != "" && (e == nil || e.Why != test.why || !errors.Is(err, ErrValidation)):
				t.Fatalf("%v, want %s", err, test.why)
			}
			if report != nil && string(report.Output) != test.output {
				t.Errorf("output %q, want %q", report.Output, test.output)
			}
			if report != nil && report.Truncated != (test.v.MaxOutput > 0) {
				t.Errorf("truncated %v", report.Truncated)
			}
		})
	}
}

func TestValidationExitCode(t *testing.T) {
	needNode(t)
	_, err := Validation{Script: `process.exit(7)`}.Run(t.Context(), t.TempDir())
	if err == nil || err.Error() != "txn: validation script did not pass: exit-code 7" {
		t.Error(err)
	}
	if _, err := (Validation{Script: `0`}).Run(t.Context(), filepath.Join(t.TempDir(), "none")); !errors.Is(err, ErrValidation) || strings.Contains(err.Error(), os.TempDir()) {
		t.Errorf("a folder that is missing: %v", err)
	}
}

// Without a folder the script would run in this process's own.
func TestValidationNeedsAFolder(t *testing.T) {
	needNode(t)
	if report, err := (Validation{Script: `0`}).Run(t.Context(), ""); !errors.Is(err, ErrValidation) || report != nil {
		t.Errorf("%v, %v", report, err)
	}
}

func TestValidationEndsWithTheContext(t *testing.T) {
	needNode(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	dir := t.TempDir()
	go func() { // as soon as the script runs
		for ctx.Err() == nil {
			if _, err := os.Stat(filepath.Join(dir, "running")); err == nil {
				cancel()
			}
		}
	}()
	_, err := Validation{Script: `require("fs").writeFileSync("running", ""); setInterval(() => {}, 1000)`}.Run(ctx, dir)
	if !errors.Is(err, context.Canceled) || !errors.Is(err, ErrValidation) {
		t.Error(err)
	}
}

// The children of a script end with it, at its timeout and at its own end.
func TestValidationKillsTheWholeGroup(t *testing.T) {
	t.Parallel()
	needNode(t)
	const spawn = `const c = require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], {stdio: "inherit"});
		require("fs").writeFileSync("child", String(c.pid));`
	for name, test := range map[string]struct {
		script string
		why    Verdict
	}{
		"at the timeout": {spawn, TimedOut},
		"at its end":     {spawn + `c.unref(); process.exit(0)`, LeftBehind},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			_, err := Validation{Script: test.script, Timeout: 3 * time.Second}.Run(t.Context(), dir)
			var e *ValidationError
			if !errors.As(err, &e) || e.Why != test.why {
				t.Errorf("%v, want %s", err, test.why)
			}
			text, err := os.ReadFile(filepath.Join(dir, "child"))
			if err != nil {
				t.Fatal(err)
			}
			pid, err := strconv.Atoi(string(text))
			if err != nil {
				t.Fatal(err)
			}
			if alive(t, pid) {
				t.Errorf("process %d is alive", pid)
			}
		})
	}
}

package actions

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/internal/artifact"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/shard"
	"github.com/gitledger/gitledger/txn"
)

const hostile = "a\x1b[31mb\u202ec\n::set-output name=x::y\r\n##[add-path]z\x00"

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"plain é":                        "plain é",
		hostile:                          "a·[31mb·c·::set-output name=x::y··##·[add-path]z·",
		"::add-mask::x":                  "·::add-mask::x",
		"  ::error::x":                   "·  ::error::x",
		"##[error]x":                     "##·[error]x",
		"a ##[add-mask]b":                "a ##·[add-mask]b", // a command wherever it stands
		"###[x]#\u200b#[y]":              "###·[x]#·#[y]",
		"\xff":                           "\ufffd",
		"a\U000e0101\u034f\u3164\ufe0fb": "a····b", // printable, and not seen
		strings.Repeat("é", 1000):        strings.Repeat("é", 80) + "…",
		strings.Repeat("\x1b", 81):       strings.Repeat("·", 80) + "…",
	} {
		if got := Text(text, 80); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestMarkdown(t *testing.T) {
	for _, text := range []string{hostile, "</td><script>alert(1)</script>", "| a | b |", "[x](javascript:y)", "![i](http://x)", "`code`", "@team #1 https://x.y", "&lt;"} {
		if got := Markdown(text); strings.ContainsAny(strings.ReplaceAll(got, "&#", ""), "<>|`[](){}*_\n\x1b@:\"'") {
			t.Errorf("%q: %q", text, got)
		}
	}
	got := Table([]string{"a"}, [][]string{{"x|y\n"}})
	if got != "| a |\n|---|\n| x&#124;y· |\n" {
		t.Errorf("%q", got)
	}
}

// execute runs a program in an environment like a runner's.
func execute(t *testing.T, env map[string]string, args []string, run func(context.Context, *Call) error) (code int, stdout, stderr string) {
	var out, errs strings.Builder
	p := Program{Name: "a:job", Usage: "usage: teaches", Run: run, Settings: []Setting{{"A_THING", "thing", "some `thing`"}}, Flags: func(f *flag.FlagSet) { f.String("repo", "", "where") }}
	code = p.Execute(t.Context(), args, System{Getenv: func(name string) string { return env[name] }, Stdout: &out, Stderr: &errs})
	return code, out.String(), errs.String()
}

func TestAnnotations(t *testing.T) {
	fail := func(_ context.Context, c *Call) error {
		c.Warning("%s", hostile)
		return errors.New("100%\n::set-output name=x::y")
	}
	_, _, got := execute(t, map[string]string{"GITHUB_ACTIONS": "true"}, nil, fail)
	want := "::warning title=a%3Ajob::a·[31mb·c·::set-output name=x::y··##·[add-path]z·\n::error title=a%3Ajob::100%25\n::error title=a%3Ajob::·::set-output name=x::y\n"
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if _, _, got = execute(t, nil, nil, fail); strings.Contains(got, "\n::") || strings.ContainsAny(got, "\x1b") {
		t.Errorf("%q", got)
	}
}

func TestOutputs(t *testing.T) {
	dir := t.TempDir()
	env := map[string]string{"GITHUB_OUTPUT": filepath.Join(dir, "output"), "GITHUB_STEP_SUMMARY": filepath.Join(dir, "summary")}
	code, _, errs := execute(t, env, nil, func(_ context.Context, c *Call) error {
		return errors.Join(c.Output("a", "1"), c.Output("b", "2\nEOF\nc=3"), c.Summary("# x"), c.Summary("y"))
	})
	if code != 0 {
		t.Fatal(code, errs)
	}
	output, _ := os.ReadFile(env["GITHUB_OUTPUT"])
	lines := strings.Split(string(output), "\n")
	if len(lines) != 7 || lines[0] != "a=1" || !strings.HasPrefix(lines[1], "b<<") || lines[5] != lines[1][3:] || len(lines[5]) < 20 {
		t.Errorf("%q", output)
	}
	if summary, _ := os.ReadFile(env["GITHUB_STEP_SUMMARY"]); string(summary) != "# x\ny\n" {
		t.Errorf("%q", summary)
	}
	env["GITHUB_OUTPUT"] = dir // cannot be written
	code, _, errs = execute(t, env, nil, func(_ context.Context, c *Call) error { return c.Output("a", "1") })
	if code != exitFailed || strings.Contains(errs, dir) {
		t.Error(code, errs)
	}
}

func TestExecute(t *testing.T) {
	nothing := func(context.Context, *Call) error { return nil }
	if code, help, errs := execute(t, nil, []string{"-h"}, nothing); code != 0 || errs != "" || !strings.Contains(help, "teaches") ||
		!strings.Contains(help, "-repo") || !strings.Contains(help, "-thing") || !strings.Contains(help, "else A_THING") || !strings.Contains(help, "Exit codes") {
		t.Error(code, help, errs)
	}
	code, out, errs := execute(t, map[string]string{"GITHUB_ACTIONS": "true"}, []string{"-json", "-\n::debug::"}, nothing)
	if code != exitUsage || !strings.HasPrefix(out, `{"exit_code":2,"errors":["`) || strings.Contains(errs, "\n::debug") {
		t.Errorf("%d %q %q", code, out, errs)
	}
	code, out, errs = execute(t, nil, []string{"-json"}, func(_ context.Context, c *Call) error {
		c.Print("for people")
		c.Progress("for a terminal")
		return c.Result(map[string]int{"n": 1})
	})
	if code != 0 || out != "{\"n\":1}\n" || errs != "" {
		t.Error(code, out, errs)
	}
	if code, _, _ := execute(t, nil, nil, func(_ context.Context, c *Call) error {
		if args, err := c.Args("A", "B"); args != nil || err != nil {
			t.Errorf("%q %v", args, err)
		}
		return nil
	}); code != exitDone {
		t.Error(code)
	}
	two := func(_ context.Context, c *Call) error {
		_, err := c.Args("A", "B")
		return err
	}
	const misplaced = "flags come before"
	if code, _, errs := execute(t, nil, []string{"a"}, two); code != exitUsage || strings.Contains(errs, misplaced) {
		t.Error(code, errs)
	}
	if code, _, errs := execute(t, nil, []string{"a", "b", "--repo=x"}, two); code != exitUsage || !strings.Contains(errs, misplaced) {
		t.Error(code, errs)
	}
	if code, _, errs := execute(t, nil, nil, func(context.Context, *Call) error { return Refused("no") }); code != exitRefused {
		t.Error(code, errs)
	}
}

// A flag takes the place of its variable, and the variable that of the fallback.
func TestSettings(t *testing.T) {
	for want, args := range map[string][]string{"from the variable": nil, "from the flag": {"-thing", "from the flag"}} {
		env := map[string]string{"A_THING": "from the variable"}
		if code, _, errs := execute(t, env, args, func(_ context.Context, c *Call) error {
			if got := c.Setting("A_THING", "x") + c.Setting("ANOTHER", "!"); got != want+"!" {
				t.Errorf("%q, want %q", got, want)
			}
			return nil
		}); code != exitDone {
			t.Error(code, errs)
		}
	}
}

// What a failure says for people, for GitHub and for machines.
func TestFailure(t *testing.T) {
	summary := filepath.Join(t.TempDir(), "summary")
	var errs []error
	for range 30 {
		errs = append(errs, &txn.RequestErrors{Errors: []*txn.RequestError{{Reason: txn.ReasonSyntax, Detail: "<b> ##[group]|"}}})
	}
	env := map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": summary}
	code, out, said := execute(t, env, []string{"-json"}, func(context.Context, *Call) error { return errors.Join(errs...) })
	if code != exitRefused || strings.Count(said, "::error ") != maxAnnotations || !strings.Contains(said, "and 21 more") || !strings.Contains(said, "::notice ") {
		t.Errorf("%d\n%s", code, said)
	}
	var f failure
	if err := json.Unmarshal([]byte(out), &f); err != nil || f.ExitCode != code || len(f.Errors) != 30 || f.Advice == "" || strings.ContainsAny(out, "#<") {
		t.Errorf("%v %s", err, out)
	}
	if text, _ := os.ReadFile(summary); !strings.Contains(string(text), "a:job failed") || strings.Contains(string(text), "<b>") || strings.Contains(string(text), "##[") {
		t.Errorf("%s", text)
	}
	if strings.Contains(said, "##[") {
		t.Errorf("a command in %s", said)
	}
}

func TestPlainJSON(t *testing.T) {
	value := map[string]string{"a": "é\u202e𝄞\x7f##[error]x\n::debug::\u009b"}
	got, err := plainJSON(value)
	if want := `{"a":"\u00e9\u202e\ud834\udd1e\u007f\u0023\u0023[error]x\n::debug::\u009b"}`; err != nil || got != want {
		t.Errorf("%v\n%s\n%s", err, got, want)
	}
	back := map[string]string{}
	if err := json.Unmarshal([]byte(got), &back); err != nil || back["a"] != value["a"] {
		t.Errorf("%v %q", err, back)
	}
}

func TestCode(t *testing.T) {
	for err, want := range map[error]int{
		nil:                       exitDone,
		errors.New("unknown"):     exitFailed,
		shard.ErrUnavailable:      exitFailed,
		context.Canceled:          exitFailed,
		shard.ErrUnauthorized:     exitUsage,
		fs.ErrNotExist:            exitUsage,
		Usage("x"):                exitUsage,
		txn.ErrRejected:           exitRefused,
		ledger.ErrMalformed:       exitRefused,
		&compact.RejectedError{}:  exitRefused,
		compact.ErrUnknownLedger:  exitRefused,
		compact.ErrInvalidRequest: exitRefused,
		compact.ErrLedgerRequired: exitRefused,
		shard.ErrOutcomeUnknown:   exitFailed,
		shard.ErrLocked:           exitFailed,
		shard.ErrTooLarge:         exitRefused,
		artifact.ErrNotRegular:    exitRefused,
		errors.Join(txn.ErrRejected, shard.ErrUnavailable): exitFailed,
	} {
		if advice := Advice(err); strings.ContainsAny(advice, "\n%") {
			t.Errorf("%q", advice)
		}
		if got := Code(err); got != want {
			t.Errorf("%v: %d, want %d", err, got, want)
		}
	}
}

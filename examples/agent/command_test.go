package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"github.com/gitledger/gitledger/internal/actions"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/txn"
)

// harmless reports what in a text a terminal or a runner would obey.
func harmless(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") {
			t.Errorf("a workflow command: %q", line)
		}
		for _, r := range line {
			if !unicode.IsPrint(r) {
				t.Errorf("%U in %q", r, line)
			}
		}
	}
}

func TestQueryCommand(t *testing.T) {
	s := newStage(t)
	out, errs, code := s.shell("", "query", "-ledger", "findings", "SELECT key, typeof(?), ?, ? FROM state ORDER BY key", "7", `"7"`, "x y")
	if want := `{"columns":["key","typeof(?)","?","?"],"rows":[["F-1","integer","7","x y"],["F-2","integer","7","x y"]],"truncated":false}` + "\n"; out != want || code != 0 {
		t.Errorf("%d %s%s", code, out, errs)
	}
	for _, args := range [][]string{
		{"query", "-ledger", "free", "SELECT payload, json_extract(payload, '$.text') AS text FROM records"},
		{"records", "-ledger", "free"},
		{"records", `{"ledger":"free"}`},
	} {
		out, errs, code := s.shell("", args...)
		harmless(t, out)
		if code != 0 || !json.Valid([]byte(out)) || !strings.Contains(out, `set-output`) {
			t.Errorf("%q: %d %s%s", args, code, out, errs)
		}
	}
	for want, args := range map[string][]string{
		"statement":      {"query", "-ledger", "free", "SELECT canary"},
		"denied":         {"query", "-ledger", "free", "DROP TABLE records"},
		"unknown-ledger": {"query", "-ledger", "canary", "SELECT 1"},
		"ledger-missing": {"query", "SELECT 1"},
		"no-database":    {"query", "-databases", "canary", "-ledger", "free", "SELECT 1"},
		"arguments":      {"records", "{"},
		"record-query":   {"records", `{"ledger":"free","cursor":"canary"}`},
		"statement of":   {"query"},
		"one JSON":       {"records", "{}", "{}"},
	} {
		out, errs, code := s.shell("", args...)
		harmless(t, errs)
		if code != exitUsage || !strings.Contains(errs, want) || !strings.Contains(out, `"exit_code":2`) || strings.Contains(out+errs, "canary") {
			t.Errorf("%q: %d %s%s, want %s", args, code, out, errs, want)
		}
	}
	if out, errs, code := s.shell("", "query", "-ledger", "free", "-time", "50ms", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"); code != 1 || !strings.Contains(errs, "timeout") {
		t.Errorf("%d %s%s", code, out, errs)
	}
}

// On a terminal payloads are shown in tables, with nothing in them that it obeys.
func TestTerminal(t *testing.T) {
	s := newStage(t)
	encoded, err := s.configs.Base64()
	s.must(err)
	env := map[string]string{ledger.EnvConfig: encoded, envRequests: s.requests()}
	run := func(args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		w := world{System: actions.System{Getenv: func(n string) string { return env[n] }, Stdout: &out, Stderr: &errs}, terminal: true, stdin: strings.NewReader("")}
		if code := w.execute(context.Background(), append([]string{args[0], "-databases", filepath.Join(s.dir, "db")}, args[1:]...)); code != 0 {
			t.Errorf("%q: %d %s", args, code, errs.String())
		}
		harmless(t, out.String())
		return out.String()
	}
	if got := run("query", "-ledger", "findings", "SELECT key, NULL AS n, x'00ff' AS b FROM state ORDER BY key"); got != "key  n     b\nF-1  NULL  x'00ff'\nF-2  NULL  x'00ff'\n(2 rows)\n" {
		t.Errorf("%q", got)
	}
	if got := run("query", "-ledger", "free", "-rows", "1", `SELECT json_extract(payload, '$.text') AS "::error::x" FROM records UNION ALL SELECT 1`); !strings.Contains(got, "·[31mred·") || !strings.Contains(got, "and there are more") {
		t.Errorf("%q", got)
	}
	if got := run("query", "-ledger", "free", "SELECT '' AS a, '::error::x' AS b, '##' AS c, '[error]' AS d"); !strings.Contains(got, "·::error::x") {
		t.Errorf("%q", got)
	}
	if got := run("records", "-ledger", "findings", `{"limit":1}`); !strings.Contains(got, "next cursor: sha256:") {
		t.Errorf("%q", got)
	}
	if got := run("tools"); strings.Count(got, "\n") != 2+len(s.configs.Tools()) {
		t.Errorf("%q", got)
	}
	if got := run("call", ledger.ToolAppend, `{"ledger":"free","record":{}}`); !strings.HasPrefix(got, "queued; ") {
		t.Errorf("%q", got)
	}
	if got := run("prompt"); got != s.configs.Prompt() {
		t.Errorf("%q", got)
	}
}

func TestCallCommand(t *testing.T) {
	s := newStage(t)
	const request = `{"ledger":"seen","operation":"add","value":"x"}`
	for _, test := range []struct {
		stdin, arguments string
		code             int
		want             string
	}{
		{"", request, 0, `{"result":"queued"}` + "\n"},
		{request + space(txn.MaxLineBytes-len(request)), "-", 0, `{"result":"queued"}` + "\n"},
		{request + space(txn.MaxLineBytes-len(request)+1), "-", 3, "line-size"},
		{"", "{\n\"ledger\":\"seen\",\r\n\"operation\":\"add\",\"value\":\"\u2028\"}", 0, `{"result":"queued"}` + "\n"},
		{"", `{"ledger":"canary"}`, 3, "unknown-ledger"},
		{"", `{"ledger":`, 3, "syntax"},
		{"", `{"ledger":"seen","operation":"canary"}`, 3, "unsupported-operation"},
	} {
		before := len(s.lines())
		out, errs, code := s.shell(test.stdin, "call", ledger.ToolAppend, test.arguments)
		harmless(t, errs)
		if code != test.code || !strings.Contains(out, test.want) || strings.Contains(out+errs, "canary") {
			t.Errorf("%.80s: %d %s%s", test.arguments, code, out, errs)
		}
		if added := len(s.lines()) - before; (code == 0) != (added == 1) {
			t.Errorf("%.80s: %d lines", test.arguments, added)
		}
	}
	if _, errs, code := s.shell("", "call", "create_issue", "{}"); code != 3 || !strings.Contains(errs, "unknown-tool") {
		t.Errorf("%d %s", code, errs)
	}
	s.persist("run:1", strings.Join(s.lines(), "\n"))
	// Nothing is written through a link, and nothing over what is no file.
	target := filepath.Join(s.dir, "target")
	s.must(os.Remove(s.requests()))
	s.must(os.Symlink(target, s.requests()))
	if _, errs, code := s.shell("", "call", ledger.ToolAppend, request); code == 0 || strings.Contains(errs, s.dir) {
		t.Errorf("%d %s", code, errs)
	}
	if _, err := os.Lstat(target); err == nil {
		t.Error("the link was followed")
	}
}

func TestToolsCommand(t *testing.T) {
	s := newStage(t)
	out, errs, code := s.shell("", "tools")
	var got, want any
	s.must(json.Unmarshal([]byte(out), &got))
	text, err := json.Marshal(s.configs.Tools())
	s.must(err)
	s.must(json.Unmarshal(text, &want))
	if code != 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("%d %s%s", code, out, errs)
	}
	if out, _, code := s.shell("", "prompt"); code != 0 || out != s.configs.Prompt() {
		t.Errorf("%d %s", code, out)
	}
	if out, _, code := s.shell("", "prompt", "-json"); code != 0 || !strings.HasPrefix(out, `{"prompt":"`) {
		t.Errorf("%d %s", code, out)
	}
}

func TestUsage(t *testing.T) {
	s := newStage(t)
	plain := func(args ...string) (string, string, int) {
		cmd := s.command("tools")
		cmd.Args = append([]string{program}, args...)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		_ = cmd.Run()
		return out.String(), errs.String(), cmd.ProcessState.ExitCode()
	}
	help, _, code := plain("-h")
	if code != 0 || !strings.Contains(help, "Exit codes") {
		t.Error(code, help)
	}
	for name := range commands() {
		if !strings.Contains(help, "\n  "+name+" ") {
			t.Errorf("-h does not name %s", name)
		}
		out, errs, code := plain(name, "-h")
		if code != 0 || errs != "" || !strings.HasPrefix(out, "usage: agent "+name+" ") || !strings.Contains(out, "Exit codes") {
			t.Error(name, code, out, errs)
		}
	}
	for _, args := range [][]string{{}, {"::set-output name=a::canary"}, {"mcp", "x"}, {"tools", "x"}, {"call", "x"}, {"prompt", "x"}, {"query", "-canary"}, {"tools", "-config", "canary"}} {
		_, errs, code := plain(args...)
		harmless(t, strings.ReplaceAll(errs, "\t", " ")) // the list of flags has tabs
		if code != exitUsage || errs == "" {
			t.Error(args, code, errs)
		}
	}
}

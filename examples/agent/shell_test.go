package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/txn"
)

func TestShell(t *testing.T) {
	w := newWorld(t)
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"query", "audit", "SELECT count(*) AS n FROM records"}, 0, `{"columns":["n"],"rows":[[3]],"truncated":false}`},
		{[]string{"query", "seen", "SELECT value FROM state WHERE value = ?", `"octo/web#7"`}, 0, `{"columns":["value"],"rows":[["\"octo/web#7\""]],"truncated":false}`},
		{[]string{"records", "audit", `{"filters":[{"path":"status","op":"eq","value":"bad"}]}`}, 0, `"payload":{"run":2,"status":"bad"}`},
		{[]string{"call", "ledger_append", `{"ledger":"seen","operation":"add","value":1}`}, 0, `{"result":"queued"}`},
		{[]string{"call", "ledger_request_compaction", `{"ledger":"seen"}`}, 0, `{"result":"queued"}`},
		{[]string{"tools"}, 0, `"name":"ledger_note_add"`},
		{[]string{"prompt"}, 0, "never as instructions"},

		{[]string{"query", "audit", "DELETE FROM records"}, 2, "not allowed: only statements that read"},
		{[]string{"query", "audit", "SELECT 1 FROM nowhere"}, 2, "the command prompt shows the tables"},
		{[]string{"records", "audit", `{"filters":[{"path":"status","op":"is"}]}`}, 2, "not valid: see -h"},
		{[]string{"query", "-databases", "x", "audit", "SELECT 1"}, 2, "flags come before the arguments"},
		{[]string{"-databases", "nowhere", "query", "audit", "SELECT 1"}, 2, "run prepare first"},
		{[]string{"query", "other", "SELECT 1"}, 2, "no ledger of that name"},
		{[]string{"query", "audit"}, 2, "see -h"},
		{[]string{"records", "audit", `{"sql":"x"}`}, 2, "not JSON of its form"},
		{[]string{"call", "ledger_append", `{"ledger":"seen","operation":"drop","value":1}`}, 3, "operation"},
		{[]string{"call", "ledger_append", `{"ledger":"seen","type":"noop","value":1}`}, 2, "cannot have a type"},
		{[]string{"call", "ledger_append", `[]`}, 2, "no JSON object"},
		{[]string{"call", "create_issue", `{}`}, 2, "no tool of that name"},
		{[]string{"call", "ledger_map_put", `{}`}, 2, "no tool of that name"},
		{[]string{"call", "ledger_request_compaction", `{"ledger":"other"}`}, 3, "compact"},
		{[]string{"call", "ledger_append", `{"ledger":"seen","operation":"add","value":"` + strings.Repeat("x", 33<<10) + `"}`}, 3, "record-size"},
		{[]string{"-nonsense"}, 2, "Exit codes"},
		{nil, 2, "see -h"},
	} {
		out, err := w.command(test.args...).CombinedOutput()
		code := 0
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			code = exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		if code != test.code || !strings.Contains(string(out), test.want) {
			t.Errorf("%.80q: exit code %d, %.500s", test.args, code, out)
		}
		if strings.Contains(string(out), w.databases) || strings.Contains(string(out), w.requests) {
			t.Errorf("%q: a path is in %s", test.args, out)
		}
	}
	// What was queued is what a transaction is made of, and nothing else is.
	queued, err := os.ReadFile(w.requests)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(queued), "\n")
	if len(lines) != 3 || lines[1] != `{"type":"ledger_request_compaction","ledger":"seen"}`+"\n" {
		t.Fatalf("%q", lines)
	}
	if tx, err := txn.Normalize(w.configs, "1:1", strings.NewReader(lines[0])); err != nil || tx.Len() != 1 {
		t.Error(err)
	}
}

// Text of strangers is neither a terminal's nor a workflow's command.
func TestHostileText(t *testing.T) {
	w := newWorld(t)
	for _, args := range [][]string{
		{"query", "seen", "SELECT json_extract(value, '$') FROM state"},
		{"query", "seen", "SELECT json_extract(value, '$') AS \"\n::error::x\x1b\" FROM state"},
		{"records", "seen", "{}"},
	} {
		out, err := w.command(args...).CombinedOutput()
		if err != nil || bytes.ContainsRune(out, '\x1b') || bytes.Contains(out, []byte("\n::")) || bytes.HasPrefix(out, []byte("::")) {
			t.Errorf("%v: %q, %v", args, out, err)
		}
	}
}

// The database stays as it is, whoever asks for what.
func TestOnlyRequestsAreWritten(t *testing.T) {
	w := newWorld(t)
	before := content(t, w.databases)
	for i := range 3 {
		if out, err := w.command("call", "ledger_append", fmt.Sprintf(`{"ledger":"seen","operation":"add","value":%d}`, i)).CombinedOutput(); err != nil {
			t.Fatalf("%s", out)
		}
		_ = w.command("query", "seen", "INSERT INTO state VALUES (1, 2)").Run()
		_ = w.command("query", "seen", "ATTACH '"+w.requests+"' AS x").Run()
	}
	if content(t, w.databases) != before {
		t.Error("the databases changed")
	}
}

func content(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		files, err := os.ReadDir(dir + "/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			data, err := os.ReadFile(dir + "/" + e.Name() + "/" + f.Name())
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&all, "%s/%s %x\n", e.Name(), f.Name(), data)
		}
	}
	return all.String()
}

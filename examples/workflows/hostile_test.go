//go:build cgo

package workflows

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hostile is what a stranger writes, where he may write text.
var hostile = []string{
	"::set-output name=x::" + payload,
	"\n::add-mask::" + payload,
	"a ##[add-path]" + payload,
	"\x1b]0;" + payload + "\x07\x1b[2J",
	"</code></td></details><script>" + payload + "</script>",
	"`" + payload + "` | [x](javascript:" + payload + ") ![i](https://x.invalid/" + payload + ")",
	"```\n```mermaid\ngraph TD; " + payload + "[\"]--click " + payload + " call x()",
	"%0A::error::" + payload + "\u202e\u2028",
}

func quoted(text string) string { // JSON, with controls escaped
	var b strings.Builder
	for _, r := range text {
		if r < ' ' || r == '"' || r == '\\' {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}

// TestHostileText lets a stranger's text go through all five mains, accepted and
// refused. That none of it comes out is judged by run, for each of them.
func TestHostileText(t *testing.T) {
	t.Parallel()
	r := newWorld(t)
	var requests []string
	for i, text := range hostile {
		q := quoted(text)
		requests = append(requests,
			`{"type":"ledger_append","ledger":"seen","operation":"add","value":`+q+`}`,
			`{"type":"ledger_append","ledger":"findings","operation":"insert","value":{"id":`+q+`,`+q+`:`+q+`}}`,
			`{"type":`+q+`,"body":`+q+`}`, // of another tool
			fmt.Sprintf(`{"type":"ledger_note_add","ledger":"notes","temp_id":"n%d","subject":%s,"note":%s,"reason":%s,"citations":[{"type":"repository","path":"a.go"}]}`, i, q, q, q))
	}
	for i, some := range [][]string{requests[:len(requests)/2], requests[len(requests)/2:]} {
		r.remember(1+i, some...)
	}
	for _, name := range []string{"findings", "seen", "notes"} {
		database := r.path(name + "/ledger.db")
		r.run("prepare", name, database).want(t, 0)
		if data, err := os.ReadFile(database); err != nil || !strings.Contains(string(data), payload) {
			t.Errorf("%s: the payload did not get as far as the database: %v", name, err)
		}
	}
	r.env["GH_AW_LEDGER_COMPACTION_TRIGGER"] = "requested"
	r.run("plan", "findings", r.path("plan.json")).want(t, 0)
	r.run("apply", "findings", r.path("plan.json")).want(t, 0)
}

// Hostile text in each place of a request that is refused.
func TestHostileRequests(t *testing.T) {
	t.Parallel()
	r := newWorld(t)
	var lines []string
	for _, text := range hostile {
		q := quoted(text)
		lines = append(lines,
			`{"type":"ledger_append","ledger":`+q+`,"operation":"add","value":1}`,
			`{"type":"ledger_append","ledger":"seen","operation":`+q+`,"value":1}`,
			`{"type":"ledger_append","ledger":"seen","operation":"add","value":1,`+q+`:1}`,
			`{"type":"ledger_append","ledger":"seen","operation":"add","value":1,"temp_id":`+q+`}`,
			`{"type":`+quoted("ledger"+text)+`}`,
			`{"type":[`+q+`]}`,
			`{"ledger":"seen",`+q+`:1}`,
			text+`{"`,
		)
	}
	artifact := r.path("transactions.json")
	for i, line := range lines {
		s := r.run("safeoutputs", "-json", r.write("one.jsonl", line), artifact).want(t, 3)
		if !strings.HasPrefix(s.stdout, `{"exit_code":3,"errors":["line `) || !strings.Contains(s.summary, "safeoutputs failed") {
			t.Errorf("%d: %s\n%s", i, s.stdout, s.summary)
		}
	}
	s := r.run("safeoutputs", r.write("all.jsonl", "\n\n"+strings.Join(lines, "\n")), artifact).want(t, 3)
	if n := strings.Count(s.stderr, "::error "); n != 10 || !strings.Contains(s.stderr, "::line 3 of the requests: ") || !strings.Contains(s.stderr, " more\n") {
		t.Errorf("%d annotations\n%s", n, s.stderr)
	}
	if _, err := os.Lstat(artifact); err == nil {
		t.Error("an artifact of refused requests")
	}
	// A ledger that maintenance was asked for is text that somebody typed.
	for _, text := range hostile {
		if strings.Contains(text, "\x00") {
			continue
		}
		r.env["GH_AW_LEDGER_COMPACTION_REQUESTED"] = text
		r.run("plan", "findings", r.path("plan.json")).want(t, 0)
	}
}

// Whoever can write a branch can name its files.
func TestHostileBranch(t *testing.T) {
	t.Parallel()
	r := newWorld(t)
	r.remember(1, `{"type":"ledger_append","ledger":"seen","operation":"add","value":"a"}`)
	blob := r.git("::error::"+payload+"\n{\"id\":\""+payload+"\"}\n", "hash-object", "-w", "--stdin")
	tree := "" // of names that a tree can have
	for i, text := range hostile {
		name := strings.NewReplacer("/", "", "\n", "").Replace(text)
		tree += fmt.Sprintf("100644 blob %s\t%s%d.jsonl\x00", blob, name, i)
	}
	shards := r.git(tree, "mktree", "-z")
	folder := r.git("040000 tree "+shards+"\tshards\x00", "mktree", "-z")
	root := r.git("040000 tree "+folder+"\tledger\x00", "mktree", "-z")
	r.git("", "update-ref", "refs/heads/ledgers/seen", r.git("", "commit-tree", root, "-m", "x"))
	s := r.run("prepare", "-json", "seen", r.path("ledger.db")).want(t, 3)
	if !strings.Contains(s.stderr, "examples/verify") {
		t.Errorf("no advice: %s", s.stderr)
	}
	if _, err := os.Lstat(filepath.Join(r.dir, "ledger.db")); err == nil {
		t.Error("a database of a malformed ledger")
	}
	r.env["GH_AW_LEDGER_COMPACTION_TRIGGER"] = "requested"
	r.run("plan", "seen", r.path("plan.json")).want(t, 0) // fails open
	r.run("safeoutputs", r.write("r.jsonl", `{"type":"ledger_append","ledger":"seen","operation":"add","value":"b"}`), r.path("t.json")).want(t, 0)
	s = r.run("persist", "-json", r.path("t.json")).want(t, 3)
	if !strings.Contains(s.stdout, `"malformed-history"`) || !strings.Contains(s.outputs()["ledger_result"], `"malformed-history"`) {
		t.Errorf("%s", s.stdout)
	}
}

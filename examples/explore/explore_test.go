//go:build cgo

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/internal/actions"
	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/shard"
	"github.com/gitledger/gitledger/shard/gitbranch"
	"github.com/gitledger/gitledger/txn"
)

const declared = `
tools:
  ledger:
    findings: { type: table, key: id, compaction: { min-segments: 2, max-segments: 8 } }
    knowledge: { type: notes }
    audit: {}
`

// attack is text that acts wherever it is not shown as text. Its last part turns
// around what follows, cannot be seen, or commands a terminal that reads C1.
const attack = `</script><script>window.hacked=1</script><img src=x onerror="window.hacked=2"><a href="javascript:window.hacked=3">x</a>{{.View}}` + "\x1b[2J\n::error::x ##[error]x \u202etxt\u200b\u009b2J\u2028\x00\U000e0041"

// newRepository has three ledgers with text that attacks whoever shows it.
func newRepository(t *testing.T) (path, config string) {
	t.Helper()
	dir := t.TempDir()
	path, config = filepath.Join(dir, "memory.git"), filepath.Join(dir, "workflow.md")
	if err := os.WriteFile(config, []byte("---"+declared+"---\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := gittest.InitBare(path); err != nil {
		t.Fatal(err)
	}
	configs, err := ledger.ParseYAML([]byte(declared))
	if err != nil {
		t.Fatal(err)
	}
	repo, err := gitbranch.Open(t.Context(), gitbranch.Options{URL: path})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	branches := func(_ context.Context, cfg ledger.Config) (shard.Branch, error) { return repo.Branch(cfg.Branch()) }
	quoted, _ := json.Marshal(attack)
	for run := range 12 {
		requests := []string{
			fmt.Sprintf(`{"type":"ledger_append","ledger":"findings","operation":"upsert","value":{"id":"F-%d","text":%s}}`, run, quoted),
			fmt.Sprintf(`{"type":"ledger_append","ledger":"audit","record":{"run":%d,"text":%s}}`, run, quoted),
		}
		if run == 0 {
			requests = append(requests, fmt.Sprintf(`{"type":"ledger_note_add","ledger":"knowledge","temp_id":"n","subject":%s,"note":%s,"reason":"r","citations":[{"type":"repository","path":"Makefile","start_line":3}]}`, quoted, quoted),
				`{"type":"ledger_note_vote","ledger":"knowledge","note_id":"#n","vote":"up"}`)
		}
		tx, err := txn.Normalize(configs, fmt.Sprintf("%d:1", run), strings.NewReader(strings.Join(requests, "\n")))
		if err != nil {
			t.Fatal(err)
		}
		artifact, err := tx.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := txn.Persist(t.Context(), branches, configs, artifact, txn.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	cfg, _ := configs.Lookup("findings")
	b, err := repo.Branch(cfg.Branch())
	if err != nil {
		t.Fatal(err)
	}
	p, err := compact.Propose(t.Context(), b, cfg, compact.ProposeOptions{})
	if err != nil || p.Plan == nil {
		t.Fatal(p, err)
	}
	if _, err := compact.Apply(t.Context(), b, cfg, p.Plan.Append(nil), compact.ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	return path, config
}

// run runs the program in this process.
func run(t *testing.T, o options, asJSON bool) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	p := actions.Program{Name: "explore", Run: func(ctx context.Context, c *actions.Call) error { return explore(ctx, c, o) }}
	args := []string{}
	if asJSON {
		args = append(args, "-json")
	}
	code = p.Execute(t.Context(), args, actions.System{Getenv: func(string) string { return "" }, Stdout: &out, Stderr: &errs})
	return code, out.String(), errs.String()
}

// plain fails when a terminal or a runner would take a part of the text for more
// than text.
func plain(t *testing.T, out string) {
	t.Helper()
	for line := range strings.SplitSeq(out, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") {
			t.Errorf("a command: %q", line)
		}
		for _, r := range line {
			if !unicode.IsPrint(r) {
				t.Errorf("%U in %q", r, line)
				break
			}
		}
	}
}

func TestTerminal(t *testing.T) {
	path, config := newRepository(t)
	for name, want := range map[string][]string{
		"findings":  {"findings (table)", "records  12", "State: key, value (12)", "F-11", "scheduled", "→ 5 shards", "(5 of 12)", "Heads (1)"},
		"knowledge": {"knowledge (notes)", "Notes (1)", "+1", "Makefile:3"},
		"audit":     {"audit (raw)", "records  12", `"run":11`},
	} {
		code, out, errs := run(t, options{repo: path, ledger: name, config: config, newest: 5}, false)
		for _, text := range want {
			if code != 0 || !strings.Contains(out, text) {
				t.Errorf("%s: exit code %d, no %q in\n%s%s", name, code, text, out, errs)
			}
		}
		plain(t, out)
	}
	// Without a declaration it is raw, and says so.
	if code, out, _ := run(t, options{repo: path, ledger: "findings", newest: 5}, false); code != 0 || !strings.Contains(out, "raw, for want of a declaration") {
		t.Errorf("%d %s", code, out)
	}
	// Declared as what it is not, it is shown all the same, without state.
	other := filepath.Join(t.TempDir(), "other.md")
	if err := os.WriteFile(other, []byte("tools: {ledger: {findings: {type: set}}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, _ := run(t, options{repo: path, config: other, newest: 5}, false); code != 0 || !strings.Contains(out, "No state") || !strings.Contains(out, "records  12") {
		t.Errorf("%d %s", code, out)
	}
	var v view
	if code, out, _ := run(t, options{repo: path, ledger: "absent", newest: 5}, true); code != 0 || json.Unmarshal([]byte(out), &v) != nil || v.Records != 0 {
		t.Errorf("%d %s", code, out)
	}
	if code, out, _ := run(t, options{repo: path, ledger: "audit", newest: 5}, true); code != 0 || json.Unmarshal([]byte(out), &v) != nil || v.Records != 12 || len(v.Newest) != 5 {
		t.Errorf("%d %s", code, out)
	}
	for _, o := range []options{{repo: path, newest: 5}, {repo: path, ledger: "../x", newest: 5}, {repo: path, ledger: "audit"}, {repo: path, ledger: "audit", newest: 501}, {repo: path, config: "missing.md", newest: 5}} {
		if code, _, errs := run(t, o, false); code != 2 || strings.Contains(errs, path) {
			t.Errorf("%+v: %d %s", o, code, errs)
		}
	}
}

// The page is the same whenever it is made.
func TestPageIsDeterministic(t *testing.T) {
	path, config := newRepository(t)
	var pages []string
	for range 2 {
		page := filepath.Join(t.TempDir(), "page.html")
		if code, _, errs := run(t, options{repo: path, ledger: "findings", config: config, html: page, newest: 10}, false); code != 0 {
			t.Fatal(errs)
		}
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, string(text))
	}
	if pages[0] != pages[1] || !strings.Contains(pages[0], "Content-Security-Policy") {
		t.Error("the pages differ")
	}
}

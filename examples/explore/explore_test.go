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

const attack = `</script><script>window.hacked=1</script><img src=x onerror="window.hacked=2"><a href="javascript:window.hacked=3">x</a>{{.View}}` + "\x1b[2J\n::error::x"

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

func TestTerminal(t *testing.T) {
	path, config := newRepository(t)
	for name, want := range map[string][]string{
		"findings":  {"findings (table)", "records  12", "State: key, value (12 rows)", "F-11", "scheduled", "→ 5 shards"},
		"knowledge": {"knowledge (notes)", "Notes (1)", "+1", "Makefile:3"},
		"audit":     {"audit (raw)", "records  12", `"run":11`},
	} {
		code, out, errs := run(t, options{repo: path, ledger: name, config: config, newest: 5}, false)
		for _, text := range want {
			if code != 0 || !strings.Contains(out, text) {
				t.Errorf("%s: exit code %d, no %q in\n%s%s", name, code, text, out, errs)
			}
		}
		if strings.ContainsAny(out, "\x1b") || strings.Contains(out, "\n::") {
			t.Errorf("%s: %q", name, out)
		}
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

func TestPage(t *testing.T) {
	path, config := newRepository(t)
	b := newBrowser(t)
	page := filepath.Join(t.TempDir(), "page.html")
	for _, name := range []string{"findings", "knowledge", "audit", "absent"} {
		o := options{repo: path, ledger: name, config: config, html: page, newest: 10}
		if name == "absent" {
			o.config = ""
		}
		if code, _, errs := run(t, o, false); code != 0 {
			t.Fatal(errs)
		}
		b.open(page)
		if got := b.eval("document.querySelector('h1').textContent"); got != name {
			t.Errorf("%s: the title is %v", name, got)
		}
		// What attacks is text, and nothing of it ran.
		if got := b.eval("String(window.hacked) + document.querySelectorAll('img, script:not(:last-of-type), a[href^=javascript]').length"); got != "undefined0" {
			t.Errorf("%s: %v", name, got)
		}
		if name != "absent" && b.eval("document.body.textContent.includes('<script>window.hacked=1')") != true {
			t.Errorf("%s: the attack is not shown as text", name)
		}
		if err := b.complaints(page); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}

	if code, _, errs := run(t, options{repo: path, ledger: "findings", config: config, html: page, newest: 10}, false); code != 0 {
		t.Fatal(errs)
	}
	b.open(page)
	shown := func() any {
		return b.eval("document.querySelectorAll('#state tbody tr:not([hidden])').length + ' ' + document.getElementById('found').textContent")
	}
	if got := shown(); got != "12 " {
		t.Errorf("before a search: %v", got)
	}
	if got := b.eval("[document.querySelectorAll('.graph circle').length, document.querySelectorAll('.graph .head').length, document.querySelectorAll('.growth .line').length].join()"); got != "12,1,1" {
		t.Errorf("the graph: %v", got)
	}
	// A person types: a slash leads to the search, words narrow it, Escape ends it.
	key := func(text, code string) {
		params := map[string]any{"type": "keyDown", "key": code}
		if text != "" {
			params["text"] = text
		}
		b.call("Input.dispatchKeyEvent", params, nil)
		b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": code}, nil)
	}
	key("/", "/")
	for _, c := range "f-11" {
		key(string(c), string(c))
	}
	if got := shown(); got != "1 2 of 22" { // a row of state, and a record
		t.Errorf("a search: %v", got)
	}
	key("", "Escape")
	if got := shown(); got != "12 " {
		t.Errorf("after the search: %v", got)
	}
	// On a phone nothing is wider than the screen.
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": true}, nil)
	if got := b.eval("document.documentElement.scrollWidth <= 390"); got != true {
		t.Errorf("the page is %v wide", b.eval("document.documentElement.scrollWidth"))
	}
	background := func(scheme string) any {
		b.call("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": scheme}}}, nil)
		return b.eval("getComputedStyle(document.body).backgroundColor")
	}
	if light, dark := background("light"), background("dark"); light != "rgb(255, 255, 255)" || dark != "rgb(13, 17, 23)" {
		t.Errorf("backgrounds %v and %v", light, dark)
	}
	if err := b.complaints(page); err != nil {
		t.Error(err)
	}
	// The policy holds: a script that is not the page's own does not run.
	b.eval("{ const s = document.createElement('script'); s.textContent = 'window.hacked = 4'; document.body.append(s) }")
	if got := b.eval("String(window.hacked)"); got != "undefined" {
		t.Errorf("a foreign script ran: %v", got)
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

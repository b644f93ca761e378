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

	"github.com/gitledger/gitledger/internal/actions"
	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay/sqlite"
	"github.com/gitledger/gitledger/shard/gitbranch"
)

const declared = `
tools:
  ledger:
    raw: {}
    log: { type: log, max-patch-kb: 1 }
    set: { type: set }
    map: { type: map, schema: { type: object, required: [name] } }
    table: { type: table, key: id }
    counter: { type: counter }
    notes: { type: notes }
`

type site struct {
	t            *testing.T
	path, config string
}

func newSite(t *testing.T) *site {
	t.Helper()
	dir := t.TempDir()
	s := &site{t, filepath.Join(dir, "memory.git"), filepath.Join(dir, "workflow.md")}
	if err := gittest.InitBare(s.path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.config, []byte("---"+declared+"---\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// migrate runs the program on a file of these lines.
func (s *site) migrate(ctx context.Context, o options, lines ...string) (code int, result outcome, said string) {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "memory.jsonl")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		s.t.Fatal(err)
	}
	o.repo, o.config = s.path, s.config
	if o.field == "" {
		o.field = "key"
	}
	var out, errs strings.Builder
	p := actions.Program{Name: "migrate", Run: func(ctx context.Context, c *actions.Call) error { return migrate(ctx, c, o) }}
	code = p.Execute(ctx, []string{"-json", file}, actions.System{Getenv: func(string) string { return "" }, Stdout: &out, Stderr: &errs})
	if out.Len() > 0 {
		if err := json.Unmarshal([]byte(out.String()), &result); err != nil {
			s.t.Fatal(err, out.String())
		}
	}
	return code, result, out.String() + errs.String()
}

// rows prepares a ledger and returns what a query gives.
func (s *site) rows(name, query string) string {
	s.t.Helper()
	text, err := os.ReadFile(s.config)
	if err != nil {
		s.t.Fatal(err)
	}
	configs, err := ledger.ParseYAML(text)
	if err != nil {
		s.t.Fatal(err)
	}
	cfg, _ := configs.Lookup(name)
	repo, err := gitbranch.Open(s.t.Context(), gitbranch.Options{URL: s.path})
	if err != nil {
		s.t.Fatal(err)
	}
	defer repo.Close()
	reader, err := repo.Reader(cfg.Branch())
	if err != nil {
		s.t.Fatal(err)
	}
	path := filepath.Join(s.t.TempDir(), "ledger.db")
	if _, err := sqlite.Prepare(s.t.Context(), reader, cfg, path, sqlite.Options{}); err != nil {
		s.t.Fatal(err)
	}
	db, err := sqlite.Open(s.t.Context(), path, sqlite.Limits{})
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close()
	result, err := db.Query(s.t.Context(), query)
	if err != nil {
		s.t.Fatal(err)
	}
	return fmt.Sprint(result.Rows)
}

func TestTypes(t *testing.T) {
	s := newSite(t)
	for _, test := range []struct {
		ledger, field string
		lines         []string
		query, want   string
	}{
		{"raw", "", []string{`{"b":1,"a":2}`, ``, `{"c":3}`}, "SELECT payload FROM records ORDER BY ordinal", `[[{"a":2,"b":1}] [{"c":3}]]`},
		{"log", "", []string{`{"n":1}`, `{"n":2}`}, "SELECT position, value FROM state", `[[0 {"n":1}] [1 {"n":2}]]`},
		{"set", "", []string{`{"x":1,"y":2}`, `{"y":2,"x":1}`}, "SELECT value FROM state", `[[{"x":1,"y":2}]]`},
		{"map", "name", []string{`{"name":"a","v":1}`, `{"name":"a","v":2}`, `{"name":"b"}`}, "SELECT key, value FROM state", `[[a {"name":"a","v":2}] [b {"name":"b"}]]`},
		{"table", "", []string{`{"id":"r1","v":1}`, `{"id":"r1","v":2}`}, "SELECT key, value FROM state", `[[r1 {"id":"r1","v":2}]]`},
		{"counter", "", []string{`{"name":"n","amount":2}`, `{"name":"n","amount":3}`}, "SELECT name, value FROM state", `[[n 5]]`},
		{"notes", "", []string{`{"subject":"s","note":"n","reason":"r","citations":[{"type":"repository","path":"Makefile"}]}`}, "SELECT subject, note FROM notes", `[[s n]]`},
	} {
		for again := range 2 {
			code, result, said := s.migrate(t.Context(), options{ledger: test.ledger, field: test.field}, test.lines...)
			if code != 0 || result.New+result.Present != result.Lines || (result.New == 0) != (again == 1) || result.Unfit != 0 {
				t.Fatalf("%s: exit code %d, %+v\n%s", test.ledger, code, result, said)
			}
		}
		if got := s.rows(test.ledger, test.query); got != test.want {
			t.Errorf("%s: %s, want %s", test.ledger, got, test.want)
		}
	}
}

func TestLinesThatDoNotFit(t *testing.T) {
	s := newSite(t)
	deep := strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40)
	lines := []string{
		`{"name":"good"}`, `canary`, `["canary"]`, `{"name":"canary","name":"twice"}`, `{"name":7}`, `{"nome":"canary"}`,
		`{"name":"` + strings.Repeat("canary", 6<<10) + `"}`, deep, `{"name":"` + strings.Repeat("x", 300<<10) + `"}`, "{\"name\":\"\xff\"}",
	}
	code, result, said := s.migrate(t.Context(), options{ledger: "map", field: "name"}, lines...)
	if code != 3 || result.Lines != len(lines) || result.Unfit != len(lines)-1 || result.New != 0 || strings.Contains(said, "canary") {
		t.Errorf("exit code %d, %s", code, said)
	}
	reasons := map[int]string{2: "syntax", 3: "not-object", 4: "duplicate-key", 5: "key-field", 6: "key-field", 7: "record-size", 8: "too-deep", 9: "line-size", 10: "syntax"}
	for _, p := range result.Problems {
		if !strings.HasPrefix(p.Reason, reasons[p.Line]) || reasons[p.Line] == "" {
			t.Errorf("line %d: %s, want %s", p.Line, p.Reason, reasons[p.Line])
		}
	}
	if got := s.rows("map", "SELECT count(*) FROM state"); got != "[[0]]" {
		t.Errorf("written all the same: %s", got)
	}
	if code, result, said := s.migrate(t.Context(), options{ledger: "map", field: "name", skip: true}, lines...); code != 0 || result.New != 1 || result.Unfit != len(lines)-1 {
		t.Errorf("exit code %d, %s", code, said)
	}
	// A schema, and fields that would take the place of the operation's own.
	for name, line := range map[string]string{"map": `{"key":"a"}`, "counter": `{"name":"n","amount":-1}`, "notes": `{"subject":"s"}`, "table": `{"v":1}`, "raw": `{"sha":"x"}`} {
		if code, result, said := s.migrate(t.Context(), options{ledger: name}, line); code != 3 || result.Unfit != 1 {
			t.Errorf("%s: exit code %d, %s", name, code, said)
		}
	}
	if code, result, said := s.migrate(t.Context(), options{ledger: "counter"}, `{"operation":"decrement","name":"n","amount":1}`); code != 3 || result.Unfit != 1 {
		t.Errorf("exit code %d, %s", code, said)
	}
}

// An interruption between two batches loses nothing, and nothing comes twice.
func TestInterrupted(t *testing.T) {
	s := newSite(t)
	var lines []string
	for i := range 250 {
		lines = append(lines, fmt.Sprintf(`{"n":%d,"text":%q}`, i, strings.Repeat("x", i%90)))
	}
	ctx, cancel := context.WithCancel(t.Context())
	file := filepath.Join(t.TempDir(), "memory.jsonl")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	o := options{repo: s.path, config: s.config, ledger: "log", field: "key"}
	watch := &progress{after: 4, stop: cancel}
	p := actions.Program{Name: "migrate", Run: func(ctx context.Context, c *actions.Call) error { return migrate(ctx, c, o) }}
	code := p.Execute(ctx, []string{file}, actions.System{Getenv: func(string) string { return "" }, Stdout: &strings.Builder{}, Stderr: watch, Terminal: true})
	if code != 1 {
		t.Fatalf("exit code %d", code)
	}
	if got := s.rows("log", "SELECT count(*) FROM state"); got == "[[0]]" || got == "[[250]]" {
		t.Fatalf("it was not interrupted: %s", got)
	}
	code, result, said := s.migrate(t.Context(), options{ledger: "log"}, lines...)
	if code != 0 || result.New+result.Present != 250 || result.Present == 0 || result.New == 0 {
		t.Errorf("exit code %d, %s", code, said)
	}
	if got := s.rows("log", "SELECT count(*), sum(json_extract(value, '$.n') = position) FROM state"); got != "[[250 250]]" {
		t.Errorf("%s", got)
	}
}

// progress interrupts the program after so many lines that it said.
type progress struct {
	after int
	stop  func()
}

func (p *progress) Write(text []byte) (int, error) {
	if p.after--; p.after == 0 {
		p.stop()
	}
	return len(text), nil
}

func TestUsedWrongly(t *testing.T) {
	s := newSite(t)
	for name, o := range map[string]options{"no ledger": {}, "an unknown one": {ledger: "other"}} {
		if code, _, said := s.migrate(t.Context(), o, `{}`); code != 2 || strings.Contains(said, s.path) {
			t.Errorf("%s: exit code %d, %s", name, code, said)
		}
	}
	if code, result, said := s.migrate(t.Context(), options{ledger: "raw", dry: true}, `{}`); code != 0 || result.New != 0 || result.Lines != 1 {
		t.Errorf("exit code %d, %s", code, said)
	}
}

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/ledger"
)

// What is offered is the tools of the configuration, as they are, and two that read.
func TestTools(t *testing.T) {
	s := newStage(t)
	c := s.connect()
	listed := map[string]any{}
	for tool, err := range c.Tools(t.Context(), nil) {
		s.must(err)
		if tool.OutputSchema == nil {
			t.Errorf("%s has no output schema", tool.Name)
		}
		listed[tool.Name] = []any{tool.Description, tool.InputSchema}
	}
	for _, name := range []string{toolQuery, toolRecords} {
		if text := fmt.Sprint(listed[name]); !strings.Contains(text, "never instructions") {
			t.Errorf("%s: %s", name, text)
		}
		delete(listed, name)
	}
	want := map[string]any{}
	for _, tool := range s.configs.Tools() {
		var schema any
		s.must(json.Unmarshal(tool.InputSchema, &schema))
		want[tool.Name] = []any{tool.Description, schema}
	}
	if !reflect.DeepEqual(listed, want) {
		t.Errorf("got  %v\nwant %v", listed, want)
	}
	if got := c.InitializeResult().Instructions; got != s.configs.Prompt() {
		t.Errorf("instructions %q", got)
	}
}

func TestQueryTool(t *testing.T) {
	s := newStage(t)
	c := s.connect()
	result, code := c.call(t.Context(), toolQuery, `{"ledger":"findings","sql":"SELECT key, ? AS a, 1.5 AS f, NULL AS n, x'00ff' AS b, 1e999 AS i FROM state WHERE key <> ? ORDER BY key","args":[7,"F-9"]}`)
	want := map[string]any{
		"columns":   []any{"key", "a", "f", "n", "b", "i"},
		"rows":      []any{[]any{"F-1", 7.0, 1.5, nil, "AP8=", "Infinity"}, []any{"F-2", 7.0, 1.5, nil, "AP8=", "Infinity"}},
		"truncated": false,
	}
	if code != "" || !reflect.DeepEqual(result, want) {
		t.Errorf("%s %v", code, result)
	}
	for arguments, want := range map[string]string{
		`{"ledger":"findings","sql":"DELETE FROM records"}`:                    "denied",
		`{"ledger":"findings","sql":"ATTACH 'canary' AS x"}`:                   "denied",
		`{"ledger":"findings","sql":"SELECT canary"}`:                          "statement",
		`{"ledger":"findings","sql":"SELECT 1; SELECT 2"}`:                     "statement",
		`{"ledger":"findings","sql":"SELECT ?"}`:                               "statement",
		`{"ledger":"findings","sql":"SELECT load_extension('canary')"}`:        "denied",
		`{"ledger":"canary","sql":"SELECT 1"}`:                                 "unknown-ledger",
		`{"ledger":"../canary","sql":"SELECT 1"}`:                              "unknown-ledger",
		`{"sql":"SELECT 1"}`:                                                   "ledger-missing",
		`{"ledger":"findings"}`:                                                "arguments",
		`{"ledger":"findings","sql":1}`:                                        "arguments",
		`{"ledger":"findings","sql":"SELECT 1","sql":"SELECT 2"}`:              "arguments",
		`{"ledger":"findings","sql":"SELECT 1","Args":[]}`:                     "arguments",
		`{"ledger":"findings","sql":"SELECT 1","canary":1}`:                    "arguments",
		`{"ledger":"findings","sql":"SELECT ?","args":[["canary"]]}`:           "arguments",
		`{"ledger":"findings","sql":"SELECT ?","args":"canary"}`:               "arguments",
		`{"ledger":"findings","sql":"SELECT ?","args":[9007199254740993]}`:     "arguments",
		`{"ledger":"findings","sql":"SELECT 1` + space(64<<10) + `"}`:          "too-large",
		`{"ledger":"findings","sql":"SELECT printf('%300000d', 1)"}`:           "too-large",
		`{"ledger":"findings","sql":"SELECT readfile('/etc/passwd')"}`:         "statement",
		`{"ledger":"findings","sql":"PRAGMA writable_schema = 1"}`:             "denied",
		`{"ledger":"findings","sql":"WITH x AS (SELECT 1) DELETE FROM state"}`: "denied",
	} {
		if _, code := c.call(t.Context(), toolQuery, arguments); code != want {
			t.Errorf("%.80s: %q, want %q", arguments, code, want)
		}
	}
}

func space(n int) string { return strings.Repeat(" ", n) }

func TestRecordsTool(t *testing.T) {
	s := newStage(t)
	c := s.connect()
	first, code := c.call(t.Context(), toolRecords, `{"ledger":"findings","limit":1}`)
	if code != "" || first["hasMore"] != true {
		t.Fatal(code, first)
	}
	second, code := c.call(t.Context(), toolRecords, fmt.Sprintf(`{"ledger":"findings","limit":1,"cursor":%q}`, first["nextCursor"]))
	if code != "" || second["hasMore"] != false || len(second["records"].([]any)) != 1 {
		t.Error(code, second)
	}
	high, code := c.call(t.Context(), toolRecords, `{"ledger":"findings","type":"ledger_append","filters":[{"path":"value.severity","op":"in","value":["high"]},{"path":"nothing","op":"exists","value":false}]}`)
	if code != "" || len(high["records"].([]any)) != 1 {
		t.Error(code, high)
	}
	if none, code := c.call(t.Context(), toolRecords, `{"ledger":"knowledge"}`); code != "" || len(none["records"].([]any)) != 0 {
		t.Error(code, none)
	}
	const filter = `{"path":"a","op":"exists","value":true}`
	eight := filter + strings.Repeat(","+filter, 7)
	for arguments, want := range map[string]string{
		`{"ledger":"free","limit":0}`:                                     "arguments",
		`{"ledger":"free","limit":501}`:                                   "arguments",
		`{"ledger":"free","limit":500}`:                                   "",
		`{"ledger":"free","limit":"canary"}`:                              "arguments",
		`{"ledger":"free","cursor":"canary"}`:                             "record-query",
		`{"ledger":"free","filters":[{"path":"a","op":"canary"}]}`:        "record-query",
		`{"ledger":"free","filters":[{"path":"a"}]}`:                      "arguments",
		`{"ledger":"free","filters":[{"path":"a","op":"eq","canary":1}]}`: "arguments",
		`{"ledger":"free","filters":["canary"]}`:                          "arguments",
		`{"ledger":"free","filters":{}}`:                                  "arguments",
		`{"ledger":"free","filters":[` + eight + `,` + filter + `]}`:      "record-query",
		`{"ledger":"free","filters":[` + eight + `]}`:                     "",
	} {
		if _, code := c.call(t.Context(), toolRecords, arguments); code != want {
			t.Errorf("%.80s: %q, want %q", arguments, code, want)
		}
	}
}

// What is queued becomes records in the jobs after the agent, and what is refused
// leaves no line.
func TestQueueTools(t *testing.T) {
	s := newStage(t)
	c := s.connect()
	for _, call := range []struct{ tool, arguments, code string }{
		{ledger.ToolAppend, `{"ledger":"findings","operation":"upsert","value":{"id":"F-3","severity":"new"}}`, ""},
		{ledger.ToolAppend, `{"ledger":"seen","operation":"add","value":"lost","value":"b\u001b\n"}`, ""}, // the last one counts
		{ledger.ToolNoteAdd, `{"ledger":"knowledge","temp_id":"n","subject":"s","note":"n","reason":"r","citations":[{"type":"repository","path":"README.md"}]}`, ""},
		{ledger.ToolNoteVote, `{"ledger":"knowledge","note_id":"#n","vote":"up"}`, ""},
		{ledger.ToolAppend, `{"ledger":"free","record":{"a":[1,2]},"temp_id":"n"}`, ""},
		{ledger.ToolRequestCompaction, `{"ledger":"seen","reason":"many shards"}`, ""},

		{ledger.ToolAppend, `{"ledger":"canary","record":{}}`, "unknown-ledger"},
		{ledger.ToolAppend, `{"record":{}}`, "ledger-missing"},
		{ledger.ToolAppend, `{"ledger":"free","record":{"id":"canary"}}`, "reserved-field"},
		{ledger.ToolAppend, `{"ledger":"free","record":{"a":` + strings.Repeat("[", 33) + strings.Repeat("]", 33) + `}}`, "too-deep"},
		{ledger.ToolAppend, `{"ledger":"free","record":{"a":1e999}}`, "syntax"},
		{ledger.ToolAppend, `{"ledger":"free","record":{},"canary":1}`, "unknown-field"},
		{ledger.ToolAppend, `{"ledger":"free","record":{},"type":"create_issue"}`, "unknown-field"},
		{ledger.ToolAppend, `{"ledger":"free","record":{},"temp_id":"#n"}`, "temp-id-repeated"},
		{ledger.ToolAppend, `["canary"]`, "not-object"},
		{ledger.ToolAppend, `{"ledger":"seen","operation":"add","value":"` + strings.Repeat("x", 11<<10) + `"}`, "batch-size"},
		{ledger.ToolAppend, `{"ledger":"free","record":{"a":"` + strings.Repeat("x", 33<<10) + `"}}`, "record-size"},
		{ledger.ToolAppend, `{"ledger":"free","record":{"a":"` + strings.Repeat("x", 256<<10) + `"}}`, "line-size"},
		{ledger.ToolNoteVote, `{"ledger":"knowledge","note_id":"canary","vote":"sideways"}`, "invalid-vote"},
		{ledger.ToolNoteVote, `{"ledger":"free","note_id":"canary","vote":"up"}`, "tool-type"},
		{ledger.ToolRequestCompaction, `{"ledger":"canary","reason":"r"}`, "unknown-ledger"},
		{ledger.ToolRequestCompaction, `{"reason":"r"}`, "ledger-missing"},
		{ledger.ToolRequestCompaction, `{"ledger":7}`, "invalid"},
	} {
		before := len(s.lines())
		result, code := c.call(t.Context(), call.tool, call.arguments)
		if code != call.code || code == "" && !reflect.DeepEqual(result, map[string]any{"result": "queued"}) {
			t.Errorf("%.80s: %q %v, want %q", call.arguments, code, result, call.code)
		}
		if added := len(s.lines()) - before; (code == "") != (added == 1) || added > 1 {
			t.Errorf("%.80s: %d lines", call.arguments, added)
		}
	}
	if _, err := c.CallTool(t.Context(), nil); err == nil {
		t.Error("a call without parameters succeeded")
	}
	lines := slices.DeleteFunc(s.lines(), func(line string) bool { return strings.Contains(line, ledger.ToolRequestCompaction) })
	s.persist("run:1", strings.Join(lines, "\n"))
	if got := s.history("seen"); !slices.Contains(got, `{"operation":"add","value":"b\u001b\n"}`) || len(got) != 2 {
		t.Errorf("%q", got)
	}
	if n := len(s.history("findings")) + len(s.history("knowledge")) + len(s.history("free")); n != 3+2+2 {
		t.Errorf("%d records", n)
	}
}

// A session reads, is refused and queues, and changes one file.
func TestReadOnly(t *testing.T) {
	s := newStage(t)
	before := s.inventory()
	c := s.connect()
	for _, cfg := range s.configs {
		c.call(t.Context(), toolQuery, `{"ledger":"`+cfg.Name+`","sql":"SELECT * FROM records, parents ORDER BY random()"}`)
		c.call(t.Context(), toolQuery, `{"ledger":"`+cfg.Name+`","sql":"CREATE TEMP TABLE x AS SELECT 1"}`)
		c.call(t.Context(), toolRecords, `{"ledger":"`+cfg.Name+`"}`)
	}
	c.call(t.Context(), ledger.ToolAppend, `{"ledger":"free","record":{}}`)
	s.must(c.Close())
	after := s.inventory()
	delete(after, s.requests())
	if !reflect.DeepEqual(before, after) {
		t.Errorf("before %v\nafter %v", before, after)
	}
	if info, err := os.Stat(s.requests()); err != nil || info.Mode() != 0o600 {
		t.Error(info, err)
	}
}

package ledger_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xeipuuv/gojsonschema"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/txn"
)

var seed = flag.Uint64("seed", uint64(time.Now().UnixNano()), "of the random inputs")

const many = `{
	history: {type: log, schema: {type: string, minLength: 2}},
	processed: {type: set},
	sizes: {type: map, schema: {type: integer, maximum: 5}},
	names: {type: map},
	findings: {type: table, key: id, schema: {type: object, required: [id, severity], properties: {id: {type: string}, severity: {enum: [low, high]}}, additionalProperties: false}},
	tree: {type: log, schema: {definitions: {n: {type: object, properties: {next: {$ref: "#/definitions/n"}}, additionalProperties: false}}, $ref: "#/definitions/n"}},
	metrics: {type: counter}, knowledge: {type: notes},
	raw: {schema: {type: object, required: [subject], properties: {subject: {type: string}}}},
	free: {compaction: false}}`

func TestToolsOffered(t *testing.T) {
	for value, want := range map[string]string{
		`{log: {}, compaction: {compaction: false}}`: "ledger_append(compaction,log)! ledger_request_compaction(log)",
		`{}`:                               "ledger_append(default) ledger_request_compaction(default)",
		`{type: log, compaction: false}`:   "ledger_append(default)",
		`{type: map, compaction: false}`:   "ledger_map_put(default) ledger_map_delete(default)",
		`{a: {type: notes}}`:               "ledger_note_add(a) ledger_note_vote(a) ledger_request_compaction(a)",
		`{a: {type: map}, b: {type: map}}`: "ledger_map_put(a,b)! ledger_map_delete(a,b)! ledger_request_compaction(a,b)!",
		`{a: {type: map}, b: {type: set, compaction: false}}`: "ledger_append(b)! ledger_map_put(a) ledger_map_delete(a) ledger_request_compaction(a)",
		many: "ledger_append(findings,free,history,metrics,processed,raw,tree)! ledger_map_put(names,sizes)! ledger_map_delete(names,sizes)! " +
			"ledger_note_add(knowledge) ledger_note_vote(knowledge) ledger_request_compaction(findings,history,knowledge,metrics,names,processed,raw,sizes,tree)!",
	} {
		configs := parse(t, value)
		var got []string
		for _, tool := range configs.Tools() {
			var s struct {
				Required   []string
				Properties struct{ Ledger struct{ Enum []string } }
			}
			if err := json.Unmarshal(tool.InputSchema, &s); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(s.Properties.Ledger.Enum, tool.Ledgers) {
				t.Errorf("%s: enum %v, ledgers %v", tool.Name, s.Properties.Ledger.Enum, tool.Ledgers)
			}
			name := tool.Name + "(" + strings.Join(tool.Ledgers, ",") + ")"
			if slices.Contains(s.Required, "ledger") {
				name += "!"
			}
			got = append(got, name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s:\n got %s\nwant %s", value, strings.Join(got, " "), want)
		}
	}
}

func TestToolsMarshal(t *testing.T) {
	configs := parse(t, many)
	text, err := json.Marshal(configs.Tools())
	if err != nil {
		t.Fatal(err)
	}
	again, _ := json.Marshal(parse(t, many).Tools())
	if string(again) != string(text) {
		t.Error("not deterministic")
	}
	var tools []map[string]any
	if err := json.Unmarshal(text, &tools); err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools {
		schema := tool["inputSchema"].(map[string]any)
		if len(tool) != 3 || tool["name"] == "" || tool["description"] == "" || schema["type"] != "object" {
			t.Errorf("%v", tool)
		}
		for _, keyword := range []string{"oneOf", "anyOf", "allOf", "not", "if", "enum", "$ref"} { // which models refuse there
			if schema[keyword] != nil {
				t.Errorf("%s has %s at the top of its input schema", tool["name"], keyword)
			}
		}
	}
	note, _ := configs.LookupTool(ledger.ToolNoteAdd)
	for _, bound := range []string{`"maxLength":512`, `"maxLength":4096`, `"maxLength":1024`, `"maxItems":32`, `"minItems":1`} {
		if !strings.Contains(string(note.InputSchema), bound) {
			t.Errorf("ledger_note_add does not state %s", bound)
		}
	}
	if _, ok := configs.LookupTool("ledger_claim_add"); ok {
		t.Error("a tool that no longer exists")
	}
}

// What a tool's schema admits is what validation accepts, and the other way
// round. Inputs are made from the schema: values within its bounds, at them and
// just beyond, with members left out, added and exchanged.
func TestToolsAgreeWithValidation(t *testing.T) {
	t.Logf("seed %d (set it with -seed)", *seed)
	random := rand.New(rand.NewPCG(*seed, 0))
	for _, value := range []string{many, `{type: log}`, `{type: table, key: id}`, `{type: map, schema: {type: integer}}`, `{}`, `{type: notes}`, `{type: counter}`, `{type: set, schema: {enum: [1, [1], {"a": 1}]}}`} {
		configs := parse(t, value)
		for _, tool := range configs.Tools() {
			if tool.Name == ledger.ToolRequestCompaction {
				continue
			}
			loader := gojsonschema.NewSchemaLoader()
			loader.Validate = true
			schema, err := loader.Compile(gojsonschema.NewBytesLoader(tool.InputSchema))
			if err != nil {
				t.Fatalf("%s: %v\n%s", tool.Name, err, tool.InputSchema)
			}
			var root map[string]any
			if err := json.Unmarshal(tool.InputSchema, &root); err != nil {
				t.Fatal(err)
			}
			g := generator{random: random, root: root}
			// At least 150 inputs, and until there was one of either kind.
			admitted, rounds := 0, 0
			for ; rounds < 150 || (admitted == 0 || admitted == rounds) && rounds < 20_000; rounds++ {
				input, _ := json.Marshal(g.input())
				result, err := schema.Validate(gojsonschema.NewBytesLoader(input))
				if err != nil {
					t.Fatal(err)
				}
				line := append([]byte(`{"type":"`+tool.Name+`",`), input[1:]...)
				if string(input) == "{}" {
					line = []byte(`{"type":"` + tool.Name + `"}`)
				}
				_, err = txn.Normalize(configs, "1:1", strings.NewReader(string(line)))
				if result.Valid() != (err == nil) && !inexpressible(input) {
					t.Fatalf("%s of %s:\n%s\nschema: %v\nvalidation: %v", tool.Name, value, input, result.Errors(), err)
				}
				if result.Valid() {
					admitted++
				}
			}
			if admitted == 0 || admitted == rounds {
				t.Errorf("%s of %s: %d of %d inputs were admitted; the generator is lopsided", tool.Name, value, admitted, rounds)
			}
		}
	}
}

// Each text of the generator's as a path, a subject and a patch's property: the
// random inputs meet few of them in the right place.
func TestToolsAgreeOnTexts(t *testing.T) {
	configs := parse(t, `{notes: {type: notes}, table: {type: table, key: id}}`)
	admitted := 0
	for _, text := range texts() {
		for name, input := range map[string]map[string]any{
			ledger.ToolNoteAdd:  {"subject": "s", "note": "n", "reason": "r", "citations": []any{map[string]any{"type": "repository", "path": text}}},
			ledger.ToolAppend:   {"ledger": "table", "operation": "update", "key": text, "patch": map[string]any{text: 1}},
			ledger.ToolNoteVote: {"note_id": text, "vote": "up", "reason": text},
		} {
			tool, _ := configs.LookupTool(name)
			result, err := gojsonschema.Validate(gojsonschema.NewBytesLoader(tool.InputSchema), gojsonschema.NewGoLoader(input))
			if err != nil {
				t.Fatal(err)
			}
			input["type"] = name
			line, _ := json.Marshal(input)
			if _, err = txn.Normalize(configs, "1:1", strings.NewReader(string(line))); result.Valid() != (err == nil) {
				t.Errorf("%s\nschema: %v\nvalidation: %v", line, result.Errors(), err)
			}
			if result.Valid() {
				admitted++
			}
		}
	}
	if admitted < 20 {
		t.Errorf("only %d were admitted", admitted)
	}
}

// inexpressible reports whether an input meets one of the exceptions that the
// documentation of [ledger.Tool] states: JSON Schema cannot compare two members,
// and validation takes a ledger of null or "" for none.
func inexpressible(input []byte) bool {
	var v struct {
		Ledger    any
		Citations []struct {
			Start float64 `json:"start_line"`
			End   float64 `json:"end_line"`
		}
	}
	v.Ledger = "none"
	json.Unmarshal(input, &v)
	if v.Ledger == nil || v.Ledger == "" {
		return true
	}
	for _, c := range v.Citations {
		if c.End != 0 && c.End < c.Start {
			return true
		}
	}
	return false
}

// generator makes values from a JSON Schema, many of them wrong.
type generator struct {
	random *rand.Rand
	root   map[string]any
}

func (g generator) chance(n int) bool { return g.random.IntN(n) == 0 }

func (g generator) input() any {
	schema := g.root
	if always, ok := g.root["dependencies"].(map[string]any); ok {
		for _, s := range always {
			forms := s.(map[string]any)["oneOf"].([]any)
			schema = forms[g.random.IntN(len(forms))].(map[string]any)
		}
	}
	return g.object(schema, true)
}

func (g generator) object(schema map[string]any, top bool) map[string]any {
	out := map[string]any{}
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for name, s := range properties {
		if slices.Contains(required, any(name)) && g.chance(25) || !slices.Contains(required, any(name)) && g.chance(3) && name != "ledger" {
			continue
		}
		if name == "temp_id" {
			s = g.root["properties"].(map[string]any)["temp_id"]
		}
		out[name] = g.value(s)
	}
	if g.chance(25) {
		names := []string{"extra", "id", "record", "value", "operation", "key", "sha"}
		if !top {
			names = append(names, "severity", "subject", "next", "path")
		}
		out[names[g.random.IntN(len(names))]] = g.anything()
	}
	return out
}

func (g generator) value(s any) any {
	schema, _ := s.(map[string]any)
	if g.chance(25) {
		return g.anything()
	}
	if all, ok := schema["allOf"].([]any); ok && schema["type"] == nil {
		return g.value(all[len(all)-1])
	}
	if ref, ok := schema["$ref"].(string); ok {
		name := strings.TrimPrefix(ref, "#/definitions/")
		return g.value(g.root["definitions"].(map[string]any)[name])
	}
	if values, ok := schema["enum"].([]any); ok {
		return values[g.random.IntN(len(values))]
	}
	switch schema["type"] {
	case "string":
		return g.text(schema)
	case "integer":
		return g.integer(schema)
	case "object":
		return g.object(schema, false)
	case "array":
		n := []int{0, 1, 1, 2, 32, 33}[g.random.IntN(6)]
		list := make([]any, n)
		one := g.value(schema["items"])
		for i := range list {
			list[i] = one
		}
		return list
	}
	return g.anything()
}

func (g generator) text(schema map[string]any) string {
	if limit, ok := schema["maxLength"].(float64); ok && g.chance(3) {
		return strings.Repeat("x", int(limit)+g.random.IntN(3)-1)
	}
	pool := texts()
	return pool[g.random.IntN(len(pool))]
}

func (g generator) integer(schema map[string]any) any {
	pool := []any{0, 1, 2, 5, 6, -1, 1.5, json.Number("1.0"), json.Number("9007199254740991"), json.Number("9007199254740992"), json.Number("1e300"), "1"}
	return pool[g.random.IntN(len(pool))]
}

func (g generator) anything() any {
	pool := []any{nil, true, 0, 1.5, "", "a", "#a", []any{}, []any{1}, map[string]any{}, map[string]any{"id": "x"}, map[string]any{"a": 1}, map[string]any{"id": "x", "severity": "low"}}
	return pool[g.random.IntN(len(pool))]
}

func TestOperations(t *testing.T) {
	var all []string
	for _, typ := range append(ledger.Types(), ledger.Raw) {
		for _, s := range ledger.Operations(typ) {
			all = append(all, fmt.Sprintf("%s.%s", typ, s))
			if got, ok := ledger.Operation(typ, s.Name); !ok || got.Name != s.Name {
				t.Errorf("Operation(%s, %s): %v", typ, s.Name, got)
			}
			if _, ok := s.Field("operation"); ok {
				t.Errorf("%s has a field operation", s)
			}
		}
	}
	const want = "log.append(value) set.add(value) set.remove(value) map.put(key, value) map.delete(key) table.insert(value) table.update(key, patch) " +
		"table.upsert(value) table.delete(key) counter.increment(name, amount) counter.decrement(name, amount) " +
		"notes.note(subject, note, reason, citations) notes.vote(note_id, vote, reason?)"
	if strings.Join(all, " ") != want {
		t.Errorf("got %s\nwant %s", strings.Join(all, " "), want)
	}
	if _, ok := ledger.Operation(ledger.Set, "append"); ok {
		t.Error("a set has no append")
	}
}

func texts() []string {
	return []string{"", " ", "\u00a0\ufeff\u2003", "a", "ab", "id", "#a", "##a", "a-b_c", strings.Repeat("a", 64), strings.Repeat("a", 65), "é😀",
		"docs/a.md", "a", "docs/../a", "./a", "..", "...", "a/...", ".a", "..a", "a/.b/..c", "/a", "a/", "a//b", "a\\b", "a\u007f", "a\nb",
		"https://x/y", "c:x", "1c:x", ":x", "a b:c", "a%2e", "a%2Fb", "a%5c", "%2", "a%20b", "low", "high", "up"}
}

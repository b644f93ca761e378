package ledger_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/gitledger/gitledger/ledger"
)

// summary states a configuration on one line a ledger.
func summary(cs ledger.Configs) string {
	var lines []string
	for _, c := range cs {
		s := fmt.Sprintf("%s %s", c.Name, c.Type)
		if c.Key != "" {
			s += " key=" + c.Key
		}
		if c.Schema != nil {
			s += " schema=" + string(c.Schema.Raw())
		}
		if c.Limits != ledger.DefaultLimits() {
			s += fmt.Sprintf(" limits=%d/%d/%d", c.Limits.RecordBytes, c.Limits.SegmentBytes, c.Limits.PatchBytes)
		}
		if c.Compaction.Disabled {
			s += " compaction=off"
		} else if c.Compaction != ledger.DefaultCompaction() {
			s += fmt.Sprintf(" compaction=%s/%d/%d", c.Compaction.Schedule, c.Compaction.MinSegments, c.Compaction.MaxSegments)
		}
		lines = append(lines, s)
	}
	return strings.Join(lines, "\n")
}

func TestAccepted(t *testing.T) {
	for _, c := range []struct{ value, want string }{
		// One ledger.
		{`{}`, "default raw"},
		{``, "default raw"},
		{`null`, "default raw"},
		{`{type: log}`, "default log"},
		{`{schema: {type: object}}`, `default raw schema={"type":"object"}`},
		{`{schema: {}}`, `default raw schema={}`},
		{`{schema: {properties: {key: {}}}}`, `default raw schema={"properties":{"key":{}}}`},
		{`{type: table, key: id}`, "default table key=id"},
		{`{max-record-kb: 16}`, "default raw limits=16384/102400/10240"},
		{`{max-record-kb: 16.0, max-segment-kb: 1.6e1, max-patch-kb: 10240}`, "default raw limits=16384/16384/10485760"},
		{`{max-record-kb: 1, max-segment-kb: 1, max-patch-kb: 1}`, "default raw limits=1024/1024/1024"},
		{`{max-segment-kb: 10240}`, "default raw limits=32768/10485760/10240"},
		{`{max-record-kb: 32, max-segment-kb: 32}`, "default raw limits=32768/32768/10240"},
		{`{compaction: false}`, "default raw compaction=off"},
		{`{compaction: true}`, "default raw"},
		{`{compaction: {}}`, "default raw"},
		{`{compaction: {schedule: manual}}`, "default raw compaction=manual/32/128"},
		{`{type: map, compaction: {min-segments: 200}}`, "default map compaction=daily/200/200"},
		{`{compaction: {min-segments: 2, max-segments: 256}}`, "default raw compaction=daily/2/256"},
		{`{compaction: {min-segments: 129, max-segments: 129}}`, "default raw compaction=daily/129/129"},

		// Several ledgers, also under the names of settings.
		{`{log: {}}`, "log raw"},
		{`{log: {type: log}, set: {type: set}}`, "log log\nset set"},
		{`{type: {type: log}}`, "type log"},
		{`{type: {}}`, "type raw"},
		{`{key: {type: table, key: id}}`, "key table key=id"},
		{`{schema: {type: log}}`, "schema log"},
		{`{schema: {type: table, key: id}}`, "schema table key=id"},
		{`{schema: {max-record-kb: 8}}`, "schema raw limits=8192/102400/10240"},
		{`{schema: {schema: {type: string}}}`, `schema raw schema={"type":"string"}`},
		{`{schema: {compaction: false}}`, "schema raw compaction=off"},
		{`{schema: {}, other: {}}`, "other raw\nschema raw"},
		{`{compaction: {type: log}}`, "compaction log"},
		{`{compaction: {compaction: {schedule: weekly}}}`, "compaction raw compaction=weekly/32/128"},
		{`{compaction: {}, log: {}}`, "compaction raw\nlog raw"},
		{`{replay: {type: log}}`, "replay log"},
		{`{replay: {}}`, "replay raw"},
		{`{max-record-kb: {type: log}}`, "max-record-kb log"},
		{`{type: {type: log}, key: {type: set}, log: {type: map}, replay: {type: counter}, compaction: {type: notes}, schema: {type: table, key: id}}`,
			"compaction notes\nkey set\nlog map\nreplay counter\nschema table key=id\ntype log"},
		{`{2024: {}, A: {}, a: {}, A-b_9: {}}`, "2024 raw\nA raw\nA-b_9 raw\na raw"},
		{`{` + strings.Repeat("a", 64) + `: {}}`, strings.Repeat("a", 64) + " raw"},
		{`{base: &b {type: log, schema: {type: string}}, other: *b}`, "base log schema={\"type\":\"string\"}\nother log schema={\"type\":\"string\"}"},
		{`{a: {schema: {enum: [2024-01-02, 1.50, yes, ~]}}}`, `a raw schema={"enum":["2024-01-02",1.5,"yes",null]}`},
		{`{"a": {"type": "log"}}`, "a log"},
	} {
		got, err := ledger.ParseYAMLValue([]byte(c.value))
		if err != nil || summary(got) != c.want {
			t.Errorf("%s:\n got %s %v\nwant %s", c.value, summary(got), err, c.want)
			continue
		}
		// The same as Go values, for which the YAML reader stands in for a compiler.
		var m map[string]any
		if err := yaml.Unmarshal([]byte(c.value), &m); err != nil || strings.Contains(c.value, "2024") {
			continue
		}
		if got, err := ledger.ParseMap(m); err != nil || summary(got) != c.want {
			t.Errorf("ParseMap(%v):\n got %s %v\nwant %s", m, summary(got), err, c.want)
		}
		roundTrip(t, got)
	}
}

func roundTrip(t *testing.T, cs ledger.Configs) {
	t.Helper()
	maintenance, err := cs.MaintenanceJSON()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ledger.ParseJSON(maintenance); err != nil || summary(got) != summary(cs) {
		t.Errorf("%s came back as %s %v", maintenance, summary(got), err)
	}
	text, err := json.Marshal(cs)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := cs.Base64()
	if err != nil {
		t.Fatal(err)
	}
	back, err := ledger.ParseBase64(encoded)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if again, _ := json.Marshal(back); string(again) != string(text) {
		t.Errorf("%s came back as %s", text, again)
	}
	if strings.Contains(string(text), `"compaction":{"schedule"`) {
		t.Errorf("the policy is in the runtime's form: %s", text)
	}
}

func TestRealWorkflows(t *testing.T) {
	files := fstest.MapFS{".github/schemas/runs.json": {Data: []byte(`{"type": "object", "required": ["run_id"]}`)}}
	const table = `{"additionalProperties":false,"properties":{"id":{"type":"string"},"status":{"enum":["inserted","updated","passed"]}},"required":["id","status"],"type":"object"}`
	for source, want := range map[string]string{
		reviews: `awf-feature-reviews raw schema={"additionalProperties":false,"properties":{"open_feature_ids":{"items":{"type":"string"},"type":"array"},"outcome":{"enum":["issue_created","noop"]},"record_type":{"enum":["review"]},"reviewed_sha":{"type":"string"},"run_id":{"type":"string"}},"required":["record_type","run_id","reviewed_sha","outcome"],"type":"object"} limits=8192/102400/10240`,
		fiveTypes: `counter counter
log log schema={"additionalProperties":false,"properties":{"workflow_run_id":{"type":"string"}},"required":["workflow_run_id"],"type":"object"} compaction=off
map map compaction=weekly/200/200
set set schema={"type":"string"} compaction=off
table table key=id schema=` + table,
		singleTable: `default table key=run_id schema={"required":["run_id"],"type":"object"} limits=32768/262144/10240 compaction=manual/32/128`,
	} {
		for _, text := range []string{source, strings.ReplaceAll(source, "\n", "\r\n"), "\ufeff" + source} {
			got, err := ledger.Parser{Files: files}.YAML([]byte(text))
			if err != nil || summary(got) != want {
				t.Errorf("got %s %v\nwant %s", summary(got), err, want)
			}
		}
	}
	for _, source := range []string{"", "# nothing\n", "---\n---\n", "on: push", "tools: {}", "tools:", "tools: [bash]", "tools: { repo-memory: true }", "---\non: push\n---\ntools: { ledger: {} }"} {
		if got, err := ledger.ParseYAML([]byte(source)); got != nil || err != nil {
			t.Errorf("%q: %v %v, want no ledgers", source, got, err)
		}
	}
}

// Each declaration is refused with these codes and places, in this order. None
// of the values in it may show.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ value, want string }{
		{`[]`, "wrong-kind tools.ledger 1:1"},
		{`true`, "wrong-kind tools.ledger 1:1"},
		{`secret`, "wrong-kind tools.ledger 1:1"},
		{`{a: secret}`, "wrong-kind tools.ledger.a 1:5"},
		{`{a: }`, "wrong-kind tools.ledger.a 1:5"},
		{`{a: [secret]}`, "wrong-kind tools.ledger.a 1:5"},
		{`{type: secret}`, "type tools.ledger.type 1:8"},
		{`{type: [log]}`, "type tools.ledger.type 1:8"},
		{`{type: ""}`, "type tools.ledger.type 1:8"},
		{`{type: claims}`, "removed-type tools.ledger.type 1:8"},
		{`{a: {type: claims, key: x}}`, "removed-type tools.ledger.a.type 1:12"},
		{`{type: table}`, "key tools.ledger.key 1:8"},
		{`{type: log, key: id}`, "key tools.ledger.key 1:18"},
		{`{key: id}`, "key tools.ledger.key 1:7"},
		{`{type: table, key: ""}`, "key tools.ledger.key 1:20"},
		{`{type: table, key: 5}`, "key tools.ledger.key 1:20"},
		{`{type: table, key: "a.b"}`, "key tools.ledger.key 1:20"},
		{`{type: counter, schema: {}}`, "schema tools.ledger.schema 1:17"},
		{`{type: notes, schema: secret.json}`, "schema tools.ledger.schema 1:15"},
		{`{schema: 5}`, "schema tools.ledger.schema 1:10"},
		{`{schema: {type: secret}, type: log}`, "schema tools.ledger.schema 1:10"},
		{`{type: log, schema: {$ref: "http://secret/"}}`, "schema tools.ledger.schema 1:21"},
		{`{schema: secret.json}`, "schema-file tools.ledger.schema 1:10"},
		{`{replay: secret.cjs}`, "replay tools.ledger.replay 1:2"},
		{`{replay: {script: secret}}`, "replay tools.ledger.replay 1:2"},
		{`{replay: {config: {}}}`, "replay tools.ledger.replay 1:2"},
		{`{replay: }`, "replay tools.ledger.replay 1:2"},
		{`{type: log, replay: {}}`, "replay tools.ledger.replay 1:13"},
		{`{a: {replay: {}}}`, "replay tools.ledger.a.replay 1:6"},
		{`{a: {replay: {type: log}}}`, "replay tools.ledger.a.replay 1:6"},
		{`{compaction: {script: secret}}`, "compaction-script tools.ledger.compaction.script 1:15"},
		{`{a: {compaction: {script: }}}`, "compaction-script tools.ledger.a.compaction.script 1:19"},
		{`{compaction: secret}`, "compaction tools.ledger.compaction 1:14"},
		{`{compaction: }`, "compaction tools.ledger.compaction 1:14"},
		{`{compaction: {schedule: hourly}}`, "compaction tools.ledger.compaction.schedule 1:25"},
		{`{compaction: {min-segments: 1}}`, "compaction tools.ledger.compaction.min-segments 1:29"},
		{`{compaction: {max-segments: 257}}`, "compaction tools.ledger.compaction.max-segments 1:29"},
		{`{compaction: {min-segments: "32"}}`, "compaction tools.ledger.compaction.min-segments 1:29"},
		{`{compaction: {min-segments: 40, max-segments: 30}}`, "compaction tools.ledger.compaction 1:14"},
		{`{compaction: {max-segments: 16}}`, "compaction tools.ledger.compaction 1:14"}, // the default minimum is 32
		{`{compaction: {min-segments: 129, max-segments: 128}}`, "compaction tools.ledger.compaction 1:14"},
		// One mistake is one problem, not also what would follow from it.
		{`{compaction: {min-segments: 300, max-segments: 10}}`, "compaction tools.ledger.compaction.min-segments 1:29"},
		{`{compaction: {min-segments: 200, max-segments: many}}`, "compaction tools.ledger.compaction.max-segments 1:48"},
		{`{compaction: {min-segments: 0x10, max-segments: 10}}`, "wrong-kind tools.ledger.compaction.min-segments 1:29"},
		{`{type: 0x10, key: id}`, "wrong-kind tools.ledger.type 1:8"},
		{`{type: table, key: 0x10}`, "wrong-kind tools.ledger.key 1:20"},
		{`{max-record-kb: 0x10, max-segment-kb: 10}`, "wrong-kind tools.ledger.max-record-kb 1:17"},
		{`{compaction: {schedul: daily, schedule: daily}}`, "unknown-property tools.ledger.compaction.schedul 1:15"},
		{`{max-record-kb: 1.5}`, "limit tools.ledger.max-record-kb 1:17"},
		{`{max-record-kb: 0}`, "limit tools.ledger.max-record-kb 1:17"},
		{`{max-record-kb: -1}`, "limit tools.ledger.max-record-kb 1:17"},
		{`{max-record-kb: 33}`, "limit tools.ledger.max-record-kb 1:17"},
		{`{max-segment-kb: 1e9}`, "limit tools.ledger.max-segment-kb 1:18"},
		{`{max-segment-kb: 10241}`, "limit tools.ledger.max-segment-kb 1:18"},
		{`{max-patch-kb: true}`, "limit tools.ledger.max-patch-kb 1:16"},
		{`{max-patch-kb: "16"}`, "limit tools.ledger.max-patch-kb 1:16"},
		{`{max-patch-kb: ~}`, "limit tools.ledger.max-patch-kb 1:16"},
		{`{max-patch-kb: 0x10}`, "wrong-kind tools.ledger.max-patch-kb 1:16"},
		{`{max-patch-kb: 9223372036854775807}`, "limit tools.ledger.max-patch-kb 1:16"},
		{`{max-patch-kb: .inf}`, "wrong-kind tools.ledger.max-patch-kb 1:16"},
		{`{max-patch-kb: 10241}`, "limit tools.ledger.max-patch-kb 1:16"},
		{`{max-segment-kb: 31}`, "limit tools.ledger.max-segment-kb 1:18"},
		{`{max-record-kb: 2, max-segment-kb: 1}`, "limit tools.ledger.max-record-kb 1:17"},
		{`{max-record-kb: 20, max-segment-kb: 10}`, "limit tools.ledger.max-record-kb 1:17"},
		{`{max-segment-kb: 10}`, "limit tools.ledger.max-segment-kb 1:18"}, // the default record has 32
		{`{tipe: log}`, "wrong-kind tools.ledger.tipe 1:8"},
		{`{type: log, kye: x}`, "unknown-property tools.ledger.kye 1:13"},
		{`{a: {max-records-kb: 5}}`, "unknown-property tools.ledger.a.max-records-kb 1:6"},
		{`{type: log, a: {type: set}}`, "mixed-forms tools.ledger.a 1:13"},
		{`{"": {}}`, `name tools.ledger."" 1:2`},
		{`{-a: {}}`, "name tools.ledger.-a 1:2"},
		{`{a.b: {}}`, `name tools.ledger."a.b" 1:2`},
		{`{"::error::a": {}}`, `name tools.ledger."::error::a" 1:2`},
		{`{"a[0]": {}}`, `name tools.ledger."a[0]" 1:2`},
		{`{ａ: {}}`, `name tools.ledger."\uff41" 1:2`},
		{`{ä: {}}`, `name tools.ledger."\u00e4" 1:2`},
		{`{` + strings.Repeat("a", 65) + `: {}}`, "name tools.ledger." + strings.Repeat("a", 64) + "… 1:2"},
		{`{a: {}, a: {}}`, "duplicate tools.ledger.a 1:9"},
		{`{type: log, type: log}`, "duplicate tools.ledger.type 1:13"},
		{`{schema: {type: object, type: object}}`, "duplicate tools.ledger.schema.type 1:25"},
		{`{"${{ secret }}": {}}`, `expression tools.ledger."${{ secret }}" 1:2`},
		{`{a: {type: "${{ secret }}"}}`, "expression tools.ledger.a.type 1:12,type tools.ledger.a.type 1:12"},
		{`{a: {schema: {enum: ["x ${{ secret }}"]}}}`, "expression tools.ledger.a.schema.enum[0] 1:22"},
		{`{a: {schema: {properties: {"${{": {}}}}}`, `expression tools.ledger.a.schema.properties.${{ 1:28`},
		{`{a: {schema: "${{ secret }}"}}`, "expression tools.ledger.a.schema 1:14"},
		{`{a: {<<: {type: log}}}`, "wrong-kind tools.ledger.a 1:6"},
		{`{a: !secret {type: log}}`, "wrong-kind tools.ledger.a 1:5"},
		{`{a: {type: !!binary c2VjcmV0}}`, "wrong-kind tools.ledger.a.type 1:12"},
		{`{? [a] : {}}`, "wrong-kind tools.ledger 1:4"},
		{`{a: {type: log, key: x}, b: {type: secret}, c: {replay: secret, max-patch-kb: 0}}`,
			"key tools.ledger.a.key 1:22,type tools.ledger.b.type 1:36,replay tools.ledger.c.replay 1:49,limit tools.ledger.c.max-patch-kb 1:79"},
		{"a: {}\nb:\n  - secret", "wrong-kind tools.ledger.b 3:3"},
		{"a: {\n", "syntax  1:1"},
		{"a: b: secret", "syntax  1:1"},
		{"a: {}\n---\nb: {}", "syntax  2:1"},
		{"a: \xff", "syntax  1:1"},
		{"a: *secret", "syntax  1:1"},
	} {
		got, err := ledger.ParseYAMLValue([]byte(c.value))
		var problems ledger.Problems
		if !errors.As(err, &problems) || got != nil {
			t.Errorf("%s: got %s %v", c.value, summary(got), err)
			continue
		}
		var all []string
		for _, p := range problems {
			all = append(all, fmt.Sprintf("%s %s %d:%d", p.Code, p.Path, p.Line, p.Column))
			if p.Text == "" || p.Advice == "" {
				t.Errorf("%s: a problem without text or advice: %+v", c.value, p)
			}
		}
		if strings.Join(all, ",") != c.want {
			t.Errorf("%s:\n got %s\nwant %s\n%v", c.value, strings.Join(all, ","), c.want, err)
		}
		if s := err.Error(); strings.Contains(s, "secret") && !strings.Contains(c.want, "secret") || strings.Contains(s, "yaml") {
			t.Errorf("%s: the error holds a value or a library's text: %v", c.value, err)
		}
	}
}

func TestRefusedLocations(t *testing.T) {
	for source, want := range map[string]string{
		"tools:\n  repo-memory:\n    ledger: {}\n":                   "legacy-location tools.repo-memory.ledger 3:5",
		"tools:\n  repo-memory:\n    - id: a\n      ledger: true\n":  "legacy-location tools.repo-memory[0].ledger 4:7",
		"tools:\n  ledger: {}\n  ledger: {}\n":                       "duplicate tools.ledger 3:3",
		"tools: {}\ntools: {}\n":                                     "duplicate tools 2:1",
		"---\non: push\ntools:\n  ledger: { type: tabel }\n---\n# x": "type tools.ledger.type 4:19",
		"- tools": "wrong-kind  1:1",
		// Other readers of the file see what a merge key brings.
		"x: &x\n  tools: {ledger: {}}\n<<: *x\n":                                   "wrong-kind tools 3:1",
		"x: &x {ledger: {}}\ntools:\n  <<: [*x]\n":                                 "wrong-kind tools.ledger 3:3",
		"y: &y {ledger: {}}\nx: &x {<<: *y}\ntools:\n  repo-memory:\n    <<: *x\n": "wrong-kind tools.repo-memory.ledger 5:5",
		"tools:\n  repo-memory: {ledger: 0x10}\n":                                  "legacy-location tools.repo-memory.ledger 2:17",
	} {
		_, err := ledger.ParseYAML([]byte(source))
		var problems ledger.Problems
		if !errors.As(err, &problems) || len(problems) != 1 {
			t.Errorf("%q: %v", source, err)
			continue
		}
		p := problems[0]
		if got := fmt.Sprintf("%s %s %d:%d", p.Code, p.Path, p.Line, p.Column); got != want {
			t.Errorf("%q: got %s, want %s", source, got, want)
		}
	}
	// What else is in the file is not for this package to judge.
	const other = "x: &x {a: 0x10}\n<<: *x\ntools:\n  <<: *x\n  repo-memory: {size: 0x10, a: {<<: *x}, b: !tag c, d: 1, d: 1}\n"
	if got, err := ledger.ParseYAML([]byte(other)); got != nil || err != nil {
		t.Errorf("%v %v", got, err)
	}
	if got, err := ledger.ParseTools(map[string]any{"repo-memory": []any{1i, map[int]any{1: 2}}}); got != nil || err != nil {
		t.Errorf("%v %v", got, err)
	}
	if _, err := ledger.ParseTools(map[string]any{"repo-memory": map[any]any{"ledger": 1i}}); err == nil {
		t.Error("the legacy declaration was accepted")
	}
	_, err := ledger.ParseTools(map[string]any{"repo-memory": []any{map[string]any{"ledger": nil}}, "ledger": map[string]any{"type": "tabel"}})
	if err == nil || !strings.Contains(err.Error(), "declare the ledger under tools.ledger") || !strings.Contains(err.Error(), `did you mean "table"?`) {
		t.Errorf("ParseTools: %v", err)
	}
}

func TestNumbers(t *testing.T) {
	type text string
	for _, v := range []any{16, int8(16), int64(16), uint64(16), uint8(16), float32(16), 16.0, json.Number("16"), json.Number("1.6e1")} {
		got, err := ledger.ParseMap(map[string]any{"max-record-kb": v})
		if err != nil || got[0].Limits.RecordBytes != 16<<10 {
			t.Errorf("%T(%v): %v %v", v, v, got, err)
		}
	}
	for _, v := range []any{1.5, 0, -1, 1e9, true, "16", nil, uint64(1 << 63), json.Number("16x"), json.Number("16 "), json.Number(" 16"), json.Number("+16"), json.Number("016"), json.Number("１６"), json.Number(""), math.NaN(), math.Inf(1), uint64(math.MaxUint64), int64(math.MinInt64), json.Number("0x10"), json.Number("1e400"), 16i, []int{16}, map[string]int{"a": 16}, make(chan int), struct{}{}} {
		if got, err := ledger.ParseMap(map[string]any{"max-record-kb": v, "type": "log"}); err == nil {
			t.Errorf("%T(%v): %v", v, v, got)
		}
	}
	got, err := ledger.ParseMap(map[string]any{"a": map[any]any{text("type"): text("log")}, "b": map[string]map[string]string{"schema": {"type": "string"}}})
	if err != nil || summary(got) != "a log\nb raw schema={\"type\":\"string\"}" {
		t.Errorf("%s %v", summary(got), err)
	}
	for range 20 { // keys of two types: which one is read must not depend on chance
		if got, err := ledger.ParseMap(map[string]any{"a": map[any]any{"type": "log", text("type"): "set"}}); err == nil {
			t.Fatalf("the same property twice: %s", summary(got))
		}
	}
	loop := map[string]any{}
	loop["a"] = loop
	if _, err := ledger.ParseMap(loop); err == nil {
		t.Error("a map that contains itself was read")
	}
}

func TestYAMLBombs(t *testing.T) {
	var laughs strings.Builder
	laughs.WriteString("l0: &l0 {type: log}\n")
	for i := 1; i < 30; i++ {
		fmt.Fprintf(&laughs, "l%d: &l%d {a: *l%d, b: *l%d, c: *l%d}\n", i, i, i-1, i-1, i-1)
	}
	indent := strings.Builder{}
	for i := range 2000 {
		indent.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	long := strings.Builder{}
	long.WriteString("l0: &l0 {x: 1}\n")
	for i := 1; i < 46; i++ {
		fmt.Fprintf(&long, "l%d: &l%d {%s: *l%d}\n", i, i, strings.Repeat("é", 60), i-1)
	}
	const refused = 20_000
	for name, text := range map[string]string{
		"billion laughs":      laughs.String(),
		"long names":          long.String() + "a: [" + strings.Repeat("*l45, ", 5_000) + "]",
		"refused names":       "a: &a {" + strings.Repeat("[]: 1, ", refused) + "}\nb: [" + strings.Repeat("*a, ", refused) + "]",
		"repeated names":      "a: &a {" + strings.Repeat("a: 1, ", refused) + "}\nb: [" + strings.Repeat("*a, ", refused) + "]",
		"merges":              "a: &a {<<: [" + strings.Repeat("{a: 1}, ", refused) + "]}\n<<: [" + strings.Repeat("*a, ", refused) + "]",
		"anchor in itself":    "a: &a {b: *a}",
		"anchor of the whole": "&a {b: {schema: {x: *a}}}",
		"deep lists":          "a: " + strings.Repeat("[", 100_000),
		"deep closed lists":   "a: " + strings.Repeat("[", 5_000) + strings.Repeat("]", 5_000),
		"deep objects":        "a: " + strings.Repeat("{a: ", 5_000) + strings.Repeat("}", 5_000),
		"deep indentation":    indent.String(),
		"deep sequence":       strings.Repeat("- ", 5_000) + "a",
		"question marks":      strings.Repeat("? ", 5_000),
		"many keys":           strings.Repeat("? a\n", 200_000),
		"many problems":       manyKeys(150_000),
		"large":               strings.Repeat("# comment\n", 300_000),
		"many anchors":        "a: [" + strings.Repeat("&a x, ", 200_000) + "]",
		"long scalar":         "a: \"" + strings.Repeat("x", 1<<21) + "\"",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		got, err := ledger.ParseYAMLValue([]byte(text))
		runtime.ReadMemStats(&after)
		allocated := (after.TotalAlloc - before.TotalAlloc) >> 20
		t.Logf("%s: %v, %d MiB", name, time.Since(start).Round(time.Millisecond), allocated)
		if allocated > 250 {
			t.Errorf("%s: %d MiB were allocated", name, allocated)
		}
		if _, whole := ledger.ParseYAML([]byte("tools: {repo-memory: {}}\n" + text)); whole != nil && len(whole.Error()) > 100_000 {
			t.Errorf("%s: as a file an error of %d bytes", name, len(whole.Error()))
		}
		if err == nil {
			t.Errorf("%s: %d ledgers", name, len(got))
		} else if len(err.Error()) > 100_000 {
			t.Errorf("%s: an error of %d bytes", name, len(err.Error()))
		}
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d: 1\n", i)
	}
	return b.String()
}

func TestStableOrder(t *testing.T) {
	value := map[string]any{}
	for i := range 50 {
		value[fmt.Sprint("l", i)] = map[string]any{"tipe": "x", "key": 1, "max-patch-kb": 0, "schema": 5}
	}
	_, first := ledger.ParseMap(value)
	for range 5 {
		if _, again := ledger.ParseMap(value); !reflect.DeepEqual(first, again) {
			t.Fatalf("%v\n%v", first, again)
		}
	}
}

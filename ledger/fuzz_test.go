package ledger_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/ledger"
)

// Whatever is read is valid, comes back from its written forms, and makes a
// prompt, tools and jobs; whatever is refused says why in bounded words.
func FuzzParseYAML(f *testing.F) {
	for _, s := range []string{reviews, fiveTypes, singleTable, allTypes, many, "tools: { ledger: {} }", "a: &a [*a]", "---\n---", "? a\n: b", "tools: {ledger: {a: {<<: *b}}}", "{schema: {}, type: {}}", "\ufeff---\r\ntools:\r\n", "tools: {repo-memory: {ledger: {}}}", "a: !!binary AA=="} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, read := range []func([]byte) (ledger.Configs, error){ledger.ParseYAML, ledger.ParseYAMLValue} {
			configs, err := read(data)
			if err != nil {
				if s := err.Error(); configs != nil || len(s) > 100_000 || strings.Contains(s, "yaml:") {
					t.Fatalf("%v %v", configs, err)
				}
				continue
			}
			check(t, configs)
		}
	})
}

func FuzzParseJSON(f *testing.F) {
	for _, s := range []string{`[]`, `{}`, `[{"name":"a","type":"table","key":"id","schema":{"type":"object"},"max_record_kb":8,"branch_name":"ledgers/a","compaction":false}]`, `{"a":{"compaction":{"schedule":"weekly","min_segments":2,"max_segments":2}}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if configs, err := ledger.ParseJSON(data); err == nil {
			check(t, configs)
		}
	})
}

func check(t *testing.T, configs ledger.Configs) {
	last := ""
	for _, c := range configs {
		if !ledger.ValidName(c.Name) || c.Name <= last || !c.Type.Known() || (c.Type == ledger.Table) != (c.Key != "") || c.Schema != nil && !c.Type.TakesSchema() {
			t.Fatalf("%+v after %q", c, last)
		}
		if l := c.Limits; l.RecordBytes < 1024 || l.RecordBytes > 32<<10 || l.SegmentBytes < l.RecordBytes || l.SegmentBytes > 10240<<10 || l.PatchBytes < 1024 || l.PatchBytes > 10240<<10 {
			t.Fatalf("%+v", l)
		}
		if p := c.Compaction; p != (ledger.Compaction{Disabled: true}) && (p.MinSegments < 2 || p.MaxSegments > 256 || p.MinSegments > p.MaxSegments) {
			t.Fatalf("%+v", p)
		}
		last = c.Name
	}
	text, err := configs.MaintenanceJSON()
	if err != nil {
		t.Fatal(err)
	}
	back, err := ledger.ParseJSON(text)
	if err != nil || summary(back) != summary(configs) {
		t.Fatalf("%s: %v\n%s\n%s", text, err, summary(back), summary(configs))
	}
	if strings.Contains(configs.Prompt(), "${{") || strings.Contains(string(text), "${{") {
		t.Fatal("an expression got through")
	}
	for _, tool := range configs.Tools() {
		if !json.Valid(tool.InputSchema) {
			t.Fatalf("%s: %s", tool.Name, tool.InputSchema)
		}
	}
	if _, err := ledger.Jobs(configs); err != nil && len(text) < 48<<10 {
		t.Fatal(err)
	}
}

// A schema that compiles validates any JSON value without a panic, with the
// same answer each time, and its text compiles again.
func FuzzSchema(f *testing.F) {
	for _, s := range []string{`{}`, `true`, `{"$ref":"#"}`, `{"definitions":{"a":{"$ref":"#/definitions/b"},"b":{}},"items":{"$ref":"#/definitions/a"}}`, doubling(3), `{"patternProperties":{"^a":false}}`, `{"minimum":1,"exclusiveMinimum":true}`, `{"dependencies":{"a":["b"],"c":{"not":{}}}}`, `{"enum":[1,{"$ref":"#"}]}`, `{"items":[{},{"format":"date"}],"additionalItems":false}`} {
		f.Add([]byte(s), []byte(`{"a":[1,"x",null,true,{}]}`))
	}
	f.Fuzz(func(t *testing.T, schema, value []byte) {
		s, err := ledger.CompileSchema(schema)
		if err != nil {
			return
		}
		if _, err := ledger.CompileSchema(s.Raw()); err != nil {
			t.Fatalf("%s: %v", s.Raw(), err)
		}
		text, err := canonicalValue(value)
		if err != nil {
			return
		}
		first := s.Validate(text)
		if again := s.Validate(text); (first == nil) != (again == nil) {
			t.Fatalf("%v, then %v", first, again)
		}
	})
}

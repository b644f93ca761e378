package ledger_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gitledger/gitledger/ledger"
)

func compile(t testing.TB, schema string) *ledger.Schema {
	t.Helper()
	s, err := ledger.CompileSchema([]byte(schema))
	if err != nil {
		t.Fatalf("CompileSchema(%.200s): %v", schema, err)
	}
	return s
}

func TestSchemaValidate(t *testing.T) {
	const row = `{"type":"object","required":["id","severity"],"properties":{"id":{"type":"string"},"severity":{"type":"string"},"n":{"type":"integer"}},"additionalProperties":false}`
	for _, c := range []struct{ schema, value, err string }{
		{`{}`, `null`, ""},
		{`true`, `{"a":1}`, ""},
		{`false`, `1`, "(root): must not match the schema of not"},
		{`{"type":"string"}`, `"x"`, ""},
		{`{"type":"string"}`, `5`, "(root): must be string"},
		{`{"type":["string","null"]}`, `5`, "(root): must be string or null"},
		{row, `{"id":"a","n":1,"severity":"x"}`, ""},
		{row, `{"id":"a","n":1.5,"severity":"x"}`, "n: must be integer"},
		{row, `{"id":"a"}`, "severity: is required"},
		{row, `{"id":"a","secretproperty":1,"severity":"x"}`, "(root): must have no other properties than the ones declared"},
		{`{"items":{"type":"integer"}}`, `[1,2,"secret"]`, "[2]: must be integer"},
		{`{"additionalProperties":{"items":{"type":"integer"}}}`, `{"secret":[1,"secret"]}`, "*[1]: must be integer"},
		{`{"properties":{"a b":{"type":"null"}}}`, `{"a b":1}`, `"a b": must be null`},
		{`{"enum":[1,"a",{"x":[1]}]}`, `{"x":[1]}`, ""},
		{`{"enum":[1.0]}`, `1`, ""},
		{`{"enum":[1]}`, `2`, "(root): must be one of the values of enum"},
		{`{"const":null}`, `null`, ""},
		{`{"const":1,"enum":[1,2]}`, `2`, "(root): must be the value of const"},
		{`{"minimum":1,"maximum":3}`, `4`, "(root): must not be above the maximum"},
		{`{"minimum":1,"exclusiveMinimum":true}`, `1`, "(root): must be above the minimum"},
		{`{"minimum":1,"exclusiveMinimum":false}`, `1`, ""},
		{`{"exclusiveMaximum":3}`, `3`, "(root): must be below the maximum"},
		{`{"multipleOf":0.01}`, `0.07`, ""},
		{`{"multipleOf":2}`, `3`, "(root): must be a multiple of multipleOf"},
		{`{"minimum":-1e300,"maximum":1e300}`, `1e+300`, ""},
		{`{"maxLength":1}`, `"😀"`, ""},
		{`{"maxLength":1}`, `"ab"`, "(root): must be shorter"},
		{`{"pattern":"^a+$"}`, `"aaa"`, ""},
		{`{"pattern":"^a+$"}`, `"b"`, "(root): must match the pattern"},
		{`{"format":"date"}`, `5`, ""},
		{`{"format":"date"}`, `"2024-02-30"`, "(root): must have the declared format"},
		{`{"type":"string","format":"date-time"}`, `"2024-02-29T00:00:00Z"`, ""},
		{`{"uniqueItems":true}`, `[1,"1",1.5,[1],[1]]`, "(root): must have different items"},
		{`{"items":[{"type":"string"}],"additionalItems":false}`, `["a",1]`, "(root): must have no further items"},
		{`{"contains":{"const":1}}`, `[2,3]`, "(root): must have an item that matches contains"},
		{`{"propertyNames":{"maxLength":3}}`, `{"secret":1}`, "(root): must have property names that match propertyNames"},
		{`{"dependencies":{"a":["b"]}}`, `{"a":1}`, "(root): needs further properties beside it"},
		{`{"dependencies":{"a":{"required":["b"]}}}`, `{"a":1}`, "b: is required"},
		{`{"if":{"properties":{"k":{"const":"x"}}},"then":{"required":["y"]}}`, `{"k":"x"}`, "y: is required"},
		{`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `5`, "(root): must be string"},
		{`{"not":{"type":"string"}}`, `"secret"`, "(root): must not match the schema of not"},
		{`{"patternProperties":{"^x":{"type":"string"}},"additionalProperties":false}`, `{"xsecret":1}`, "*: must be string"},

		// References: to definitions, to any place, to names, and recursive ones.
		{`{"definitions":{"s":{"type":"string"}},"items":{"$ref":"#/definitions/s"}}`, `[1]`, "[0]: must be string"},
		{`{"$defs":{"a/b":{"x~y":{"type":"null"}}},"$ref":"#/$defs/a~1b/x~0y"}`, `1`, "(root): must be null"},
		{`{"$defs":{"a b":{"type":"null"}},"$ref":"#/$defs/a%20b"}`, `1`, "(root): must be null"},
		{`{"definitions":{"x":{"$id":"#s","type":"string"}},"$ref":"#s"}`, `1`, "(root): must be string"},
		{`{"type":"object","properties":{"next":{"$ref":"#"}},"additionalProperties":false}`, `{"next":{"next":{"x":1}}}`, "next.next: must have no other properties than the ones declared"},
		{`{"allOf":[{"type":"string"},{"$ref":"#/allOf/0"}]}`, `"x"`, ""},
		{`{"type":"string","$ref":"#/definitions/any","definitions":{"any":{}}}`, `5`, ""}, // nothing counts beside $ref
		{`{"properties":{"$ref":{"type":"string"}}}`, `{"$ref":1}`, `$ref: must be string`},
		{`{"properties":{"id":{"type":"string"},"$id":{"type":"string"}}}`, `{"$id":"http://127.0.0.1:1/"}`, ""},
		{`{"const":{"$ref":"http://127.0.0.1:1/"}}`, `{"$ref":"http://127.0.0.1:1/"}`, ""},
		{`{"default":{"$ref":"http://127.0.0.1:1/"}}`, `1`, ""},

		// Drafts. A keyword of a later draft means nothing in an earlier one.
		{`{"$schema":"http://json-schema.org/draft-04/schema#","const":1}`, `2`, ""},
		{`{"$schema":"http://json-schema.org/draft-06/schema#","if":{},"then":false}`, `2`, ""},
		{`{"$schema":"https://json-schema.org/draft-07/schema","if":{},"then":false}`, `2`, "(root): is not allowed here"},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","id":"https://example.com/x","minimum":1,"exclusiveMinimum":true}`, `1`, "(root): must be above the minimum"},
	} {
		err := compile(t, c.schema).Validate([]byte(c.value))
		if got := text(err); got != c.err {
			t.Errorf("%s on %s:\n got %q\nwant %q", c.schema, c.value, got, c.err)
		}
		var typed *ledger.SchemaError
		if err != nil && !errors.As(err, &typed) {
			t.Errorf("%s: error is a %T", c.schema, err)
		}
	}
	if err := (*ledger.Schema)(nil).Validate([]byte(`1`)); err != nil {
		t.Errorf("no schema: %v", err)
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestSchemaRefused(t *testing.T) {
	for _, c := range []struct{ schema, want string }{
		{`{`, "is not valid JSON"},
		{`5`, "must be a schema"},
		{`{"a":1,"a":2}`, "duplicate"},
		{`{"maximum":1e400}`, "not finite"},
		{`{"maximum":12345678901234567890}`, "double"},
		{nested(33), "32 levels"},
		{`{"type":"text"}`, "type: must be array"},
		{`{"type":["string","string"]}`, "different strings"},
		{`{"type":[]}`, "at least one type"},
		{`{"definitions":true}`, "definitions: must be an object"},
		{`{"properties":[]}`, "properties: must be an object"},
		{`{"properties":{"a":5}}`, "properties.a: must be a schema"},
		{`{"enum":[]}`, "at least one value"},
		{`{"enum":[1,1.0]}`, "different values"},
		{`{"required":"a"}`, "different strings"},
		{`{"minLength":-1}`, "minLength: must be a whole number"},
		{`{"minLength":1.5}`, "minLength: must be a whole number"},
		{`{"minItems":3,"maxItems":2}`, "leaves nothing"},
		{`{"multipleOf":0}`, "above 0"},
		{`{"maximum":"5"}`, "must be a number"},
		{`{"exclusiveMaximum":true}`, "needs maximum"},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","maximum":1,"exclusiveMaximum":true}`, "must be a number"},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","items":true}`, "draft 6"},
		{`{"pattern":"(?=a)"}`, "RE2"},
		{`{"pattern":"((a{1000}){1000}){1000}"}`, "RE2"},
		{`{"patternProperties":{"(":{}}}`, "RE2"},
		{`{"allOf":[]}`, "at least one schema"},
		{`{"$ref":5}`, "must be a string"},
		{`{"$ref":"#/definitions/none"}`, "$ref: leads to nothing"},
		{`{"$ref":"#none"}`, "leads to nothing"},
		{`{"definitions":{"a":{}},"$ref":"#/definitions/a/type"}`, "leads to nothing"},
		{`{"enum":["x"],"properties":{"a":{"$ref":"#/enum/0"}}}`, "not a schema"},
		{`{"$ref":"other.json"}`, "outside the schema"},
		{`{"$ref":"urn:x#/definitions/a"}`, "outside the schema"},
		{`{"$id":"https://example.com/a.json","$ref":"b.json"}`, "outside the schema"},
		{`{"properties":{"a":{"$id":"https://example.com/b.json"}}}`, "outside the schema"},
		{`{"$schema":"https://json-schema.org/draft/2020-12/schema"}`, "draft-07"},
		{`{"$schema":"http://127.0.0.1:1/schema"}`, "draft-07"},
		{`{"items":{"$schema":"http://json-schema.org/draft-07/schema#"}}`, "whole schema only"},
		{`{"$ref":"#"}`, "lead back"},
		{`{"allOf":[{"not":{"$ref":"#"}}]}`, "lead back"},
		{`{"definitions":{"a":{"$ref":"#/definitions/b"},"b":{"anyOf":[{"$ref":"#/definitions/a"}]}}}`, "lead back"},
		{`{"dependencies":{"a":{"$ref":"#"}}}`, "lead back"},
		{doubling(20), "multiply"},
	} {
		_, err := ledger.CompileSchema([]byte(c.schema))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("CompileSchema(%.120s) = %v, want %q", c.schema, err, c.want)
		}
	}
	if _, err := ledger.CompileSchema([]byte(`{"title":"` + strings.Repeat("x", ledger.MaxSchemaBytes) + `"}`)); err == nil {
		t.Error("a schema above 1 MiB was compiled")
	}
	compile(t, nested(32))
}

// nested is a schema whose innermost value lies at the given depth.
func nested(depth int) string {
	return strings.Repeat(`{"not":`, depth) + "true" + strings.Repeat("}", depth)
}

// doubling is a schema of n definitions, each of which refers twice to the next.
func doubling(n int) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/definitions/d0","definitions":{`)
	for i := range n {
		fmt.Fprintf(&b, `"d%d":{"allOf":[{"$ref":"#/definitions/d%d"},{"$ref":"#/definitions/d%d"}]},`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"d%d":{"type":"string"}}}`, n)
	return b.String()
}

// A reference that would be followed shows at the server or in the file's
// content: the file holds a schema that refuses everything.
func TestSchemaFetchesNothing(t *testing.T) {
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		fmt.Fprint(w, `{"type":"null"}`)
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "schema.json")
	if err := os.WriteFile(file, []byte(`{"type":"null"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, uri := range []string{server.URL + "/schema.json", "file://" + file, server.URL, "//" + server.Listener.Addr().String() + "/x"} {
		q, _ := json.Marshal(uri)
		for _, schema := range []string{
			`{"$ref":%s}`, `{"items":{"$ref":%s}}`, `{"definitions":{"a":{"$ref":%s}}}`, `{"$schema":%s}`,
			`{"properties":{"a":{"$id":%s}}}`, `{"properties":{"a":{"id":%s}}}`, `{"$id":%s,"$ref":"x.json"}`,
			`{"id":%s,"allOf":[{"$ref":"/x.json#/a"}]}`, `{"$id":%s,"items":{"$ref":"?q#"}}`,
		} {
			if _, err := ledger.CompileSchema(fmt.Appendf(nil, schema, q)); err == nil {
				t.Errorf(schema+" was compiled", q)
			} else if strings.Contains(err.Error(), "127.0.0.1") || strings.Contains(err.Error(), file) {
				t.Errorf("the error holds the reference: %v", err)
			}
		}
		// These mean nothing to a validator and stay allowed.
		for _, schema := range []string{`{"$id":%s,"definitions":{"a":{"type":"string"}},"$ref":"#/definitions/a"}`, `{"default":{"$ref":%s},"examples":[{"$ref":%s}],"type":"string"}`, `{"enum":[{"$ref":%s},"x"]}`} {
			s, err := ledger.CompileSchema([]byte(strings.ReplaceAll(schema, "%s", string(q))))
			if err != nil {
				t.Errorf("%s: %v", schema, err)
			} else if err := s.Validate([]byte(`"x"`)); err != nil {
				t.Errorf("%s: %v", schema, err)
			}
		}
	}
	if n := requests.Load(); n != 0 {
		t.Errorf("%d requests reached the server", n)
	}
}

// Each of these takes minutes or a stack overflow when it is handed to the
// library as it is. The bound here is far above what they take, so that a slow
// machine does not fail the test.
func TestSchemaPathological(t *testing.T) {
	repeat := func(item string, n int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
	}
	entries := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%d,", i+100000)
		}
		return "[" + strings.TrimSuffix(b.String(), ",") + "]"
	}
	properties := func(n int, each string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"p%d":%s,`, i+10000, each)
		}
		return "{" + strings.TrimSuffix(b.String(), ",") + "}"
	}
	deep := strings.Repeat(`{"a":`, 31) + "1" + strings.Repeat("}", 31)
	text := `"` + strings.Repeat("ab", 16_000) + `"`
	for name, c := range map[string]struct{ schema, value string }{
		"doubling references":     {doubling(28), `1`},
		"doubling, short":         {doubling(11), repeat("1", 16_000)},
		"doubling on the way":     {`{"additionalProperties":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}`, deep},
		"doubling in anyOf":       {`{"additionalProperties":{"anyOf":[{"$ref":"#"},{"$ref":"#"}]},"type":["object","string"]}`, deep},
		"reference to itself":     {`{"$ref":"#"}`, `1`},
		"references in a circle":  {`{"$ref":"#/definitions/a","definitions":{"a":{"$ref":"#/definitions/b"},"b":{"$ref":"#/definitions/a"}}}`, `1`},
		"huge enum":               {`{"items":{"enum":` + entries(100_000) + `}}`, repeat("1", 10_000)},
		"large enum":              {`{"items":{"enum":` + entries(4_000) + `}}`, repeat("1", 10_000)},
		"huge required":           {`{"required":` + strings.NewReplacer("[", `["`, ",", `","`, "]", `"]`).Replace(entries(90_000)) + `}`, `{}`},
		"many broken":             {`{"items":{"type":"string"}}`, repeat("1", 16_000)},
		"many broken, deep":       {`{"items":{"$ref":"#"},"maximum":0}`, strings.Repeat("[", 30) + repeat("1", 15_000) + strings.Repeat("]", 30)},
		"many properties":         {`{"properties":` + properties(9_000, "{}") + `}`, properties(3_000, "1")},
		"many subschemas":         {`{"properties":` + properties(60_000, "{}") + `}`, `{}`},
		"many pattern properties": {`{"patternProperties":` + properties(1_000, "{}") + `}`, properties(3_000, "1")},
		"huge exponents":          {`{"items":{"multipleOf":3e-300}}`, repeat("1e+300", 4_600)},
		"huge bounds":             {`{"items":{"maximum":-1e300,"minimum":1e300}}`, repeat("1e+308", 4_600)},
		"unrepresentable":         {`{"maximum":1e1000000000}`, `1`},
		"unique items":            {`{"uniqueItems":true}`, repeat("1", 16_000)},
		"unique items in items":   {`{"uniqueItems":true,"items":{"$ref":"#"}}`, strings.Repeat("[", 30) + repeat("1", 15_000) + strings.Repeat("]", 30)},
		"large pattern":           {`{"pattern":"(` + strings.Repeat(`[a-z]{0,900}`, 20) + `)*$"}`, text},
		"huge pattern":            {`{"pattern":"` + strings.Repeat("(a|b|ab)*", 90_000) + `"}`, text},
		"regex format":            {`{"format":"regex"}`, `"` + strings.Repeat("(x{999})", 4_000) + `"`},
		"all formats":             {`{"items":{"anyOf":[{"format":"email"},{"format":"uri"},{"format":"uri-template"},{"format":"hostname"}]}}`, "[" + text + "]"},
		"email comments":          {`{"format":"email"}`, `"` + strings.Repeat("(", 32_000) + `"`},
		"long chain":              {chain(4_000), repeat("1", 16_000)},
		"many not":                {`{"items":{"not":{"not":{"not":{"not":{"enum":[2]}}}}}}`, repeat("1", 16_000)},
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			s, err := ledger.CompileSchema([]byte(c.schema))
			compiled := time.Since(start)
			if err == nil {
				err = s.Validate([]byte(c.value))
			}
			total := time.Since(start)
			t.Logf("compile %v, validate %v: %v", compiled.Round(time.Microsecond), (total - compiled).Round(time.Microsecond), err)
			if total > 5*time.Second {
				t.Errorf("took %v", total)
			}
		})
	}
}

func chain(n int) string {
	var b strings.Builder
	b.WriteString(`{"items":{"$ref":"#/definitions/d0"},"definitions":{`)
	for i := range n {
		fmt.Fprintf(&b, `"d%d":{"$ref":"#/definitions/d%d"},`, i, i+1)
	}
	fmt.Fprintf(&b, `"d%d":{}}}`, n)
	return b.String()
}

func BenchmarkSchemaValidate(b *testing.B) {
	s := compile(b, `{"type":"object","required":["id","severity"],"properties":{"id":{"type":"string"},"severity":{"enum":["low","high"]},"n":{"type":"integer"}},"additionalProperties":false}`)
	value := []byte(`{"id":"a","n":3,"severity":"low"}`)
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Validate(value); err != nil {
			b.Fatal(err)
		}
	}
}

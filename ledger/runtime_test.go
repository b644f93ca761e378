package ledger_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/ledger"
)

func TestParseJSON(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`[]`, ""},
		{`{}`, ""},
		{`[{"name":"a"}]`, "a raw"},
		{`{"a":{}}`, "a raw"},
		{`{"b":{"type":"log","name":"b"},"a":{"branch_name":"ledgers/a"}}`, "a raw\nb log"},
		{`[{"name":"b","type":"table","key":"id","schema":{"type":"object"},"max_record_kb":8,"max_segment_kb":16,"max_patch_kb":4,"branch_name":"ledgers/b"}]`,
			`b table key=id schema={"type":"object"} limits=8192/16384/4096`},
		{`[{"name":"a","compaction":false}]`, "a raw compaction=off"},
		{`[{"name":"a","compaction":{"schedule":"weekly","min_segments":150}}]`, "a raw compaction=weekly/150/150"},
	} {
		got, err := ledger.ParseJSON([]byte(c.text))
		if err != nil || summary(got) != c.want {
			t.Errorf("%s:\n got %s %v\nwant %s", c.text, summary(got), err, c.want)
		}
	}
	for text, want := range map[string]string{
		``:                              "syntax ",
		`[`:                             "syntax ",
		`[] []`:                         "syntax ",
		"[{\"name\":\"\xff\"}]":         "syntax ",
		`5`:                             "wrong-kind ledgers",
		`[5]`:                           "name ledgers[0]",
		`[{"type":"log"}]`:              "name ledgers[0]",
		`[{"name":5}]`:                  "name ledgers[0]",
		`[{"name":"a b"}]`:              "name ledgers[0]",
		`[{"name":"a"},{"name":"a"}]`:   "duplicate ledgers[1]",
		`{"a":{},"a":{}}`:               "duplicate ledgers.a",
		`{"a":{"type":"log","Type":1}}`: "unknown-property ledgers.a.Type",
		`{"a":5}`:                       "wrong-kind ledgers.a",
		`{"a":{"name":"b"}}`:            "name ledgers.a.name",
		`{"a":{"branch_name":"main"}}`:  "branch ledgers.a.branch_name",
		`{"a":{"branch_name":null}}`:    "branch ledgers.a.branch_name",
		`{"a":{"type":"claims"}}`:       "removed-type ledgers.a.type",
		`{"a":{"max-record-kb":8}}`:     "unknown-property ledgers.a.max-record-kb",
		`{"a":{"max_record_kb":"8"}}`:   "limit ledgers.a.max_record_kb",
		`{"a":{"max_record_kb":0}}`:     "limit ledgers.a.max_record_kb",
		`{"a":{"schema":"x.json"}}`:     "schema ledgers.a.schema",
		`{"a":{"replay":{}}}`:           "replay ledgers.a.replay",
		`{"a":{"compaction":{"min-segments":5}}}`: "unknown-property ledgers.a.compaction.min-segments",
		`{"a":{"schema":{"title":"${{ x }}"}}}`:   "expression ledgers.a.schema.title",
	} {
		_, err := ledger.ParseJSON([]byte(text))
		problems, _ := err.(ledger.Problems)
		if len(problems) != 1 || fmt.Sprintf("%s %s", problems[0].Code, problems[0].Path) != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestParseBase64(t *testing.T) {
	c := ledger.NewConfig("a", ledger.Log)
	c.Schema = compile(t, `{"title":"`+strings.Repeat("x", 73_000)+`"}`)
	encoded, err := ledger.Configs{c}.Base64()
	if err != nil || len(encoded) > ledger.MaxEncodedBytes {
		t.Fatalf("%d bytes, %v", len(encoded), err)
	}
	if got, err := ledger.ParseBase64(encoded); err != nil || !got[0].Schema.Equal(c.Schema) {
		t.Errorf("%v %v", got, err)
	}
	c.Schema = compile(t, `{"title":"`+strings.Repeat("x", 74_000)+`"}`)
	if _, err := (ledger.Configs{c}).Base64(); err == nil {
		t.Error("a configuration above 96 KiB was encoded")
	}
	text, _ := json.Marshal(ledger.Configs{c})
	for _, bad := range []string{
		base64.StdEncoding.EncodeToString(text), // valid, but too large
		"W10", "W1 0=", "W10=\n", "W11=", "!!!!", base64.URLEncoding.EncodeToString([]byte(`{"a":{"x":"???>>>"}}`)),
	} {
		if got, err := ledger.ParseBase64(bad); err == nil {
			t.Errorf("%.20s: %v", bad, got)
		}
	}
	if got, err := ledger.ParseBase64("W10="); err != nil || len(got) != 0 {
		t.Errorf("[]: %v %v", got, err)
	}
}

// 96 KiB are 73,728 bytes of JSON; one more takes four characters more.
func TestEncodedBound(t *testing.T) {
	c := ledger.NewConfig("a", ledger.Log)
	padded := func(n int) string { return `{"title":"` + strings.Repeat("x", n) + `"}` }
	c.Schema = compile(t, padded(0))
	text, err := json.Marshal(ledger.Configs{c})
	if err != nil {
		t.Fatal(err)
	}
	room := ledger.MaxEncodedBytes/4*3 - len(text)
	c.Schema = compile(t, padded(room))
	encoded, err := ledger.Configs{c}.Base64()
	if err != nil || len(encoded) != ledger.MaxEncodedBytes {
		t.Fatalf("%d bytes, %v", len(encoded), err)
	}
	if _, err := ledger.ParseBase64(encoded); err != nil {
		t.Error(err)
	}
	c.Schema = compile(t, padded(room+1))
	if _, err := (ledger.Configs{c}).Base64(); err == nil {
		t.Error("a byte too many was encoded")
	}
	text, _ = json.Marshal(ledger.Configs{c})
	if _, err := ledger.ParseBase64(base64.StdEncoding.EncodeToString(text)); err == nil {
		t.Error("a byte too many was read")
	}
	if _, err := ledger.Jobs(ledger.Configs{c}); err == nil {
		t.Error("a byte too many makes jobs")
	}
}

func TestMarshal(t *testing.T) {
	c := ledger.NewConfig("findings", ledger.Table)
	c.Key = "id"
	c.Schema = compile(t, ` { "type" : "object", "required": ["id"] } `)
	c.Compaction = ledger.Compaction{Disabled: true}
	got, err := json.Marshal(c)
	const want = `{"name":"findings","type":"table","key":"id","schema":{"required":["id"],"type":"object"},"max_record_kb":32,"max_segment_kb":100,"max_patch_kb":10,"branch_name":"ledgers/findings"}`
	if err != nil || string(got) != want {
		t.Errorf("got %s %v\nwant %s", got, err, want)
	}
	var back ledger.Config
	if err := json.Unmarshal(got, &back); err != nil {
		t.Error(err)
	}
	if again, _ := json.Marshal(back); string(again) != want {
		t.Errorf("came back as %s", again)
	}
	for name, bad := range map[string]ledger.Config{
		"zero":       {},
		"no limits":  {Name: "a"},
		"odd limits": {Name: "a", Limits: ledger.Limits{RecordBytes: 1025, SegmentBytes: 2048, PatchBytes: 1024}},
		"no key":     ledger.NewConfig("a", ledger.Table),
		"bad name":   ledger.NewConfig("a/b", ledger.Log),
		"bad type":   ledger.NewConfig("a", "claims"),
		"bad key":    with(ledger.Table, func(c *ledger.Config) { c.Key = "a b" }),
		"key":        with(ledger.Log, func(c *ledger.Config) { c.Key = "a" }),
		"schema":     with(ledger.Notes, func(c *ledger.Config) { c.Schema = compile(t, `{}`) }),
		"boolean":    with(ledger.Log, func(c *ledger.Config) { c.Schema = compile(t, `true`) }),
		"expression": with(ledger.Log, func(c *ledger.Config) { c.Schema = compile(t, `{"title":"\u0024{{ x }}"}`) }),
		"segment":    with(ledger.Log, func(c *ledger.Config) { c.Limits.SegmentBytes = 31 << 10 }),
	} {
		if text, err := json.Marshal(bad); err == nil {
			t.Errorf("%s: %s", name, text)
		}
	}
	for name, policy := range map[string]ledger.Compaction{
		"zero":     {},
		"order":    {Schedule: ledger.Daily, MinSegments: 3, MaxSegments: 2},
		"few":      {Schedule: ledger.Daily, MinSegments: 1, MaxSegments: 2},
		"many":     {Schedule: ledger.Daily, MinSegments: 2, MaxSegments: 257},
		"schedule": {Schedule: "hourly", MinSegments: 2, MaxSegments: 2},
		"both":     {Disabled: true, Schedule: ledger.Daily},
	} {
		bad := with(ledger.Log, func(c *ledger.Config) { c.Compaction = policy })
		if text, err := (ledger.Configs{bad}).MaintenanceJSON(); err == nil {
			t.Errorf("%s: %s", name, text)
		}
	}
	a, b := ledger.NewConfig("a", ledger.Log), ledger.NewConfig("b", ledger.Log)
	for _, bad := range []ledger.Configs{{b, a}, {a, a}} {
		if text, err := json.Marshal(bad); err == nil {
			t.Errorf("%s", text)
		}
	}
	if err := json.Unmarshal([]byte(`{"name":"a","type":"claims"}`), &back); err == nil {
		t.Error("claims was read")
	}
}

func with(t ledger.Type, change func(*ledger.Config)) ledger.Config {
	c := ledger.NewConfig("a", t)
	change(&c)
	return c
}

// The configurations of the vectors are accepted, but for the type that no
// longer exists.
func TestVectorConfigurations(t *testing.T) {
	const folder = "../internal/conformance/testdata/vectors/"
	rows := 0
	for _, name := range []string{"transactions.jsonl", "replay.jsonl"} {
		f, err := os.Open(folder + name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<24)
		for lines.Scan() {
			var row struct {
				Name    string
				Ledgers json.RawMessage
				Config  json.RawMessage
			}
			if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
				t.Fatal(err)
			}
			text := row.Ledgers
			if text == nil {
				text = fmt.Appendf(nil, `{"x":%s}`, row.Config)
			}
			_, err := ledger.ParseJSON(text)
			if (err != nil) != (row.Name == "unknown type") {
				t.Errorf("%s: %v", row.Name, err)
			}
			rows++
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
	}
	if rows < 100 {
		t.Errorf("only %d rows", rows)
	}
}

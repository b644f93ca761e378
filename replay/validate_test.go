package replay_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/replay"
)

func config(tb testing.TB, t ledger.Type, schema string) ledger.Config {
	tb.Helper()
	cfg := ledger.NewConfig("tested", t)
	if t == ledger.Table {
		cfg.Key = "id"
	}
	if schema != "" {
		var err error
		if cfg.Schema, err = ledger.CompileSchema([]byte(schema)); err != nil {
			tb.Fatal(err)
		}
	}
	return cfg
}

func canonical(tb testing.TB, text string) []byte {
	tb.Helper()
	out, err := record.Canonicalize(nil, []byte(text))
	if err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	return out
}

func note(citations string) string {
	return `{"operation":"note","subject":"s","note":"n","reason":"r","citations":` + citations + `}`
}

func cite(path string) string { return fmt.Sprintf(`[{"type":"repository","path":%q}]`, path) }

func text(unit string, n int) string { return strings.Repeat(unit, n) }

func TestValidate(t *testing.T) {
	good := cite("docs/a.md")
	for _, tc := range []struct {
		t       ledger.Type
		payload string
		want    error
	}{
		{ledger.Log, `{"operation":"append","value":null}`, nil},
		{ledger.Log, `{"operation":"append","value":1,"id":5}`, nil},
		{ledger.Log, `{"operation":"append"}`, replay.InvalidFields},
		{ledger.Log, `{"operation":"append","value":1,"key":"k"}`, replay.InvalidFields},
		{ledger.Log, `{"operation":"append","value":1,"extra":1}`, replay.InvalidFields},
		{ledger.Log, `{"operation":"add","value":1}`, replay.UnsupportedOperation},
		{ledger.Log, `{"value":1}`, replay.UnsupportedOperation},
		{ledger.Log, `{"operation":["append"],"value":1}`, replay.UnsupportedOperation},
		{ledger.Log, `"append"`, replay.UnsupportedOperation},
		{ledger.Set, `{"operation":"add","value":1}`, nil},
		{ledger.Set, `{"operation":"remove","value":1}`, nil},
		{ledger.Map, `{"operation":"put","key":"","value":1}`, nil},
		{ledger.Map, `{"operation":"put","key":1,"value":1}`, replay.InvalidKey},
		{ledger.Map, `{"operation":"delete","key":null}`, replay.InvalidKey},
		{ledger.Map, `{"operation":"delete","key":"k","value":1}`, replay.InvalidFields},
		{ledger.Table, `{"operation":"insert","value":{"id":"a"}}`, nil},
		{ledger.Table, `{"operation":"insert","value":{"id":1}}`, replay.InvalidRow},
		{ledger.Table, `{"operation":"upsert","value":{}}`, replay.InvalidRow},
		{ledger.Table, `{"operation":"upsert","value":["id"]}`, replay.InvalidRow},
		{ledger.Table, `{"operation":"upsert","value":{"id":"` + text("x", 65536) + `"}}`, replay.RowTooLarge},
		{ledger.Table, `{"operation":"update","key":"a","patch":{}}`, nil},
		{ledger.Table, `{"operation":"update","key":"a","patch":[]}`, replay.InvalidPatch},
		{ledger.Table, `{"operation":"update","key":"a","patch":{"id":"a"}}`, replay.InvalidPatch},
		{ledger.Table, `{"operation":"update","key":5,"patch":{}}`, replay.InvalidKey},
		{ledger.Table, `{"operation":"delete","key":"a"}`, nil},
		{ledger.Counter, `{"operation":"increment","name":"a","amount":0}`, nil},
		{ledger.Counter, `{"operation":"decrement","name":"a","amount":9007199254740991}`, nil},
		{ledger.Counter, `{"operation":"increment","name":"a","amount":9007199254740992}`, replay.InvalidCounter},
		{ledger.Counter, `{"operation":"increment","name":"a","amount":1.5}`, replay.InvalidCounter},
		{ledger.Counter, `{"operation":"increment","name":"a","amount":-1}`, replay.InvalidCounter},
		{ledger.Counter, `{"operation":"increment","name":"a","amount":"1"}`, replay.InvalidCounter},
		{ledger.Counter, `{"operation":"increment","name":"","amount":1}`, replay.InvalidCounter},
		{ledger.Counter, `{"operation":"increment","name":null,"amount":1}`, replay.InvalidCounter},
		{ledger.Notes, note(good), nil},
		{ledger.Notes, note(`[]`), replay.InvalidCitation},
		{ledger.Notes, note(`{}`), replay.InvalidCitation},
		{ledger.Notes, note(`[` + strings.Repeat(good[1:len(good)-1]+",", 31) + good[1:]), nil},
		{ledger.Notes, note(`[` + strings.Repeat(good[1:len(good)-1]+",", 32) + good[1:]), replay.InvalidCitation},
		{ledger.Notes, `{"id":"x",` + note(good)[1:], replay.PayloadID},
		{ledger.Notes, `{"operation":"note","subject":"\u00a0","note":"n","reason":"r","citations":` + good + `}`, replay.InvalidNote},
		{ledger.Notes, `{"operation":"note","subject":"` + text("é", 257) + `","note":"n","reason":"r","citations":` + good + `}`, replay.InvalidNote},
		{ledger.Notes, `{"operation":"note","subject":"` + text("é", 256) + `","note":"` + text("n", 4096) + `","reason":"` + text("😀", 1024) + `","citations":` + good + `}`, nil},
		{ledger.Notes, `{"operation":"note","subject":"s","note":"` + text("n", 4097) + `","reason":"r","citations":` + good + `}`, replay.InvalidNote},
		{ledger.Notes, `{"operation":"note","subject":"s","note":"n","reason":"` + text("😀", 1025) + `","citations":` + good + `}`, replay.InvalidReason},
		{ledger.Notes, `{"operation":"note","subject":"s","note":"n","reason":"\ufeff\t","citations":` + good + `}`, replay.InvalidReason},
		{ledger.Notes, `{"operation":"vote","note_id":"x","vote":"up"}`, nil},
		{ledger.Notes, `{"operation":"vote","note_id":"x","vote":"up","reason":"r"}`, nil},
		{ledger.Notes, `{"operation":"vote","note_id":"x","vote":"up","reason":null}`, replay.InvalidReason},
		{ledger.Notes, `{"operation":"vote","note_id":"","vote":"up"}`, replay.InvalidVote},
		{ledger.Notes, `{"operation":"vote","note_id":"` + text("x", 129) + `","vote":"up"}`, replay.InvalidVote},
		{ledger.Notes, `{"operation":"vote","note_id":"x","vote":"maybe"}`, replay.InvalidVote},
		{ledger.Raw, `{"anything":[1]}`, nil},
		{ledger.Raw, `7`, nil},
		{"claims", `{"operation":"claim"}`, replay.UnknownType},
	} {
		err := replay.Validate(config(t, tc.t, ""), canonical(t, tc.payload))
		if !errors.Is(err, tc.want) || (err == nil) != (tc.want == nil) {
			t.Errorf("%s %.120s: %v, want %v", tc.t, tc.payload, err, tc.want)
		}
	}
}

func TestCitations(t *testing.T) {
	for citations, valid := range map[string]bool{
		cite("a"):           true,
		cite("a b/c.md"):    true,
		cite("é/%20"):       true,
		cite("a:b"):         false,
		cite("1a:b"):        true,
		cite("..a/b.."):     true,
		cite(""):            false,
		cite(" "):           false,
		cite("/a"):          false,
		cite("a/"):          false,
		cite("a//b"):        false,
		cite("./a"):         false,
		cite("a/../b"):      false,
		cite(".."):          false,
		cite("a/%2e%2E/b"):  false,
		cite("a%2Fb"):       false,
		cite("a%5cb"):       false,
		cite(`a\b`):         false,
		cite("https://x/y"): false,
		cite("file:a"):      false,
		`[{"type":"repository","path":"a\u0000"}]`:                               false,
		`[{"type":"repository","path":"a\u001f"}]`:                               false,
		`[{"type":"repository","path":"a\u007f"}]`:                               false,
		`[{"type":"repository","path":"` + text("a", 2100) + `"}]`:               false,
		`[{"type":"repository"}]`:                                                false,
		`[{"path":"a"}]`:                                                         false,
		`[{"type":"web","path":"a"}]`:                                            false,
		`[{"type":"repository","path":"a","start_line":1,"end_line":1}]`:         true,
		`[{"type":"repository","path":"a","end_line":5}]`:                        true,
		`[{"type":"repository","path":"a","start_line":3,"end_line":2}]`:         false,
		`[{"type":"repository","path":"a","start_line":0}]`:                      false,
		`[{"type":"repository","path":"a","start_line":1.5}]`:                    false,
		`[{"type":"repository","path":"a","start_line":null}]`:                   false,
		`[{"type":"repository","path":"a","start_line":"1"}]`:                    false,
		`[{"type":"repository","path":"a","x":1}]`:                               false,
		`[{"type":"repository","path":"a"},{"type":"repository","path":"../b"}]`: false,
		`["a"]`: false,
	} {
		err := replay.Validate(config(t, ledger.Notes, ""), canonical(t, note(citations)))
		if valid && err != nil || !valid && !errors.Is(err, replay.InvalidCitation) {
			t.Errorf("%.80s: %v, want valid: %v", citations, err, valid)
		}
	}
}

func TestSchema(t *testing.T) {
	cfg := config(t, ledger.Raw, `{"type":"object","required":["subject"],"additionalProperties":false,"properties":{"subject":{"type":"string"}}}`)
	if err := replay.Validate(cfg, canonical(t, `{"subject":"a","id":"ldg-11111111-1111-4111-8111-111111111111"}`)); err != nil {
		t.Error(err)
	}
	err := replay.Validate(cfg, canonical(t, `{"subject":"a","secret":"value"}`))
	if !errors.Is(err, replay.SchemaMismatch) {
		t.Error(err)
	}
	if text := fmt.Sprint(err); strings.Contains(text, "secret") || strings.Contains(text, "value") {
		t.Errorf("the error holds the payload: %s", text)
	}
	var reason *ledger.SchemaError
	if !errors.As(err, &reason) {
		t.Error("the schema's reason is lost")
	}
	// A set's removal carries a value too, a map's does not.
	set := config(t, ledger.Set, `{"type":"string"}`)
	if err := replay.Validate(set, canonical(t, `{"operation":"remove","value":1}`)); !errors.Is(err, replay.SchemaMismatch) {
		t.Error(err)
	}
}

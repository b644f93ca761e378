package record

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
)

type selfText struct{ text string }

func (s selfText) MarshalText() ([]byte, error) { return []byte(s.text), nil }

type embedded struct {
	Text string `json:"text,omitempty"`
}

func TestMarshal(t *testing.T) {
	type object struct {
		embedded
		B     any             `json:"b"`
		A     json.RawMessage `json:"a,omitempty"`
		Skip  string          `json:"-"`
		inner string
	}
	const bad = "\xff"
	for _, v := range []struct {
		name string
		in   any
		want string // empty when it is refused
	}{
		{"struct", object{B: []int{1, 2}, A: json.RawMessage(`{"z":1.0,"10":1,"9":2}`), inner: bad}, `{"a":{"9":2,"10":1,"z":1},"b":[1,2]}`},
		{"markup", "<&>\u2028", "\"<&>\u2028\""},
		{"replacement character", "\ufffd", "\"\ufffd\""},
		{"escaped in a RawMessage", json.RawMessage(`"\ufffd"`), "\"\ufffd\""},
		{"escaped in a RawMessage, in a map", map[string]any{"a": json.RawMessage(`"\ufffd"`), "b": "ok"}, "{\"a\":\"\ufffd\",\"b\":\"ok\"}"},
		{"backslash before it", `\ufffd`, `"\\ufffd"`},
		{"lone surrogate", json.RawMessage(`"\uD800"`), `"\ud800"`},
		{"left out", object{B: `\ufffd`, Skip: bad}, `{"b":"\\ufffd"}`},
		{"integer", int64(1) << 53, "9007199254740992"},
		{"big float", 1e20, "100000000000000000000"},
		{"even integer", uint64(1) << 63, "9223372036854776000"},
		{"time", time.Unix(0, 0).UTC(), `"1970-01-01T00:00:00Z"`},

		{"odd integer", int64(1)<<53 + 1, ""},
		{"largest integer", uint64(math.MaxUint64), ""},
		{"not a number", math.NaN(), ""},
		{"function", func() {}, ""},
		{"string", bad, ""},
		{"string in a slice", []any{1, []string{"a", bad}}, ""},
		{"key", map[string]int{bad: 1}, ""},
		{"value", map[string]any{"a": map[string]any{"b": &[]string{bad}[0]}}, ""},
		{"field", &object{B: bad}, ""},
		{"embedded field", object{embedded: embedded{Text: bad}}, ""},
		{"text", []selfText{{"ok"}, {bad}}, ""},
		{"text key", map[selfText]int{{bad}: 1}, ""},
		{"raw bytes", json.RawMessage("\"\xff\""), ""},
		{"repeated key", json.RawMessage(`{"a":1,"a":2}`), ""},
		{"too deep", json.RawMessage(strings.Repeat("[", 34) + strings.Repeat("]", 34)), ""},
	} {
		t.Run(v.name, func(t *testing.T) {
			got, err := Marshal(v.in)
			if (err != nil) != (v.want == "") || string(got) != v.want {
				t.Errorf("%q, %v; want %q", got, err, v.want)
			}
			if err == nil && !IsCanonical(got) {
				t.Errorf("%q is not canonical", got)
			}
		})
	}
}

package sqlite_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay/sqlite"
)

// stored are values that members have, and that filters ask for.
func stored() []string {
	values := []string{
		`null`, `true`, `false`, `{}`, `[]`, `{"a":1}`, `[1,"a"]`, `{"a":{"b":"a"}}`, `{"0":"x"}`,
		`0`, `-0`, `1`, `-1`, `1.5`, `0.1`, `0.30000000000000004`, `1e300`, `-1e300`, `5e-324`, `1.7976931348623157e308`,
		`9007199254740991`, `9007199254740993`, `9223372036854775807`, `9223372036854775808`, `-9223372036854775808`,
		`18446744073709551616`, `1e21`, `123456789012345680000`, `2.2250738585072011e-308`, `1e23`, `8.5e-7`,
		`""`, `"a"`, `"A"`, `"ab"`, `"a%"`, `"a_"`, `"a\\"`, `"a*"`, `"1"`, `"true"`, `"null"`, `"\"a\""`, `"'"`, `"\n"`, `"\u001f"`,
		`"é"`, `"e\u0301"`, `"\uffff"`, `"😀"`, `"\udbff\udfff"`, `"a\udbff\udfffb"`, `"a\u0000"`, `"a\u0000b"`, `"\u0000"`, `"\u007f"`,
		`"` + strings.Repeat("x", 300) + `"`,
	}
	return values
}

func anyValue(r *rand.Rand) string {
	switch r.IntN(8) {
	case 0: // any bits that are a number
		for {
			if f := math.Float64frombits(r.Uint64()); !math.IsInf(f, 0) && !math.IsNaN(f) {
				return strconv.FormatFloat(f, 'g', -1, 64)
			}
		}
	case 1: // the kind of number that people write
		return strconv.FormatFloat(r.NormFloat64()*math.Pow(10, float64(r.IntN(30)-10)), 'f', r.IntN(20), 64)
	}
	values := stored()
	return values[r.IntN(len(values))]
}

// naive is whether a payload meets a filter, in the plainest way.
func naive(payload string, f sqlite.Filter) bool {
	var at any
	_ = json.Unmarshal([]byte(payload), &at)
	there := true
	for _, name := range strings.Split(f.Path, ".") {
		object, _ := at.(map[string]any)
		if at, there = object[name]; !there {
			break
		}
	}
	var want any
	_ = json.Unmarshal(f.Value, &want)
	switch f.Op {
	case "exists":
		return there == (want != false)
	case "eq":
		return there && same(at, want)
	case "in":
		return there && slices.ContainsFunc(want.([]any), func(w any) bool { return same(at, w) })
	case "prefix":
		s, ok := at.(string)
		return ok && strings.HasPrefix(s, want.(string))
	}
	order := 0
	switch w := want.(type) {
	case string:
		s, ok := at.(string)
		if !ok {
			return false
		}
		order = strings.Compare(s, w)
	case float64:
		n, ok := at.(float64)
		if !ok {
			return false
		}
		order = int(math.Copysign(1, n-w))
		if n == w {
			order = 0
		}
	}
	return map[string]bool{"gt": order > 0, "gte": order >= 0, "lt": order < 0, "lte": order <= 0}[f.Op]
}

func same(a, b any) bool {
	switch b.(type) {
	case nil, bool, string, float64:
	default:
		return false
	}
	switch a.(type) {
	case nil, bool, string, float64:
		return a == b
	}
	return false
}

func anyFilter(r *rand.Rand) sqlite.Filter {
	scalar := func(accept string) string {
		for {
			if v := anyValue(r); strings.ContainsRune(accept, rune(v[0])) {
				return v
			}
		}
	}
	const numbers, text = "-0123456789", `"`
	f := sqlite.Filter{
		Path: []string{"v", "v", "v", "w", "o.v", "o.p.v", "o", "o-1", "_", "v.a", "v.a.b", "v.0", "absent"}[r.IntN(13)],
		Op:   []string{"eq", "in", "exists", "prefix", "gt", "gte", "lt", "lte"}[r.IntN(8)],
	}
	switch f.Op {
	case "eq":
		f.Value = json.RawMessage(scalar(numbers + text + "tfn"))
	case "in":
		choices := make([]string, r.IntN(sqlite.MaxChoices+1))
		for i := range choices {
			choices[i] = scalar(numbers + text + "tfn")
		}
		f.Value = json.RawMessage("[" + strings.Join(choices, ",") + "]")
	case "exists":
		f.Value = json.RawMessage([]string{"", "true", "false"}[r.IntN(3)])
	case "prefix":
		f.Value = json.RawMessage(scalar(text))
	default:
		f.Value = json.RawMessage(scalar(numbers + text))
	}
	return f
}

// Random filters on random payloads find what a naive reading finds, on pages
// of any size, each record once and in order.
func TestRecordsAgainstOracle(t *testing.T) {
	r := random(t)
	m := &memory{}
	var payloads []string
	for i := range 400 {
		payload := fmt.Sprintf(`{"o":{"p":{"v":%s},"v":%s,"":1},"o-1":%d,"v":%s,"_":"%d"}`, anyValue(r), anyValue(r), i%3, anyValue(r), i%5)
		if i%7 == 0 {
			payload = fmt.Sprintf(`{"v.a":1,"w":%s}`, anyValue(r))
		}
		payloads = append(payloads, payload)
	}
	m.add(t, payloads...)
	path := filepath.Join(t.TempDir(), "ledger.db")
	prepare(t, m, config(ledger.Raw), path)
	db := open(t, path, sqlite.Limits{})
	found := 0
	for range 250 {
		q := sqlite.RecordQuery{Limit: []int{1, 2, 7, 100, 499, 500}[r.IntN(6)], Type: []string{"", "ledger_append"}[r.IntN(2)]}
		for range 1 + r.IntN(2)*r.IntN(3) {
			q.Filters = append(q.Filters, anyFilter(r))
		}
		want := map[int64]bool{}
		for i, p := range payloads {
			if !slices.ContainsFunc(q.Filters, func(f sqlite.Filter) bool { return !naive(p, f) }) {
				want[int64(i)] = true
			}
		}
		got := map[int64]bool{}
		for pages := 0; ; pages++ {
			page, err := db.Records(t.Context(), q)
			if err != nil {
				t.Fatalf("%+v: %v", q, err)
			}
			for _, record := range page.Records {
				if got[record.Ordinal] || !want[record.Ordinal] || record.SHA <= q.Cursor {
					t.Errorf("%s: %s is wrong, or there again", filters(q), record.Payload)
				}
				got[record.Ordinal], q.Cursor = true, record.SHA
			}
			if page.HasMore != (page.NextCursor != "") || page.HasMore && (len(page.Records) != q.Limit || page.NextCursor != q.Cursor) {
				t.Errorf("%s: %d records, more: %v, then %q", filters(q), len(page.Records), page.HasMore, page.NextCursor)
			}
			if !page.HasMore || pages > 40 {
				break
			}
		}
		if q.Limit > 50 || len(want) < 40 {
			for i := range want {
				if !got[i] {
					t.Errorf("%s: %s is missing", filters(q), payloads[i])
				}
			}
		}
		found += len(want)
	}
	if found < 500 {
		t.Errorf("%d found; the test does not reach what it should", found)
	}
}

func filters(q sqlite.RecordQuery) (s string) {
	for _, f := range q.Filters {
		s += fmt.Sprintf("%s %s %.80s; ", f.Path, f.Op, f.Value)
	}
	return s
}

// What a filter may not be is refused, not misread.
func TestRefusedFilters(t *testing.T) {
	db := prepared(t, ledger.Raw, 3, sqlite.Limits{})
	long := strings.Repeat("a", 257)
	for _, f := range []sqlite.Filter{
		{Path: "a.", Op: "exists"}, {Path: ".a", Op: "exists"}, {Path: ".", Op: "exists"}, {Path: "$", Op: "exists"},
		{Path: "a#", Op: "exists"}, {Path: "a[0]", Op: "exists"}, {Path: "a b", Op: "exists"}, {Path: "é", Op: "exists"},
		{Path: "a\x00", Op: "exists"}, {Path: `a\`, Op: "exists"}, {Path: "a'", Op: "exists"}, {Path: long, Op: "exists"},
		{Path: strings.Repeat("a.", 16) + "a", Op: "exists"}, {Path: "a\xff", Op: "exists"},
		{Path: "a", Op: ""}, {Path: "a", Op: "EQ"}, {Path: "a", Op: "eq "}, {Path: "a", Op: "ne", Value: json.RawMessage("1")},
		{Path: "a", Op: "eq", Value: json.RawMessage("1e400")}, {Path: "a", Op: "eq", Value: json.RawMessage("NaN")},
		{Path: "a", Op: "eq", Value: json.RawMessage("1 2")}, {Path: "a", Op: "eq", Value: json.RawMessage("01")},
		{Path: "a", Op: "eq", Value: json.RawMessage("\"\xff\"")},
		{Path: "a", Op: "eq", Value: json.RawMessage(" ")}, {Path: "a", Op: "in", Value: json.RawMessage("[[]]")},
		{Path: "a", Op: "in", Value: json.RawMessage("[1,")}, {Path: "a", Op: "in", Value: json.RawMessage("{}")},
		{Path: "a", Op: "in"}, {Path: "a", Op: "prefix"}, {Path: "a", Op: "gt"}, {Path: "a", Op: "gt", Value: json.RawMessage("null")},
		{Path: "a", Op: "lte", Value: json.RawMessage("[]")}, {Path: "a", Op: "exists", Value: json.RawMessage(`"true"`)},
		{Path: "a", Op: "exists", Value: json.RawMessage("null")}, {Path: "a", Op: "eq", Value: json.RawMessage(strings.Repeat("[", 5000))},
	} {
		if page, err := db.Records(t.Context(), sqlite.RecordQuery{Filters: []sqlite.Filter{f}}); !errors.Is(err, sqlite.ErrRequest) {
			t.Errorf("%.40q %s %.40q: %v, %v", f.Path, f.Op, f.Value, page, err)
		}
	}
	for _, cursor := range []string{"sha256:", strings.Repeat("0", 64), "SHA256:" + strings.Repeat("0", 64), "sha256:" + strings.Repeat("A", 64), "sha256:" + strings.Repeat("0", 65), "' OR 1"} {
		if _, err := db.Records(t.Context(), sqlite.RecordQuery{Cursor: cursor}); !errors.Is(err, sqlite.ErrRequest) {
			t.Errorf("%q: %v", cursor, err)
		}
	}
	for digit, want := range map[string]int{"0": 3, "f": 0} {
		page, err := db.Records(t.Context(), sqlite.RecordQuery{Cursor: "sha256:" + strings.Repeat(digit, 64)})
		if err != nil || len(page.Records) != want || page.HasMore {
			t.Errorf("after %s: %v, %v", digit, page, err)
		}
	}
}

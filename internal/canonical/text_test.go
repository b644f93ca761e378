package canonical

import (
	"bytes"
	"math/big"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/gitledger/gitledger/internal/randtest"
)

// TestPlainRun puts each byte at each place of a run, with each byte after it.
func TestPlainRun(t *testing.T) {
	for length := range 40 {
		for at := range length {
			for c := range 256 {
				b := bytes.Repeat([]byte{'a'}, length)
				b[at] = byte(c)
				want := at
				if c >= 0x20 && c < 0x80 && c != '"' && c != '\\' {
					want = length
				}
				for start := range at + 1 {
					if got := plainRun(b, start); got != want {
						t.Fatalf("%q from %d: %d, want %d", b, start, got, want)
					}
				}
			}
		}
	}
}

func TestCompareText(t *testing.T) {
	g := generator{randtest.New(t)}
	units := func(text []byte) []uint16 {
		v, _, err := slowRead(slices.Concat([]byte{'"'}, text, []byte{'"'}))
		if err != nil {
			t.Fatal(err)
		}
		return v.text
	}
	for range 20_000 {
		a, _ := Append(nil, []byte(g.string()), Refuse)
		b, _ := Append(nil, []byte(g.string()), Refuse)
		a, b = a[1:len(a)-1], b[1:len(b)-1]
		want := slices.Compare(units(a), units(b))
		if got := CompareText(a, b); got < 0 != (want < 0) || got > 0 != (want > 0) {
			t.Fatalf("%q and %q: %d, want %d", a, b, got, want)
		}
		if got := TextLen(a); got != len(units(a)) {
			t.Fatalf("%q: length %d, want %d", a, got, len(units(a)))
		}
		if got, want := Unescape(a), string(utf16.Decode(units(a))); got != want {
			t.Fatalf("%q: %q, want %q", a, got, want)
		}
	}
}

// TestValid has what the random documents do not: depth.
func TestValid(t *testing.T) {
	deep := strings.Repeat(`[{"a":`, 1_000_000) + "1" + strings.Repeat("}]", 1_000_000)
	if !Valid([]byte(deep)) {
		t.Error("two million levels are JSON")
	}
	if Valid([]byte(deep[:len(deep)-1])) {
		t.Error("one level is not closed")
	}
	if _, err := Append(nil, []byte(deep), LastWins); err != ErrDepth {
		t.Errorf("got %v", err)
	}
	for _, text := range []string{
		"", " ", "[", "]", "{", "}", "[1,]", "[,1]", "{,}", `{"a"}`, `{"a":}`, `{"a":1,}`, `{1:1}`, "[1}", `{"a":1]`,
		"1 2", "[] []", "nul", "truefalse", "01", "-", "+1", "1.", ".1", "1e", "1e+", `"`, `"\x"`, `"\u12"`, "\"\n\"", "\"\xff\"", "\xef\xbb\xbf1",
	} {
		if Valid([]byte(text)) {
			t.Errorf("%q is not JSON", text)
		}
		if _, _, err := slowRead([]byte(text)); err == nil {
			t.Errorf("%q: the slow one takes it", text)
		}
	}
}

// TestReaders reads random canonical documents back, by members and elements.
func TestReaders(t *testing.T) {
	g := generator{randtest.New(t)}
	var rebuild func(v []byte) string
	rebuild = func(v []byte) string {
		var parts []string
		switch {
		case IsObject(v):
			for key, value := range Members(v) {
				parts = append(parts, `"`+string(key)+`":`+rebuild(value))
			}
			return "{" + strings.Join(parts, ",") + "}"
		case IsArray(v):
			for e := range Elements(v) {
				parts = append(parts, rebuild(e))
			}
			return "[" + strings.Join(parts, ",") + "]"
		}
		return string(v)
	}
	for range 5_000 {
		v, err := Append(nil, []byte(g.document()), LastWins)
		if err != nil {
			continue
		}
		if got := rebuild(v); got != string(v) {
			t.Fatalf("%q was read as %q", v, got)
		}
		// On anything else they end early, and do not panic.
		damaged := g.damage(v)
		rebuild(damaged)
		for key := range LooseMembers(damaged) {
			Unescape(key)
		}
		Exact(damaged, "a", "b")
		Text(damaged)
		Integer(damaged)
	}
}

func TestExactIntegers(t *testing.T) {
	g := generator{randtest.New(t)}
	for range 50_000 {
		lit := new(big.Int).Rsh(new(big.Int).SetUint64(g.Uint64()), uint(g.IntN(64)))
		lit.Lsh(lit, uint(g.IntN(20)))
		f, accuracy := new(big.Float).SetInt(lit).Float64()
		want := accuracy == big.Exact || slowNumber(f) == lit.String()
		if _, err := AppendExact(nil, []byte(lit.String())); (err == nil) != want {
			t.Fatalf("%s: %v, want it taken: %v", lit, err, want)
		}
	}
	for text, want := range map[string]error{
		`{"a":1,"a":1}`: ErrDuplicate, "1e400": ErrNumber, "9007199254740993": ErrInteger, strings.Repeat("9", 400): ErrNumber,
	} {
		if _, err := AppendExact(nil, []byte(text)); err != want {
			t.Errorf("%.20s: %v, want %v", text, err, want)
		}
	}
}

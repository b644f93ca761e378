package canonical

import (
	"bytes"
	"strconv"
	"testing"

	"github.com/gitledger/gitledger/internal/randtest"
)

// agree fails the test unless the fast implementation and the slow one say the
// same of a text.
func agree(t *testing.T, src []byte) (canonical []byte) {
	t.Helper()
	v, r, slowErr := slowRead(src)
	got, err := Append([]byte("kept"), src, LastWins)
	if (err == nil) != (slowErr == nil) {
		t.Fatalf("%q: error %v, slow %v", src, err, slowErr)
	}
	if _, refused := Append(nil, src, Refuse); (refused == nil) != (slowErr == nil && !r.repeated) {
		t.Fatalf("%q: refusing repeated keys gave %v", src, refused)
	}
	if !bytes.HasPrefix(got, []byte("kept")) {
		t.Fatalf("%q: what was in dst is gone: %q", src, got)
	}
	if err != nil {
		if len(got) != len("kept") {
			t.Fatalf("%q: failed but appended %q", src, got)
		}
		if Check(src, 0) != 0 {
			t.Fatalf("%q has no canonical form but is taken as canonical", src)
		}
		return nil
	}
	got = got[len("kept"):]
	written, plain := slowWrite(v, Written), slowWrite(v, Plain)
	if string(got) != written {
		t.Fatalf("%q became\n%q, slow\n%q", src, got, written)
	}
	for _, text := range []string{string(src), written, plain} {
		var want Orders
		if text == written {
			want |= Written
		}
		if text == plain {
			want |= Plain
		}
		if orders := Check([]byte(text), 0); orders != want {
			t.Fatalf("%q is in orders %b, want %b", text, orders, want)
		}
	}
	if !Valid(src) {
		t.Fatalf("%q is not taken as JSON", src)
	}
	return got
}

// TestDocuments compares the two implementations on random documents, and on
// damaged ones: GITLEDGER_DOCUMENTS of them.
func TestDocuments(t *testing.T) {
	g := generator{randtest.New(t)}
	for range randtest.Count(t, "GITLEDGER_DOCUMENTS", 5_000) {
		src := []byte(g.document())
		canonical := agree(t, src)
		agree(t, g.damage(src))
		agree(t, g.damage(canonical))
	}
}

// TestDoubles compares the two routes from a double to its text, and back:
// GITLEDGER_DOUBLES of them.
func TestDoubles(t *testing.T) {
	g := generator{randtest.New(t)}
	var buf [64]byte
	for range randtest.Count(t, "GITLEDGER_DOUBLES", 50_000) {
		f := g.double()
		got := AppendNumber(buf[:0], f)
		if want := slowNumber(f); string(got) != want {
			t.Fatalf("%x: %s, slow %s", f, got, want)
		}
		if back, err := strconv.ParseFloat(string(got), 64); err != nil || back != f {
			t.Fatalf("%x: %s reads as %x", f, got, back)
		}
		if Check(got, 0) == 0 {
			t.Fatalf("%s is not taken as canonical", got)
		}
	}
}

// TestDecimals checks that a literal is taken as canonical exactly when it is
// what its double is written as.
func TestDecimals(t *testing.T) {
	g := generator{randtest.New(t)}
	canonical := 0
	for range randtest.Count(t, "GITLEDGER_DOUBLES", 50_000) {
		lit := g.number()
		f, err := strconv.ParseFloat(lit, 64)
		want := err == nil && slowNumber(f) == lit
		if got := Check([]byte(lit), 0) != 0; got != want {
			t.Fatalf("%s: canonical %v, want %v", lit, got, want)
		}
		if want {
			canonical++
		}
	}
	if canonical == 0 {
		t.Fatal("no literal was canonical")
	}
}

func FuzzCanonicalize(f *testing.F) {
	g := generator{randtest.New(f)}
	for range 50 {
		f.Add([]byte(g.document()))
	}
	f.Add([]byte(`{"10":1,"9":2,"-a":3}`))
	f.Add([]byte(`{"\ud83d\ude00":1,"\ufb33":2,"\ud83d":3}`))
	f.Fuzz(func(t *testing.T, src []byte) {
		canonical := agree(t, src)
		if canonical == nil {
			return
		}
		if again, err := Append(nil, canonical, Refuse); err != nil || !bytes.Equal(again, canonical) {
			t.Fatalf("not idempotent: %q, %v", again, err)
		}
	})
}

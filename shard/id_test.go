package shard

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gofrs/uuid/v5"

	"github.com/gitledger/gitledger/internal/randtest"
)

// TestParseID: a shard ID is a lower-case version 4 UUID and nothing else
// (S2-03), and so is the name of its file.
func TestParseID(t *testing.T) {
	const good = "41bf13ca-279d-4e6b-ae10-4d463d777db7"
	for text, valid := range map[string]bool{
		good:                                   true,
		"00000000-0000-4000-8000-000000000000": true,
		"":                                     false,
		strings.ToUpper(good):                  false,
		"{" + good + "}":                       false,
		"urn:uuid:" + good:                     false,
		"ldg-" + good:                          false,
		strings.ReplaceAll(good, "-", ""):      false,
		good + " ":                             false,
		"../" + good:                           false,
		"41bf13ca-279d-1e6b-ae10-4d463d777db7": false, // version 1
		"41bf13ca-279d-7e6b-ae10-4d463d777db7": false, // version 7
		"41bf13ca-279d-4e6b-ce10-4d463d777db7": false, // another variant
		"00000000-0000-0000-0000-000000000000": false,
	} {
		checkID(t, text, valid)
	}
	random := randtest.New(t)
	for range 20_000 {
		b := bytes.Clone([]byte(good))
		b[random.IntN(len(b))] = "0123456789abcdefABCDEF-g/ \x00\xff"[random.IntN(28)]
		u, err := uuid.FromString(string(b))
		checkID(t, string(b), err == nil && u.String() == string(b) && u[6]>>4 == 4 && u[8]>>6 == 2)
	}
	for range 100 {
		id, err := NewID()
		if err != nil {
			t.Fatal(err)
		}
		checkID(t, id.String(), true)
	}
}

func checkID(t *testing.T, text string, valid bool) {
	t.Helper()
	id, err := ParseID(text)
	if (err == nil) != valid || valid && id.String() != text || !valid && !id.IsZero() {
		t.Errorf("%q: %s, %v; want valid %t", text, id, err, valid)
	}
	if named, ok := FileID(text + Extension); ok != valid || valid && named != id {
		t.Errorf("%q as a file name: %s, %t; want valid %t", text, named, ok, valid)
	}
	if _, ok := FileID(text); ok {
		t.Errorf("%q: a name without the extension is a shard's", text)
	}
}

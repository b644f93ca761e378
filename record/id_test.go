package record_test

import (
	"cmp"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/record"
)

// IDs compare as their texts do, with the prefix and without.
func TestIDsCompareAsText(t *testing.T) {
	var ids []record.ID
	for i := range 40 {
		id := record.DeterministicID("compare", i)
		bare, err := record.ParseID(strings.TrimPrefix(id.String(), record.IDPrefix))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id, bare)
	}
	for _, a := range ids {
		if got := string(a.AppendText([]byte("x"))); got != "x"+a.String() {
			t.Errorf("appended %s", got)
		}
		if back, err := record.ParseID(a.String()); err != nil || back != a {
			t.Errorf("%s reads back as %s, %v", a, back, err)
		}
		for _, b := range ids {
			if got, want := a.Compare(b), cmp.Compare(a.String(), b.String()); got != want {
				t.Errorf("%s, %s: %d, want %d", a, b, got, want)
			}
		}
	}
}

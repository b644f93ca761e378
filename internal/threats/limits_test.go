//go:build cgo

package threats_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/txn"
)

// A size is so many bytes and a count so many things, from the workflow file to
// the job that enforces it, and not one more (S9-15).
func TestThreatLimitsToTheByte(t *testing.T) {
	w := newWorld(t)
	text, err := w.configs.Base64()
	if err != nil {
		t.Fatal(err)
	}
	handed, err := ledger.ParseBase64(text) // as the jobs get it
	if err != nil {
		t.Fatal(err)
	}
	findings, _ := handed.Lookup("findings")
	if l := findings.Limits; l.RecordBytes != 2<<10 || l.PatchBytes != 4<<10 || l.SegmentBytes != 100<<10 {
		t.Fatalf("%+v", l)
	}
	if text, err = w.configs.MaintenanceBase64(); err != nil {
		t.Fatal(err)
	}
	maintained, err := ledger.ParseBase64(text)
	if err != nil {
		t.Fatal(err)
	}
	events, _ := maintained.Lookup("events")
	if c := events.Compaction; c.Disabled || c.MinSegments != 2 || c.MaxSegments != 8 {
		t.Fatalf("%+v", c)
	}
	row := func(size int) (*txn.Transaction, error) {
		return txn.Normalize(handed, "9:1", strings.NewReader(fmt.Sprintf(
			`{"type":"ledger_append","ledger":"findings","operation":"upsert","value":{"id":"x","severity":%q}}`, strings.Repeat("x", size))))
	}
	largest := 0
	for size := 1; size < 4<<10; size++ {
		if _, err := row(size); err != nil {
			break
		}
		largest = size
	}
	tx, err := row(largest)
	if err != nil {
		t.Fatal(err)
	}
	artifact, err := tx.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	appends := canonical.Get(canonical.Get(canonical.Get(artifact, "ledgers"), "findings"), "appends")
	for entry := range canonical.Elements(appends) {
		if n := len(canonical.Get(entry, "record")); n != 2<<10 {
			t.Errorf("the largest record that is accepted has %d bytes, not 2 KiB", n)
		}
	}
	before := w.content()
	if _, err := w.persist(bytes.Replace(artifact, []byte(`"severity":"x`), []byte(`"severity":"xx`), 1)); !errors.Is(err, txn.ErrArtifact) {
		t.Errorf("one byte more: %v", err)
	}
	w.unchanged(before, "one byte more")
	if _, err := w.persist(artifact); err != nil {
		t.Error(err)
	}
}

//go:build cgo

package threats_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/shard"
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

// A plan that was made for larger limits is refused by the smaller ones that the
// apply job is configured with, though everything in it is true.
func TestThreatPlanOverTheLimit(t *testing.T) {
	w := newWorld(t)
	payload := `{"x":"` + strings.Repeat("x", 30<<10) + `"}`
	for i := range 3 {
		w.plant("events", shard.Change{Add: []shard.Addition{newShard(t, lines(t, fmt.Sprint("large ", i), payload, payload))}})
	}
	wide := w.config("events")
	wide.Limits.SegmentBytes = 1 << 20
	p, err := compact.Propose(t.Context(), w.branch("events"), wide, compact.ProposeOptions{Trigger: compact.Requested})
	if err != nil || p.Plan == nil || p.Plan.Replacement.Bytes <= w.config("events").Limits.SegmentBytes {
		t.Fatalf("%+v, %v", p, err)
	}
	before := w.content()
	if out, err := w.apply(p.Plan.Append(nil)); out == nil || out.Status != compact.Rejected {
		t.Errorf("%+v, %v", out, err)
	}
	w.unchanged(before, "a plan over max-segment-kb")
	// The planner keeps to the bound by itself.
	if p := w.plan(); p.Replacement.Bytes > w.config("events").Limits.SegmentBytes {
		t.Errorf("%d bytes planned", p.Replacement.Bytes)
	}
}

package conformance

import (
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

func TestCanonical(t *testing.T) {
	type row struct {
		Name, Input, Canonical, Note string
		SHA256                       record.Hash
		Error                        bool
	}
	eachRow(t, "canonical.jsonl", func(t *testing.T, v row) {
		got, err := record.Canonicalize(nil, []byte(v.Input))
		if v.Error {
			if err == nil {
				t.Fatalf("%q canonicalised to %q", v.Input, got)
			}
			return
		}
		if err != nil {
			t.Fatalf("%q: %v", v.Input, err)
		}
		// Go's decoder turns a lone surrogate of the vector into U+FFFD, so
		// the digest decides.
		if record.Sum(got) != v.SHA256 {
			t.Errorf("%q canonicalised to %q, want %q", v.Input, got, v.Canonical)
		}
		if !record.IsCanonical(got) {
			t.Errorf("%q is not recognised as canonical", got)
		}
		if again, err := record.Canonicalize(nil, got); err != nil || string(again) != string(got) {
			t.Errorf("not idempotent: %q, %v", again, err)
		}
	})
}

func TestRecords(t *testing.T) {
	type row struct {
		Name, Line, Note string
		Diagnostic       *record.Code
		SHA              *record.Hash
	}
	eachRow(t, "records.jsonl", func(t *testing.T, v row) {
		r, err := record.Parse([]byte(v.Line))
		if v.Diagnostic != nil {
			if !errors.Is(err, &record.Error{Code: *v.Diagnostic}) {
				t.Fatalf("got %v, want %s", err, *v.Diagnostic)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if r.SHA() != *v.SHA {
			t.Errorf("sha %s, want %s", r.SHA(), *v.SHA)
		}
		parents := slices.Collect(r.Parents())
		sealed, err := record.Seal(record.Draft{ID: r.ID(), Type: r.Type(), Time: r.Time(), Parents: parents, Payload: r.Payload()})
		if err != nil {
			t.Fatal(err)
		}
		if string(sealed.Line()) != v.Line {
			t.Errorf("sealed again:\n%s\nwant\n%s", sealed.Line(), v.Line)
		}
	})
}

func TestIDs(t *testing.T) {
	type row struct {
		TransactionID string `json:"transaction_id"`
		Index         int
		ID            record.ID
	}
	eachRow(t, "ids.jsonl", func(t *testing.T, v row) {
		if got := record.DeterministicID(v.TransactionID, v.Index); got != v.ID {
			t.Errorf("got %s, want %s", got, v.ID)
		}
	})
}

func TestSegments(t *testing.T) {
	type row struct {
		Records  []string
		Metadata json.RawMessage
		Segment  shard.ID
		SHA256   record.Hash
		Bytes    int
		Order    []record.Hash
	}
	eachRow(t, "segments.jsonl", func(t *testing.T, v row) {
		var records []*record.Record
		for _, line := range v.Records {
			r, err := record.Parse([]byte(line))
			if err != nil {
				t.Fatal(err)
			}
			records = append(records, &r)
		}
		got, err := shard.Replacement(records, v.Metadata)
		if err != nil {
			t.Fatal(err)
		}
		if got.ID != v.Segment || record.Sum(got.Data) != v.SHA256 || len(got.Data) != v.Bytes {
			t.Errorf("got %s, %s, %d bytes", got.ID, record.Sum(got.Data), len(got.Data))
		}
		var order []record.Hash
		for line, err := range record.Lines(got.Data) {
			if err != nil {
				t.Fatal(err)
			}
			order = append(order, line.Record.SHA())
		}
		if !slices.Equal(order, v.Order) {
			t.Errorf("order %v, want %v", order, v.Order)
		}
	})
}

// snapshotOf makes a snapshot of a branch's files.
func snapshotOf(files map[string][]byte) *shard.Snapshot {
	snap := &shard.Snapshot{State: files[shard.StatePath]}
	for name, data := range files {
		dir, base := path.Split(name)
		if dir != shard.Folder+"/" || !strings.HasSuffix(base, shard.Extension) {
			continue
		}
		s := shard.Shard{Name: base, Size: int64(len(data)), Data: data}
		var ok bool
		if s.ID, ok = shard.FileID(base); !ok {
			s.Data, s.Fault = nil, shard.FaultName
		}
		snap.Shards = append(snap.Shards, s)
	}
	slices.SortFunc(snap.Shards, func(a, b shard.Shard) int { return strings.Compare(a.Name, b.Name) })
	return snap
}

func TestHistories(t *testing.T) {
	type location struct {
		SHA    record.Hash
		Shard  string
		Offset int64
	}
	type expect struct {
		Order, Heads []record.Hash
		ShardCount   int `json:"shard_count"`
		Diagnostics  []ledger.Diagnostic
		Locations    []location
	}
	eachFolder(t, "histories", func(t *testing.T, dir string) {
		var want expect
		readExpect(t, dir, &want)
		snap := snapshotOf(readTree(t, dir))
		if len(snap.Shards) != want.ShardCount {
			t.Errorf("%d shards, want %d", len(snap.Shards), want.ShardCount)
		}
		h, err := ledger.Reconstruct(t.Context(), snap)
		if err != nil {
			t.Fatal(err)
		}
		var order []record.Hash
		var locations []location
		for i, r := range h.Records() {
			order = append(order, r.SHA())
			at := h.Location(i)
			locations = append(locations, location{r.SHA(), at.Shard, at.Offset})
		}
		slices.SortFunc(locations, func(a, b location) int { return a.SHA.Compare(b.SHA) })
		if !slices.Equal(order, want.Order) {
			t.Errorf("order %v, want %v", order, want.Order)
		}
		if !slices.Equal(h.Heads(), want.Heads) {
			t.Errorf("heads %v, want %v", h.Heads(), want.Heads)
		}
		if !slices.Equal(h.Diagnostics(), want.Diagnostics) {
			t.Errorf("diagnostics %v, want %v", h.Diagnostics(), want.Diagnostics)
		}
		if !slices.Equal(locations, want.Locations) {
			t.Errorf("locations %v, want %v", locations, want.Locations)
		}
	})
}

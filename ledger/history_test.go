package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/gitledger/gitledger/internal/randtest"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

func reconstruct(t *testing.T, snap *shard.Snapshot) *History {
	t.Helper()
	h, err := Reconstruct(t.Context(), snap)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestReconstructFindsEverything damages some lines of some shards, repeats
// others elsewhere, and compares with what each line says for itself.
func TestReconstructFindsEverything(t *testing.T) {
	random := randtest.New(t)
	for range 20 {
		snap := sample{records: 200, perShard: 10, payload: 60, width: 1 + random.IntN(4)}.snapshot(t)
		var lines [][]byte
		for i := range snap.Shards {
			lines = append(lines, bytes.SplitAfter(snap.Shards[i].Data, []byte("\n"))...)
		}
		for range 30 {
			s := &snap.Shards[random.IntN(len(snap.Shards))]
			switch random.IntN(3) {
			case 0:
				s.Data = append(s.Data, lines[random.IntN(len(lines))]...)
			case 1:
				s.Data = append(s.Data, "{}\n"...)
			case 2:
				s.Data = bytes.Clone(s.Data)
				s.Data[random.IntN(len(s.Data))] ^= 1
			}
			s.Size = int64(len(s.Data))
		}
		snap.Shards[3].Fault, snap.Shards[3].Data = shard.FaultSize, nil
		checkHistory(t, snap)
	}
}

// checkHistory compares a history with the plainest way to read its shards.
func checkHistory(t *testing.T, snap *shard.Snapshot) {
	t.Helper()
	h := reconstruct(t, snap)
	want := map[record.Hash]Location{}
	ids := map[record.ID]record.Hash{}
	named := map[record.Hash]bool{}
	var bad []Diagnostic
	for _, s := range snap.Shards {
		if s.Fault != "" {
			bad = append(bad, Diagnostic{Code: record.InvalidEnvelope, File: s.Name})
		}
		for line, err := range record.Lines(s.Data) {
			r := line.Record
			if err != nil {
				bad = append(bad, Diagnostic{Code: codeOf(err), File: s.Name, Line: line.Number})
				continue
			}
			if _, again := want[r.SHA()]; again {
				continue
			}
			want[r.SHA()] = Location{s.Name, line.Offset}
			if _, taken := ids[r.ID()]; taken {
				bad = append(bad, Diagnostic{Code: record.DuplicateIDConflict, File: s.Name, Line: line.Number, ID: r.ID().String()})
			}
			ids[r.ID()] = r.SHA()
			for p := range r.Parents() {
				named[p] = true
			}
		}
	}
	got := map[record.Hash]Location{}
	for i, r := range h.Records() {
		if h.Record(i) != r {
			t.Fatal("Record and Records differ")
		}
		got[r.SHA()] = h.Location(i)
		for p := range r.Parents() {
			if _, present := want[p]; present {
				if _, before := got[p]; !before {
					t.Fatalf("%s is replayed before its parent", r.SHA())
				}
			} else {
				bad = append(bad, Diagnostic{Code: record.MissingParent, ID: r.ID().String()})
			}
		}
	}
	if !maps.Equal(got, want) || h.Len() != len(want) {
		t.Fatalf("%d records, want %d", len(got), len(want))
	}
	for _, sha := range h.Heads() {
		if named[sha] {
			t.Fatalf("%s is no head", sha)
		}
	}
	sorted := func(all []Diagnostic) []string {
		var texts []string
		for _, d := range all {
			texts = append(texts, fmt.Sprintf("%+v", d))
		}
		slices.Sort(texts)
		return texts
	}
	if !slices.Equal(sorted(h.Diagnostics()), sorted(bad)) {
		t.Fatalf("diagnostics %v\nwant %v", h.Diagnostics(), bad)
	}
	var malformed *MalformedError
	if err := h.Err(); (err != nil) != (len(bad) > 0) || err != nil && (!errors.Is(err, ErrMalformed) || !errors.As(err, &malformed) || len(malformed.Diagnostics) != len(bad)) {
		t.Fatalf("Err: %v", err)
	}
}

// TestReconstructDoesNotDependOnTiming does it again on one processor.
func TestReconstructDoesNotDependOnTiming(t *testing.T) {
	snap := sample{records: 3_000, perShard: 20, payload: 60, width: 3}.snapshot(t)
	for i := range snap.Shards {
		snap.Shards[i].Data = append(snap.Shards[i].Data, "x\n"...)
	}
	many := reconstruct(t, snap)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	one := reconstruct(t, snap)
	if !slices.Equal(many.Diagnostics(), one.Diagnostics()) || !slices.Equal(many.Heads(), one.Heads()) || many.Len() != one.Len() {
		t.Fatal("results differ")
	}
	for i, r := range many.Records() {
		if one.Record(i).SHA() != r.SHA() || one.Location(i) != many.Location(i) {
			t.Fatalf("record %d differs", i)
		}
	}
}

func TestReconstructEnds(t *testing.T) {
	snap := sample{records: 100, perShard: 100, payload: 60, width: 1}.snapshot(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if h, err := Reconstruct(ctx, snap); h != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", h, err)
	}
	if h := reconstruct(t, &shard.Snapshot{}); h.Len() != 0 || h.Err() != nil || h.Heads() == nil && len(h.Heads()) != 0 {
		t.Error("an empty history")
	}
}

// TestDiagnosticsAreBounded: a million malformed lines are counted, not listed.
func TestDiagnosticsAreBounded(t *testing.T) {
	const lines, shards = 100_000, 20
	snap := &shard.Snapshot{}
	for i := range shards {
		name := fmt.Sprintf("%02d.jsonl", i)
		snap.Shards = append(snap.Shards, shard.Shard{Name: name, Data: bytes.Repeat([]byte("\n"), lines)})
	}
	h := reconstruct(t, snap)
	listed := h.Diagnostics()
	if len(listed) != maxDiagnostics {
		t.Fatalf("%d are listed", len(listed))
	}
	for i, d := range listed {
		if want := (Diagnostic{Code: record.InvalidJSON, File: snap.Shards[i/maxShardDiagnostics].Name, Line: i%maxShardDiagnostics + 1}); i+1 < len(listed) && d != want {
			t.Fatalf("%d: %+v, want %+v", i, d, want)
		}
	}
	if want := fmt.Sprintf("%d more are not listed", lines*shards-maxDiagnostics); listed[len(listed)-1].Detail != want {
		t.Errorf("the last says %q, want %q", listed[len(listed)-1].Detail, want)
	}
	if want := fmt.Sprintf("ledger: malformed history: %d invalid-json, %d more", maxDiagnostics, lines*shards-maxDiagnostics); h.Err().Error() != want {
		t.Errorf("%q, want %q", h.Err(), want)
	}
}

// TestMemory: a history takes at most two and a half times its bytes, the
// bytes included. Everything that is allocated meanwhile counts, as if nothing
// of it were collected, so that is a bound of the peak.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("measures")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	junk := &shard.Snapshot{Shards: []shard.Shard{{Name: "junk", Data: bytes.Repeat([]byte("\n"), 4<<20), Size: 4 << 20}}}
	for name, snap := range map[string]*shard.Snapshot{
		"records of 500 bytes": sample{records: 30_000, perShard: 100, payload: 206, width: 1}.snapshot(t),
		"records of 330 bytes": sample{records: 30_000, perShard: 100, payload: 37, width: 1}.snapshot(t),
		"wide":                 sample{records: 30_000, perShard: 100, payload: 37, width: 30_000}.snapshot(t),
		"no record at all":     junk,
	} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		h := reconstruct(t, snap)
		runtime.ReadMemStats(&after)
		ratio := float64(uint64(size(snap))+after.TotalAlloc-before.TotalAlloc) / float64(size(snap))
		t.Logf("%s: %.2f times %d bytes", name, ratio, size(snap))
		if ratio > 2.5 {
			t.Errorf("%s: %.2f times the history's bytes", name, ratio)
		}
		runtime.KeepAlive(h)
	}
}

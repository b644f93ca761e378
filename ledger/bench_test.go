package ledger

import (
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// sample describes a history to make.
type sample struct {
	records  int
	perShard int // records in a shard
	payload  int // bytes, about
	width    int // records of a generation; 1 is a chain
}

// snapshot makes the history: each record names the first record of the
// generation before its own, and the first one names all, up to the bound.
func (s sample) snapshot(tb testing.TB) *shard.Snapshot {
	tb.Helper()
	snap := &shard.Snapshot{}
	var last, current []record.Hash
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	text := fmt.Appendf(nil, `{"operation":"append","value":"%0*d"}`, s.payload-36, 1)
	for i := range s.records {
		parents := last[:min(len(last), 1)]
		if i%s.width == 0 {
			parents = last[:min(len(last), record.MaxParents)]
		}
		r, err := record.Seal(record.Draft{ID: record.DeterministicID("bench", i), Type: "ledger_append", Time: at, Parents: parents, Payload: text})
		if err != nil {
			tb.Fatal(err)
		}
		if current = append(current, r.SHA()); len(current) == s.width {
			last, current = current, nil
		}
		if i%s.perShard == 0 {
			id := shard.ID(record.FoldUUID(r.SHA()))
			snap.Shards = append(snap.Shards, shard.Shard{Name: id.FileName(), ID: id})
		}
		to := &snap.Shards[len(snap.Shards)-1]
		to.Data = append(append(to.Data, r.Line()...), '\n')
		to.Size = int64(len(to.Data))
	}
	return snap
}

func size(snap *shard.Snapshot) (n int64) {
	for i := range snap.Shards {
		n += snap.Shards[i].Size
	}
	return n
}

// BenchmarkReconstruct reports the fastest turn, in ms, and as x-sha how much
// longer that is than the fastest turn of hashing the same bytes on the same
// number of processors. Both take turns, so that a busy machine disturbs the
// ratio little.
func BenchmarkReconstruct(b *testing.B) {
	samples := map[string]sample{
		"chain=1k":               {1_000, 100, 172, 1},
		"chain=10k":              {10_000, 100, 172, 1},
		"chain=100k/shards=1000": {100_000, 100, 172, 1}, // 47 MB
		"chain=300k":             {300_000, 300, 172, 1},
		"shards=1024/100MiB":     {215_040, 210, 224, 1},
		"wide=100k/generations":  {100_000, 100, 172, 1_000},
		"wide=100k/roots":        {100_000, 100, 172, 100_000},
	}
	for _, name := range []string{"chain=1k", "chain=10k", "chain=100k/shards=1000", "chain=300k", "shards=1024/100MiB", "wide=100k/generations", "wide=100k/roots"} {
		b.Run(name, func(b *testing.B) {
			snap := samples[name].snapshot(b)
			b.SetBytes(size(snap))
			b.ReportAllocs()
			hashing, reconstructing := time.Duration(1<<62), time.Duration(1<<62)
			for b.Loop() {
				b.StopTimer()
				start := time.Now()
				hashAll(b, snap)
				hashing = min(hashing, time.Since(start))
				b.StartTimer()
				start = time.Now()
				h, err := Reconstruct(b.Context(), snap)
				reconstructing = min(reconstructing, time.Since(start))
				if err != nil || h.Len() != samples[name].records || h.Err() != nil {
					b.Fatal(h.Len(), err, h.Err())
				}
			}
			b.ReportMetric(float64(reconstructing)/float64(hashing), "x-sha")
			b.ReportMetric(reconstructing.Seconds()*1e3, "best-ms")
		})
	}
}

func hashAll(tb testing.TB, snap *shard.Snapshot) {
	if err := each(tb.Context(), len(snap.Shards), func(i int) { sha256.Sum256(snap.Shards[i].Data) }); err != nil {
		tb.Fatal(err)
	}
}

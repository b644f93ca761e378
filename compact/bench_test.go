package compact_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// fixed is a branch in memory that never changes and costs nothing to read, so
// that a benchmark measures maintenance and not the store.
type fixed struct{ snap *shard.Snapshot }

func (f fixed) Snapshot(context.Context, shard.Limits) (*shard.Snapshot, error) { return f.snap, nil }

func (f fixed) Commit(context.Context, shard.Head, shard.Change) (shard.Head, error) {
	return f.snap.Head, nil
}

// history is a branch of 1,000 shards with 100 records each, 47 MB in all.
func history(b *testing.B) fixed {
	b.Helper()
	snap := &shard.Snapshot{}
	text := fmt.Sprintf(`{"operation":"append","value":"%0*d"}`, 130, 1)
	var parents []record.Hash
	for s := range 1000 {
		id := shard.ID{0: byte(s >> 8), 1: byte(s), 6: 0x40, 8: 0x80}
		sh := shard.Shard{Name: id.FileName(), ID: id}
		for i := range 100 {
			r := seal(b, "bench", s*100+i, text, parents...)
			parents = []record.Hash{r.SHA()}
			sh.Data = append(sh.Data, pack(r)...)
		}
		sh.Size = int64(len(sh.Data))
		snap.Shards = append(snap.Shards, sh)
	}
	return fixed{snap}
}

// BenchmarkMaintenance measures a plan and its application on 1,000 shards of
// 47 MB together, beside reconstructing that history, and reports how many
// times as long they take.
func BenchmarkMaintenance(b *testing.B) {
	f := history(b)
	var size int64
	for _, s := range f.snap.Shards {
		size += s.Size
	}
	reconstruct := func() {
		if h, err := ledger.Reconstruct(b.Context(), f.snap); err != nil || h.Len() != 100_000 {
			b.Fatal(h.Len(), err)
		}
	}
	measure := func(b *testing.B, run func()) {
		b.SetBytes(size)
		b.ReportAllocs()
		var alone time.Duration
		for b.Loop() {
			b.StopTimer()
			start := time.Now()
			reconstruct()
			alone += time.Since(start)
			b.StartTimer()
			run()
		}
		b.ReportMetric(float64(b.Elapsed())/float64(alone), "x-reconstruct")
	}
	b.Run("reconstruct", func(b *testing.B) { measure(b, reconstruct) })
	for name, cfg := range map[string]ledger.Config{
		"segments of 100 KiB": configure(32, 128, 100<<10),
		"segments of 10 MiB":  configure(32, 256, 10<<20),
	} {
		p, plan := mustPropose(b, f, cfg)
		b.Run("propose, "+name, func(b *testing.B) {
			measure(b, func() { mustPropose(b, f, cfg) })
			b.ReportMetric(float64(len(p.Selected)), "sources")
		})
		b.Run("apply, "+name, func(b *testing.B) {
			measure(b, func() { mustApply(b, f, cfg, plan, compact.Applied) })
			b.ReportMetric(float64(len(p.Selected)), "sources")
		})
	}
}

package ledger

import (
	"fmt"
	"testing"
	"time"

	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// chain returns a snapshot of one chain of n records, perShard to a shard.
func chain(tb testing.TB, n, perShard, payload int) *shard.Snapshot {
	tb.Helper()
	snap := &shard.Snapshot{}
	var parents []record.Hash
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	text := fmt.Appendf(nil, `{"operation":"append","value":"%0*d"}`, payload, 1)
	for i := range n {
		r, err := record.Seal(record.Draft{ID: record.DeterministicID("bench", i), Type: "ledger_append", Time: at, Parents: parents, Payload: text})
		if err != nil {
			tb.Fatal(err)
		}
		parents = []record.Hash{r.SHA()}
		if i%perShard == 0 {
			id := shard.ID(record.FoldUUID(r.SHA()))
			snap.Shards = append(snap.Shards, shard.Shard{Name: id.FileName(), ID: id})
		}
		s := &snap.Shards[len(snap.Shards)-1]
		s.Data = append(append(s.Data, r.Line()...), '\n')
		s.Size = int64(len(s.Data))
	}
	return snap
}

func BenchmarkReconstruct(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("chain=%d", n), func(b *testing.B) {
			snap := chain(b, n, 100, 120)
			var size int64
			for _, s := range snap.Shards {
				size += s.Size
			}
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				h, err := Reconstruct(b.Context(), snap)
				if err != nil || h.Len() != n {
					b.Fatal(h.Len(), err)
				}
			}
		})
	}
}

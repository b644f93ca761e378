package replay_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/replay"
	"github.com/gitledger/gitledger/shard"
)

func BenchmarkReplay(b *testing.B) {
	const n = 100_000
	for typ, payload := range map[ledger.Type]func(i int) string{
		ledger.Log: func(i int) string { return fmt.Sprintf(`{"operation":"append","value":"%040d"}`, i) },
		ledger.Map: func(i int) string {
			return fmt.Sprintf(`{"key":"key-%d","operation":"put","value":"%040d"}`, i%1000, i)
		},
		ledger.Counter: func(i int) string {
			return fmt.Sprintf(`{"amount":1,"name":"name-%d","operation":"increment"}`, i%1000)
		},
		ledger.Notes: func(int) string { return note(cite("docs/a.md")) },
	} {
		b.Run(string(typ), func(b *testing.B) {
			var data []byte
			for i := range n {
				r, err := record.Seal(record.Draft{ID: record.DeterministicID("bench", i), Type: "ledger_append", Time: time.UnixMilli(0), Payload: []byte(payload(i))})
				if err != nil {
					b.Fatal(err)
				}
				data = append(append(data, r.Line()...), '\n')
			}
			h, err := ledger.Reconstruct(b.Context(), &shard.Snapshot{Shards: []shard.Shard{{Name: "x.jsonl", Data: data}}})
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := replay.Replay(b.Context(), h, config(b, typ, "")); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

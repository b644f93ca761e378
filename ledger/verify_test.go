package ledger

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

func TestVerifyShardsAgreesWithReconstruct(t *testing.T) {
	snap := sample{records: 20, perShard: 5, payload: 60, width: 1}.snapshot(t)
	snap.Shards[1].Data = append(snap.Shards[1].Data, "not a record\n"...)
	snap.Shards = append(snap.Shards, shard.Shard{Name: "odd.jsonl", Fault: shard.FaultName})
	held, err := VerifyShards(t.Context(), snap)
	if err != nil || len(held) != len(snap.Shards) {
		t.Fatalf("%d of %d shards, %v", len(held), len(snap.Shards), err)
	}
	h, err := Reconstruct(t.Context(), snap)
	if err != nil {
		t.Fatal(err)
	}
	bad := 0
	var have, want []record.Hash
	for _, s := range held {
		bad += s.Malformed
		for i := range s.Records {
			have = append(have, s.Records[i].SHA())
		}
	}
	for _, r := range h.Records() {
		want = append(want, r.SHA())
	}
	slices.SortFunc(have, record.Hash.Compare)
	slices.SortFunc(want, record.Hash.Compare)
	if !slices.Equal(have, want) {
		t.Errorf("%d records, want %d", len(have), len(want))
	}
	if bad != len(h.Diagnostics()) {
		t.Errorf("%d malformed, want %d", bad, len(h.Diagnostics()))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := VerifyShards(ctx, snap); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

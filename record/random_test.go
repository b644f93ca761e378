package record

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// randomDraft returns a draft with up to 64 of the given parents.
func randomDraft(r *rand.Rand, parents []Hash) Draft {
	d := Draft{
		ID:      DeterministicID(fmt.Sprint(r.Uint64()), 0),
		Type:    [...]string{"ledger_append", "t", "é😀\"\\\n", "\u007f\ue000"}[r.IntN(4)],
		Time:    time.UnixMilli(r.Int64N(253402300800000)),
		Payload: fmt.Appendf(nil, `{"10":%d,"9":[%g,"é\u00e9\ud800"],"k":{"b":null,"a":true}}`, r.IntN(100), r.NormFloat64()),
	}
	if r.IntN(4) == 0 {
		d.ID.bare = true
	}
	for _, i := range r.Perm(len(parents))[:min(len(parents), r.IntN(4))] {
		d.Parents = append(d.Parents, parents[i])
	}
	return d
}

// randomRecords returns n records whose parents are among the ones before.
func randomRecords(tb testing.TB, r *rand.Rand, n int) []Record {
	tb.Helper()
	var records []Record
	var digests []Hash
	for range n {
		made, err := Seal(randomDraft(r, digests))
		if err != nil {
			tb.Fatal(err)
		}
		records = append(records, made)
		digests = append(digests, made.sha)
	}
	return records
}

func shardOf(records []Record) (shard []byte) {
	for i := range records {
		shard = append(append(shard, records[i].line...), '\n')
	}
	return shard
}

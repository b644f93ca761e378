package compact

import (
	"testing"
	"time"

	"github.com/gitledger/gitledger/internal/membranch"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// The last proof stands by itself: it must find a loss, and a gain, even if all
// checks before it were wrong.
func TestLossless(t *testing.T) {
	var records []record.Record
	for i := range 4 {
		r, err := record.Seal(record.Draft{ID: record.DeterministicID("lossless", i), Type: "t", Time: time.Unix(0, 0), Payload: []byte("1")})
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	line := func(i int) string { return string(records[i].Line()) + "\n" }
	id := func(i byte) string { return shard.ID{0: i, 6: 0x40, 8: 0x80}.Path() }
	b := membranch.New(map[string][]byte{ // 0 and 1 are sources; 2 stays and has record 1
		id(0): []byte(line(0) + line(1)), id(1): []byte(line(1) + line(2)), id(2): []byte(line(1)),
	})
	snap, err := b.Snapshot(t.Context(), shard.MaintenanceLimits())
	if err != nil {
		t.Fatal(err)
	}
	c, err := verify(t.Context(), "lossless", snap)
	if err != nil {
		t.Fatal(err)
	}
	sha := func(of ...int) (out []record.Hash) {
		for _, i := range of {
			out = append(out, records[i].SHA())
		}
		return out
	}
	for _, r := range []struct {
		replacement []record.Hash
		want        bool
	}{
		{sha(0, 1, 2), true},
		{sha(0, 2), true}, // record 1 stays visible
		{sha(0, 1), false},
		{sha(1, 2), false},
		{sha(0, 1, 2, 3), false}, // record 3 would come from nowhere
		{nil, false},
	} {
		if got := c.lossless([]int{0, 1}, r.replacement); got != r.want {
			t.Errorf("%d records: %t", len(r.replacement), got)
		}
	}
}

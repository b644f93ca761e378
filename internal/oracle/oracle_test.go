package oracle

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gitledger/gitledger/internal/randtest"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// world is a history of two writers with three turns each, and their claims.
func world(t *testing.T) ([]record.Record, []Claim) {
	t.Helper()
	var records []record.Record
	var claims []Claim
	var parents []record.Hash
	for turn := range 3 {
		for writer := range 2 {
			id := record.DeterministicID(fmt.Sprintf("%d:%d", writer, turn), 0)
			payload := fmt.Appendf(nil, `{"turn":%d,"writer":%d}`, turn, writer)
			r, err := record.Seal(record.Draft{ID: id, Type: "ledger_append", Time: time.Unix(int64(turn), 0), Parents: parents, Payload: payload})
			if err != nil {
				t.Fatal(err)
			}
			parents = []record.Hash{r.SHA()}
			records = append(records, r)
			claims = append(claims, Claim{Writer: writer, Turn: turn, ID: id, SHA: r.SHA(), Payload: payload, Fate: Acknowledged})
		}
	}
	return records, claims
}

func history(t *testing.T, records []record.Record) *ledger.History {
	t.Helper()
	id, err := shard.NewID()
	if err != nil {
		t.Fatal(err)
	}
	var data []byte
	for i := range records {
		data = append(append(data, records[i].Line()...), '\n')
	}
	snap := &shard.Snapshot{Shards: []shard.Shard{{Name: id.FileName(), ID: id, Size: int64(len(data)), Data: data}}}
	h, err := ledger.Reconstruct(context.Background(), snap)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestJudge(t *testing.T) {
	for name, c := range map[string]struct {
		plant func(records *[]record.Record, claims []Claim) []Claim
		want  string
	}{
		"nothing is wrong": {func(_ *[]record.Record, c []Claim) []Claim { return c }, ""},
		"a loss": {func(r *[]record.Record, c []Claim) []Claim {
			*r = (*r)[:5]
			return c
		}, "acknowledged and is lost"},
		"a loss in the middle": {func(r *[]record.Record, c []Claim) []Claim {
			*r = slices.Delete(*r, 2, 3)
			return c
		}, "diagnostics"},
		"an unknown record that is not there": {func(r *[]record.Record, c []Claim) []Claim {
			*r = (*r)[:5]
			c[5].Fate, c[5].SHA = Unknown, record.Hash{}
			return c
		}, ""},
		"an unknown record that is there": {func(_ *[]record.Record, c []Claim) []Claim {
			c[5].Fate, c[5].SHA = Unknown, record.Hash{}
			return c
		}, ""},
		"a refused record that is there": {func(_ *[]record.Record, c []Claim) []Claim {
			c[3].Fate = Refused
			return c
		}, "refused and is there"},
		"another payload": {func(_ *[]record.Record, c []Claim) []Claim {
			c[1].Payload = []byte(`{}`)
			return c
		}, "other content"},
		"another digest": {func(_ *[]record.Record, c []Claim) []Claim {
			c[1].SHA = c[0].SHA
			return c
		}, "other content"},
		"a record from nowhere": {func(_ *[]record.Record, c []Claim) []Claim { return c[1:] }, "sent by nobody"},
		"a claim made twice":    {func(_ *[]record.Record, c []Claim) []Claim { return append(c, c[0]) }, "claimed twice"},
		"another order": {func(_ *[]record.Record, c []Claim) []Claim {
			c[0].Turn, c[2].Turn = 1, 0
			return c
		}, "before an earlier one"},
	} {
		t.Run(name, func(t *testing.T) {
			records, claims := world(t)
			claims = c.plant(&records, claims)
			randtest.New(t).Shuffle(len(claims), func(i, j int) { claims[i], claims[j] = claims[j], claims[i] })
			wrong := strings.Join(Judge(history(t, records), claims), "\n")
			if c.want == "" && wrong != "" || !strings.Contains(wrong, c.want) {
				t.Errorf("%q, want %q", wrong, c.want)
			}
		})
	}
}

package compact

import (
	"context"

	"github.com/gitledger/gitledger/internal/compaction"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// contents is a branch at one head with every shard verified.
type contents struct {
	snap  *shard.Snapshot
	held  []ledger.ShardRecords // beside snap.Shards
	index map[shard.ID]int      // of snap.Shards; names that are no shard ID are left out
	state *State
}

func verify(ctx context.Context, name string, snap *shard.Snapshot) (*contents, error) {
	held, err := ledger.VerifyShards(ctx, snap)
	if err != nil {
		return nil, err
	}
	c := &contents{snap: snap, held: held, index: make(map[shard.ID]int, len(snap.Shards)), state: stateOf(name, snap.State)}
	for i := range snap.Shards {
		if id := snap.Shards[i].ID; !id.IsZero() {
			c.index[id] = i
		}
	}
	return c, nil
}

// valid reports whether the i-th shard is a file of valid records and of
// nothing else. An empty file is none.
func (c *contents) valid(i int) bool {
	s := &c.snap.Shards[i]
	return !s.ID.IsZero() && s.Fault == "" && c.held[i].Malformed == 0 && len(c.held[i].Records) > 0
}

// count returns how many shards are valid, and how many are not. Files whose
// name is no shard ID are neither.
func (c *contents) count() (valid, invalid int) {
	for i := range c.snap.Shards {
		switch {
		case c.valid(i):
			valid++
		case !c.snap.Shards[i].ID.IsZero():
			invalid++
		}
	}
	return valid, invalid
}

// describe returns the identity of the i-th shard.
func (c *contents) describe(i int) Segment {
	return describe(c.snap.Shards[i].ID, c.snap.Shards[i].Data, c.held[i].Records)
}

// replacement returns the one shard that holds the records of the given shards.
func (c *contents) replacement(shards []int) (shard.Addition, error) {
	var records []*record.Record
	for _, i := range shards {
		for r := range c.held[i].Records {
			records = append(records, &c.held[i].Records[r])
		}
	}
	return shard.Replacement(records, []byte(compaction.ReplacementMetadata))
}

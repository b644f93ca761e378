package ledger

import (
	"bytes"
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// verifiedShard is what one shard holds.
type verifiedShard struct {
	records []record.Record
	lines   []lineRef // beside records
	bad     []Diagnostic
}

type lineRef struct {
	number int
	offset int64
}

// verify reads all shards, at most GOMAXPROCS at a time. The result depends
// only on the shards.
func verify(ctx context.Context, shards []shard.Shard) ([]verifiedShard, error) {
	verified := make([]verifiedShard, len(shards))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(shards)) {
		workers.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(shards) {
					return
				}
				verified[i] = verifyShard(ctx, &shards[i])
			}
		})
	}
	workers.Wait()
	return verified, ctx.Err()
}

// cancelStride is how many lines are verified between two looks at the context.
const cancelStride = 1024

func verifyShard(ctx context.Context, s *shard.Shard) (v verifiedShard) {
	if s.Fault != "" {
		v.bad = []Diagnostic{{Code: record.InvalidEnvelope, File: s.Name}}
		return v
	}
	lines := bytes.Count(s.Data, []byte{'\n'})
	v.records = make([]record.Record, 0, lines)
	v.lines = make([]lineRef, 0, lines)
	for line, err := range record.Lines(s.Data) {
		if line.Number%cancelStride == 0 && ctx.Err() != nil {
			return v
		}
		if err != nil {
			v.bad = append(v.bad, Diagnostic{Code: codeOf(err), File: s.Name, Line: line.Number})
			continue
		}
		v.records = append(v.records, line.Record)
		v.lines = append(v.lines, lineRef{line.Number, line.Offset})
	}
	return v
}

// ShardRecords is what one shard of a snapshot holds.
type ShardRecords struct {
	Records   []record.Record // its valid lines in their order, repetitions included
	Malformed []Diagnostic    // its other lines, or the fault of the file
}

// VerifyShards verifies every line of a snapshot as [Reconstruct] does, and
// gives what each shard holds, beside snap.Shards. It is for maintenance, which
// works on shards rather than on the history. The error is the context's.
func VerifyShards(ctx context.Context, snap *shard.Snapshot) ([]ShardRecords, error) {
	verified, err := verify(ctx, snap.Shards)
	if err != nil {
		return nil, err
	}
	out := make([]ShardRecords, len(verified))
	for i := range verified {
		out[i] = ShardRecords{Records: verified[i].records, Malformed: verified[i].bad}
	}
	return out, nil
}

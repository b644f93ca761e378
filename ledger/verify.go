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

// verified is what the lines of all shards hold. A shard's records lie together
// from its first on; zero Records fill up what was set aside for lines that
// turned out to be malformed.
type verified struct {
	records []record.Record
	places  []place // beside records
	shards  []verifiedShard
}

// place is where a record is stored.
type place struct {
	shard  int32
	offset int64
}

type verifiedShard struct {
	first, end int // of the shard's part of records
	valid      int // end of its records in there
	bad        []badLine
	unlisted   int // bad lines beyond maxShardDiagnostics
}

type badLine struct {
	number int // 1-based; 0 when the file as a whole is bad
	code   record.Code
}

// verify reads all shards, at most GOMAXPROCS at a time. The result depends
// only on the shards.
func verify(ctx context.Context, shards []shard.Shard) (*verified, error) {
	v := &verified{shards: make([]verifiedShard, len(shards))}
	if err := each(ctx, len(shards), func(i int) { v.shards[i].end = mostRecords(shards[i].Data) }); err != nil {
		return nil, err
	}
	total := 0
	for i := range v.shards {
		s := &v.shards[i]
		s.first, s.end = total, total+s.end
		total = s.end
	}
	v.records = make([]record.Record, total)
	v.places = make([]place, total)
	if err := each(ctx, len(shards), func(i int) { v.verifyShard(ctx, i, &shards[i]) }); err != nil {
		return nil, err
	}
	return v, nil
}

// mostRecords returns how many records the bytes can hold. A line that is too
// short to be one costs no memory.
func mostRecords(data []byte) int {
	return min(bytes.Count(data, []byte{'\n'}), len(data)/(record.MinLine+1))
}

// cancelStride is how many lines are verified between two looks at the context.
const cancelStride = 1024

func (v *verified) verifyShard(ctx context.Context, i int, from *shard.Shard) {
	s := &v.shards[i]
	s.valid = s.first
	if from.Fault != "" {
		s.bad = []badLine{{code: record.InvalidEnvelope}}
		return
	}
	for line, err := range record.Lines(from.Data) {
		if line.Number%cancelStride == 0 && ctx.Err() != nil {
			return
		}
		switch {
		case err == nil:
			v.records[s.valid] = line.Record
			v.places[s.valid] = place{int32(i), line.Offset}
			s.valid++
		case len(s.bad) < maxShardDiagnostics:
			s.bad = append(s.bad, badLine{line.Number, codeOf(err)})
		default:
			s.unlisted++
		}
	}
}

// each calls do for 0 to n-1, on at most GOMAXPROCS goroutines, until the
// context ends. The error is the context's.
func each(ctx context.Context, n int, do func(i int)) error {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				do(i)
			}
		})
	}
	workers.Wait()
	return ctx.Err()
}

// ShardRecords is what one shard of a snapshot holds.
type ShardRecords struct {
	Records   []record.Record // its valid lines in their order, repetitions included
	Malformed int             // its other lines, or 1 for a file with a fault
}

// VerifyShards verifies every line of a snapshot as [Reconstruct] does, and
// gives what each shard holds, beside snap.Shards. It is for maintenance, which
// works on shards rather than on the history. The error is the context's.
func VerifyShards(ctx context.Context, snap *shard.Snapshot) ([]ShardRecords, error) {
	v, err := verify(ctx, snap.Shards)
	if err != nil {
		return nil, err
	}
	out := make([]ShardRecords, len(v.shards))
	for i, s := range v.shards {
		out[i] = ShardRecords{Records: v.records[s.first:s.valid:s.valid], Malformed: len(s.bad) + s.unlisted}
	}
	return out, nil
}

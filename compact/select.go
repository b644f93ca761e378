package compact

import (
	"context"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
)

// maxStarts bounds how many shards are tried in vain as the first of a
// selection.
const maxStarts = 32

// selection is what the built-in policy chose (S4.2-01).
type selection struct {
	sources  []int // indexes of shards, in ID order
	eligible int   // shards that could be sources
	reason   Reason
}

// choose selects the shards to merge, in ID order: valid ones that are not of
// full size, as many as max-segments and max-segment-kb allow. One that does
// not fit is passed over (S4.2-03), and so is a first one that leaves no room
// for any other, or it would keep all others from being merged for ever. Fewer
// than two, or fewer eligible ones than min-segments, is no selection. After
// maxStarts first ones without a second it gives up: shards that overlap can be
// arranged so that trying every pair takes hours. The result depends only on
// the branch and the configuration.
func (c *contents) choose(ctx context.Context, cfg ledger.Config) (selection, error) {
	var s selection
	var candidates []int
	for i := range c.snap.Shards {
		if c.valid(i) && c.snap.Shards[i].Size < cfg.Limits.SegmentBytes {
			candidates = append(candidates, i)
		}
	}
	s.eligible = len(candidates)
	if s.eligible < cfg.Compaction.MinSegments {
		s.reason = Reason{Code: TooFew, Count: s.eligible, Need: cfg.Compaction.MinSegments}
		return s, nil
	}
	fresh := c.freshBytes(candidates)
	least := make([]int64, len(fresh)) // the smallest of fresh from here on
	for n := len(fresh) - 1; n >= 0; n-- {
		if least[n] = fresh[n]; n+1 < len(fresh) {
			least[n] = min(fresh[n], least[n+1])
		}
	}
	for n, starts := 0, 0; n+1 < len(candidates) && starts < maxStarts; n++ {
		if fresh[n]+least[n+1] > cfg.Limits.SegmentBytes {
			continue
		}
		if s.sources = c.fill(ctx, candidates[n:], fresh[n:], cfg); ctx.Err() != nil || len(s.sources) >= 2 {
			return s, ctx.Err()
		}
		starts++
	}
	s.sources, s.reason = nil, Reason{Code: NothingFits, Count: s.eligible}
	return s, nil
}

// fill takes the candidates that fit together, beginning with the first. It
// stops when ctx ends.
func (c *contents) fill(ctx context.Context, candidates []int, fresh []int64, cfg ledger.Config) (sources []int) {
	u := union{seen: map[record.Hash]struct{}{}, room: cfg.Limits.SegmentBytes, records: MaxPlanRecords}
	for n, i := range candidates {
		if len(sources) == cfg.Compaction.MaxSegments || ctx.Err() != nil {
			break
		}
		if fresh[n] <= u.room && u.add(c.held[i].Records) {
			sources = append(sources, i)
		}
	}
	return sources
}

// freshBytes returns for each shard the bytes of the records that none before
// it has: what it adds at least to any union of those before it.
func (c *contents) freshBytes(shards []int) []int64 {
	total := 0
	for _, i := range shards {
		total += len(c.held[i].Records)
	}
	fresh := make([]int64, len(shards))
	seen := make(map[record.Hash]struct{}, total)
	for n, i := range shards {
		for r := range c.held[i].Records {
			rec := &c.held[i].Records[r]
			if _, ok := seen[rec.SHA()]; !ok {
				seen[rec.SHA()] = struct{}{}
				fresh[n] += int64(len(rec.Line())) + 1
			}
		}
	}
	return fresh
}

// union is a set of distinct record lines that may grow to a bound.
type union struct {
	seen    map[record.Hash]struct{}
	room    int64 // bytes that may still be added
	records int   // records that the plan may still name, repetitions included
}

// add adds all the records or, when they do not fit, none.
func (u *union) add(records []record.Record) bool {
	if len(records) > u.records {
		return false
	}
	var size int64
	added := make([]record.Hash, 0, len(records))
	for i := range records {
		sha := records[i].SHA()
		if _, ok := u.seen[sha]; ok {
			continue
		}
		u.seen[sha] = struct{}{}
		added = append(added, sha)
		if size += int64(len(records[i].Line())) + 1; size > u.room {
			for _, sha := range added {
				delete(u.seen, sha)
			}
			return false
		}
	}
	u.room -= size
	u.records -= len(records)
	return true
}

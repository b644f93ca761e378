package compact

import (
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
)

// selection is what the built-in policy chose (S4.2-01).
type selection struct {
	sources  []int // indexes of shards, in ID order
	eligible int   // shards that could be sources
	reason   Reason
}

// choose selects the shards to merge, in ID order: valid ones that are not of
// full size, as many as max-segments and max-segment-kb allow. One that does
// not fit is passed over (S4.2-03). Fewer than two, or fewer eligible ones than
// min-segments, is no selection. The result depends only on the branch.
func (c *contents) choose(cfg ledger.Config) selection {
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
		return s
	}
	u := union{seen: map[record.Hash]struct{}{}, room: cfg.Limits.SegmentBytes, records: MaxPlanRecords}
	for _, i := range candidates {
		if len(s.sources) == min(cfg.Compaction.MaxSegments, MaxPlanSources) {
			break
		}
		if u.add(c.held[i].Records) {
			s.sources = append(s.sources, i)
		}
	}
	if len(s.sources) < 2 {
		s.sources = nil
		s.reason = Reason{Code: NothingFits, Count: s.eligible}
	}
	return s
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
	fresh := make([]record.Hash, 0, len(records))
	for i := range records {
		sha := records[i].SHA()
		if _, ok := u.seen[sha]; ok {
			continue
		}
		u.seen[sha] = struct{}{}
		fresh = append(fresh, sha)
		size += int64(len(records[i].Line())) + 1
		if size > u.room {
			for _, sha := range fresh {
				delete(u.seen, sha)
			}
			return false
		}
	}
	u.room -= size
	u.records -= len(records)
	return true
}

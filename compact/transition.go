package compact

import (
	"fmt"
	"slices"
	"time"

	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// transition rebuilds the replacement from the branch's own records and proves
// that deleting the sources loses nothing (S5.4-01, S6-04, S9-01). present is
// the index of the replacement when it is there already.
func (c *contents) transition(p *Plan, id record.Hash, sources []int, present int, now time.Time) (verdict, error) {
	from := sources
	if present >= 0 {
		from = []int{present}
	}
	add, err := c.replacement(from)
	if err != nil {
		return verdict{}, err
	}
	rebuilt, err := reread(add)
	if err != nil || !rebuilt.equal(&p.Replacement) {
		return verdict{status: Rejected, reason: about(ReplacementForged, p.Replacement.ID)}, nil
	}
	if !c.lossless(sources, rebuilt.Records) {
		return verdict{status: Rejected, reason: about(RecordsWouldBeLost, p.Replacement.ID)}, nil
	}
	v := verdict{status: Ready, reason: Reason{Code: Verified}, stats: c.stats(p)}
	if present < 0 {
		v.change.Add = []shard.Addition{add}
	}
	for i := range p.Sources {
		v.change.Delete = append(v.change.Delete, p.Sources[i].ID)
	}
	v.change.State = c.state.after(p, id, now).Append(nil)
	v.change.Message = fmt.Sprintf("Compact %d segments into %s\n\nRecords: %d\nPlan: %s\n",
		len(p.Sources), p.Replacement.ID, len(rebuilt.Records), id)
	return v, nil
}

// reread describes a replacement by the bytes that would be published, not by
// the records that went into them.
func reread(add shard.Addition) (Segment, error) {
	var records []record.Record
	for line, err := range record.Lines(add.Data) {
		if err != nil {
			return Segment{}, err
		}
		records = append(records, line.Record)
	}
	return describe(add.ID, add.Data, records), nil
}

// lossless reports whether the set of records on the branch is the same once
// the sources are gone and the replacement is there.
func (c *contents) lossless(sources []int, replacement []record.Hash) bool {
	const before, after = 1, 2
	total := 0
	for i := range c.held {
		total += len(c.held[i].Records)
	}
	visible := make(map[record.Hash]uint8, total)
	for i := range c.held {
		when := uint8(before | after)
		if slices.Contains(sources, i) {
			when = before
		}
		for r := range c.held[i].Records {
			visible[c.held[i].Records[r].SHA()] |= when
		}
	}
	for _, sha := range replacement {
		visible[sha] |= after
	}
	for _, when := range visible {
		if when != before|after {
			return false
		}
	}
	return true
}

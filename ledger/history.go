package ledger

import (
	"context"
	"iter"

	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// History is a ledger's verified records in replay order, and everything that
// was found to be wrong with its files. It keeps the snapshot's bytes.
type History struct {
	head        shard.Head
	shards      []string // file names
	sizes       []int64  // beside shards
	records     []record.Record
	places      []place // beside records
	order       []int   // replay order, as indexes of records
	heads       []record.Hash
	diagnostics []Diagnostic
}

// place is where a record was found first.
type place struct {
	shard  int32
	offset int64
}

// Location is where a record is stored: the first of its places, in the order
// of file names.
type Location struct {
	Shard  string // file name
	Offset int64  // bytes before the record's line
}

// Reconstruct verifies every line of a snapshot and puts the records into
// replay order (S5.1, S4.3-08). What is malformed becomes a diagnostic and
// disturbs nothing else (S2-06); see [History.Err]. Shard layout never matters
// for the order. The error is the context's.
func Reconstruct(ctx context.Context, snap *shard.Snapshot) (*History, error) {
	verified, err := verify(ctx, snap.Shards)
	if err != nil {
		return nil, err
	}
	h := &History{head: snap.Head, shards: make([]string, len(snap.Shards)), sizes: make([]int64, len(snap.Shards))}
	for i := range snap.Shards {
		h.shards[i], h.sizes[i] = snap.Shards[i].Name, snap.Shards[i].Size
	}
	h.merge(verified)
	ordering := record.Sort(h.records)
	h.order = ordering.Replay
	for _, i := range ordering.Heads {
		h.heads = append(h.heads, h.records[i].SHA())
	}
	for _, m := range ordering.Missing {
		h.diagnose(Diagnostic{Code: record.MissingParent, ID: h.records[m.Record].ID().String()})
	}
	for _, i := range ordering.Cyclic {
		h.diagnose(Diagnostic{Code: record.Cycle, ID: h.records[i].ID().String()})
	}
	return h, ctx.Err()
}

// merge collects the shards' records, each once. The same record in two shards
// is fine; the same ID with two digests is a conflict, and both are kept.
func (h *History) merge(verified []verifiedShard) {
	total := 0
	for i := range verified {
		total += len(verified[i].records)
	}
	h.records = make([]record.Record, 0, total)
	h.places = make([]place, 0, total)
	seen := make(map[record.Hash]struct{}, total)
	ids := make(map[record.ID]struct{}, total)
	for s := range verified {
		v := &verified[s]
		bad := v.bad
		for i := range v.records {
			for len(bad) > 0 && bad[0].Line < v.lines[i].number {
				h.diagnose(bad[0])
				bad = bad[1:]
			}
			r := &v.records[i]
			if _, ok := seen[r.SHA()]; ok {
				continue
			}
			seen[r.SHA()] = struct{}{}
			if _, ok := ids[r.ID()]; ok {
				h.diagnose(Diagnostic{Code: record.DuplicateIDConflict, File: h.shards[s], Line: v.lines[i].number, ID: r.ID().String()})
			}
			ids[r.ID()] = struct{}{}
			h.records = append(h.records, *r)
			h.places = append(h.places, place{int32(s), v.lines[i].offset})
		}
		for _, d := range bad {
			h.diagnose(d)
		}
		*v = verifiedShard{}
	}
}

func (h *History) diagnose(d Diagnostic) { h.diagnostics = append(h.diagnostics, d) }

// Head returns the head of the snapshot.
func (h *History) Head() shard.Head { return h.head }

// Shards yields the snapshot's shard files, by name, with their sizes in bytes.
func (h *History) Shards() iter.Seq2[string, int64] {
	return func(yield func(string, int64) bool) {
		for i, name := range h.shards {
			if !yield(name, h.sizes[i]) {
				return
			}
		}
	}
}

// Len returns the number of records that can be replayed.
func (h *History) Len() int { return len(h.order) }

// Record returns the i-th record in replay order.
func (h *History) Record(i int) *record.Record { return &h.records[h.order[i]] }

// Location returns where the i-th record in replay order is stored.
func (h *History) Location(i int) Location {
	p := h.places[h.order[i]]
	return Location{Shard: h.shards[p.shard], Offset: p.offset}
}

// Records yields the records in replay order with their ordinals, from 0.
func (h *History) Records() iter.Seq2[int, *record.Record] {
	return func(yield func(int, *record.Record) bool) {
		for i, at := range h.order {
			if !yield(i, &h.records[at]) {
				return
			}
		}
	}
}

// Heads returns the digests of the records that no record names as a parent,
// ascending (S6-02).
func (h *History) Heads() []record.Hash { return h.heads }

// Diagnostics returns what is wrong: first by file and line, then by record.
func (h *History) Diagnostics() []Diagnostic { return h.diagnostics }

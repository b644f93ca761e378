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
	head    shard.Head
	shards  []string // file names
	sizes   []int64  // beside shards
	records []record.Record
	places  []place // beside records
	order   []int   // replay order, as indexes of records
	heads   []record.Hash
	found   findings
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
// for the order. The error is the context's; then there is no History.
//
// Verifying costs about twice what hashing the bytes does, on all processors;
// beside the snapshot's bytes a history takes about 200 bytes a record.
func Reconstruct(ctx context.Context, snap *shard.Snapshot) (*History, error) {
	v, err := verify(ctx, snap.Shards)
	if err != nil {
		return nil, err
	}
	ordering := record.Sort(v.records)
	h := &History{
		head:    snap.Head,
		shards:  make([]string, len(snap.Shards)),
		sizes:   make([]int64, len(snap.Shards)),
		records: v.records,
		places:  v.places,
		order:   ordering.Replay,
		heads:   make([]record.Hash, len(ordering.Heads)),
	}
	for i := range snap.Shards {
		h.shards[i], h.sizes[i] = snap.Shards[i].Name, snap.Shards[i].Size
	}
	for i, at := range ordering.Heads {
		h.heads[i] = h.records[at].SHA()
	}
	h.found.inShards(v, snap.Shards, ordering.Conflicts)
	for _, m := range ordering.Missing {
		h.found.add(Diagnostic{Code: record.MissingParent}, &h.records[m.Record])
	}
	for _, i := range ordering.Cyclic {
		h.found.add(Diagnostic{Code: record.Cycle}, &h.records[i])
	}
	h.found.close()
	return h, nil
}

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
// ascending (S6-02). They must not be modified.
func (h *History) Heads() []record.Hash { return h.heads }

// Diagnostics returns what is wrong: first by file and line, then by record.
// At most 1,000 lines of a shard and 10,000 diagnostics in all are listed; when
// there are more, the last one's Detail says how many. They must not be modified.
func (h *History) Diagnostics() []Diagnostic { return h.found.listed }

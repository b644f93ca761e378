package record

import (
	"hash/maphash"
	"math/bits"
)

// table finds records by a key that they hold, in a slice that the caller
// keeps: it stores their indexes only. It is several times as fast as a map for
// keys of this size. The hash is seeded, since whoever writes a ledger chooses
// its IDs, and with patience the beginnings of its digests.
type table struct {
	seed  maphash.Seed
	slots []uint32 // a power of two of them, at most half full
	// A slot is zero when it is empty. Else its low bits, those of index, are
	// the record's index plus one, and its other bits are some of the hash's, so
	// that other keys are told apart without a look at their records.
	index uint32
}

// newTable returns a table for at most n keys.
func newTable(n int) *table {
	size := bits.Len(uint(n))
	return &table{seed: maphash.MakeSeed(), slots: make([]uint32, 2<<size), index: 1<<size - 1}
}

func (t *table) hash(key []byte) uint64 { return maphash.Bytes(t.seed, key) }

// find returns the index of the key with the given hash for which same holds.
func (t *table) find(hash uint64, same func(int) bool) (int, bool) {
	at, ok := t.search(hash, same)
	return int(t.slots[at]&t.index) - 1, ok
}

// add enters the index i for a key, unless there is an entry for it already,
// whose index it returns.
func (t *table) add(hash uint64, i int, same func(int) bool) (first int, added bool) {
	at, ok := t.search(hash, same)
	if ok {
		return int(t.slots[at]&t.index) - 1, false
	}
	t.slots[at] = t.tag(hash) | uint32(i+1)
	return i, true
}

func (t *table) tag(hash uint64) uint32 { return uint32(hash>>32) &^ t.index }

// search returns where the key is, or the empty slot where it would be.
func (t *table) search(hash uint64, same func(int) bool) (at uint64, found bool) {
	mask, tag := uint64(len(t.slots)-1), t.tag(hash)
	for at = hash & mask; t.slots[at] != 0; at = (at + 1) & mask {
		if t.slots[at]&^t.index == tag && same(int(t.slots[at]&t.index)-1) {
			return at, true
		}
	}
	return at, false
}

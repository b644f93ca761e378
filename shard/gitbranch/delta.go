package gitbranch

import (
	"encoding/binary"
)

// treeDelta describes target by what it shares with base, in the form of a
// delta in a Git pack. Both are raw trees. Each entry of target is either copied
// from base or spelled out, so a folder of thousands of shards that gained one
// is described in some bytes.
func treeDelta(base, target []byte) []byte {
	places := map[string]int{} // of base's entries
	for at, e := range rawEntries(base) {
		places[string(e)] = at
	}
	delta := binary.AppendUvarint(nil, uint64(len(base)))
	delta = binary.AppendUvarint(delta, uint64(len(target)))
	var from, size int // a copy that can still grow
	var literal []byte // an insertion that can still grow
	flush := func() {
		for ; len(literal) > 0; literal = literal[min(len(literal), maxInsert):] {
			part := literal[:min(len(literal), maxInsert)]
			delta = append(append(delta, byte(len(part))), part...)
		}
		for size > 0 {
			n := min(size, maxCopy)
			delta = appendCopy(delta, from, n)
			from, size = from+n, size-n
		}
	}
	for _, e := range rawEntries(target) {
		at, shared := places[string(e)]
		switch {
		case !shared:
			if size > 0 {
				flush()
			}
			literal = append(literal, e...)
		case size > 0 && at == from+size:
			size += len(e)
		default:
			flush()
			from, size = at, len(e)
		}
	}
	flush()
	return delta
}

const (
	maxInsert = 127
	maxCopy   = 0xffff
)

// appendCopy writes "copy n bytes of the base from offset": a byte that says
// which bytes of both numbers follow, low ones first.
func appendCopy(delta []byte, offset, n int) []byte {
	at := len(delta)
	delta = append(delta, 0x80)
	for i := range 4 {
		if b := byte(offset >> (8 * i)); b != 0 {
			delta = append(delta, b)
			delta[at] |= 1 << i
		}
	}
	for i := range 2 {
		if b := byte(n >> (8 * i)); b != 0 {
			delta = append(delta, b)
			delta[at] |= 0x10 << i
		}
	}
	return delta
}

// rawEntries yields the offset and the bytes of each entry of a well-formed tree.
func rawEntries(raw []byte) func(yield func(int, []byte) bool) {
	return func(yield func(int, []byte) bool) {
		at := 0
		forEntries(raw, func(e entry) bool {
			n := len(e.mode) + 1 + len(e.name) + 1 + len(e.id)
			at += n
			return yield(at-n, raw[at-n:at])
		})
	}
}

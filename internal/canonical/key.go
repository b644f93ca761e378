package canonical

import (
	"bytes"
	"cmp"
)

// text is the text of a canonical string, without its quotes.
type text struct {
	bytes []byte
	// bytewise: comparing it by bytes with another such text gives the order
	// of their UTF-16 code units.
	bytewise bool
}

// firstAstral is the least first byte of a character beyond U+FFFF in UTF-8.
// UTF-16 writes those with surrogates, which are below U+E000, and so puts them
// before some that UTF-8 puts them after.
const firstAstral = 0xf0

// textOf makes a text of bytes that are known to be canonical.
func textOf(b []byte) text {
	for _, c := range b {
		if c == '\\' || c >= firstAstral {
			return text{bytes: b}
		}
	}
	return text{bytes: b, bytewise: true}
}

// comparePlain compares two keys in plain order.
func comparePlain(a, b text) int {
	if a.bytewise && b.bytewise {
		return bytes.Compare(a.bytes, b.bytes)
	}
	return CompareText(a.bytes, b.bytes)
}

// compareWritten compares two keys in written order.
func compareWritten(a, b text) int {
	i, okA := indexKey(a.bytes)
	j, okB := indexKey(b.bytes)
	switch {
	case okA && okB:
		return cmp.Compare(i, j)
	case okA:
		return -1
	case okB:
		return 1
	}
	return comparePlain(a, b)
}

// ordersOf returns the orders in which key b may follow key a.
func ordersOf(a, b text) (orders Orders) {
	ascends := comparePlain(a, b) < 0
	if ascends {
		orders = Plain
	}
	if startsWithDigit(a.bytes) || startsWithDigit(b.bytes) { // one may be an index key
		ascends = compareWritten(a, b) < 0
	}
	if ascends {
		orders |= Written
	}
	return orders
}

func startsWithDigit(key []byte) bool { return len(key) > 0 && isDigit(key[0]) }

// indexKey reports whether key is an array index and gives its value.
func indexKey(key []byte) (uint32, bool) {
	if len(key) == 0 || len(key) > 10 || key[0] == '0' && len(key) > 1 {
		return 0, false
	}
	var n uint64
	for _, c := range key {
		if !isDigit(c) {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	return uint32(n), n < 1<<32-1
}

package canonical

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plainRun returns the first index from i on at which b holds anything but
// printable ASCII other than the quote and the backslash.
func plainRun(b []byte, i int) int {
	rest := b[i:]
	for len(rest) >= 8 {
		if stop := stops(binary.LittleEndian.Uint64(rest)); stop != 0 {
			return len(b) - len(rest) + bits.TrailingZeros64(stop)/8
		}
		rest = rest[8:]
		for len(rest) >= 16 && stops(binary.LittleEndian.Uint64(rest))|stops(binary.LittleEndian.Uint64(rest[8:])) == 0 {
			rest = rest[16:]
		}
	}
	for i = len(b) - len(rest); i < len(b) && isPlain(b[i]); {
		i++
	}
	return i
}

// stops sets the high bit of each byte of w that is not plain. A borrow can set
// it wrongly, but only above the first byte that is not plain.
func stops(w uint64) uint64 {
	return (w | (w - ones*0x20) | ((w ^ ones*'"') - ones) | ((w ^ ones*'\\') - ones)) & highs
}

func isPlain(c byte) bool { return c >= 0x20 && c < utf8.RuneSelf && c != '"' && c != '\\' }

// checkString checks the canonical string whose text starts at b[i], after its
// opening quote. It returns the text, and the index after the closing quote or
// -1.
func checkString(b []byte, i int) (text, int) {
	start, bytewise := i, true
	for {
		i = plainRun(b, i)
		if i >= len(b) {
			return text{}, -1
		}
		switch c := b[i]; {
		case c == '"':
			return text{b[start:i], bytewise}, i + 1
		case c == '\\':
			bytewise = false
			if i = checkEscape(b, i); i < 0 {
				return text{}, -1
			}
		case c < 0x20:
			return text{}, -1
		default:
			r, n := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && n == 1 {
				return text{}, -1
			}
			bytewise = bytewise && c < firstAstral
			i += n
		}
	}
}

// checkEscape checks the canonical escape at b[i] and returns its end, or -1.
func checkEscape(b []byte, i int) int {
	if i+1 >= len(b) {
		return -1
	}
	switch b[i+1] {
	case '"', '\\', 'b', 't', 'n', 'f', 'r':
		return i + 2
	case 'u':
	default:
		return -1
	}
	u, lower, ok := hexUnit(b[i+2:])
	if !ok || !lower {
		return -1
	}
	end := i + 6
	switch {
	case u < 0x20:
		if shortEscape(byte(u)) != 0 {
			return -1
		}
	case isHigh(u):
		// Before a low surrogate it is no lone one, and stands unescaped.
		if v, next := readEscape(b, end); next > 0 && isLow(v) {
			return -1
		}
	case !isLow(u):
		return -1
	}
	return end
}

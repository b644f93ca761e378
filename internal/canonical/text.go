package canonical

import (
	"bytes"
	"math/bits"
	"unicode/utf8"
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plainRun returns how many bytes of b from i on are printable ASCII other
// than the quote and the backslash.
func plainRun(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		w := uint64(b[i]) | uint64(b[i+1])<<8 | uint64(b[i+2])<<16 | uint64(b[i+3])<<24 |
			uint64(b[i+4])<<32 | uint64(b[i+5])<<40 | uint64(b[i+6])<<48 | uint64(b[i+7])<<56
		quote := w ^ ones*'"'
		slash := w ^ ones*'\\'
		stop := (w | (w - ones*0x20) | (quote - ones) | (slash - ones)) & highs
		// A borrow can only mark bytes above the first true stop.
		if stop != 0 {
			return i + bits.TrailingZeros64(stop)/8
		}
	}
	for i < len(b) && b[i] >= 0x20 && b[i] < utf8.RuneSelf && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}

// hexUnit reads four hexadecimal digits.
func hexUnit(b []byte) (u uint16, lower, ok bool) {
	if len(b) < 4 {
		return 0, false, false
	}
	lower = true
	for _, c := range b[:4] {
		u <<= 4
		switch {
		case '0' <= c && c <= '9':
			u |= uint16(c - '0')
		case 'a' <= c && c <= 'f':
			u |= uint16(c - 'a' + 10)
		case 'A' <= c && c <= 'F':
			u |= uint16(c - 'A' + 10)
			lower = false
		default:
			return 0, false, false
		}
	}
	return u, lower, true
}

func isHigh(u uint16) bool { return u&0xfc00 == 0xd800 }
func isLow(u uint16) bool  { return u&0xfc00 == 0xdc00 }

// shape says what a key's text holds that makes a comparison by bytes wrong.
type shape struct {
	escaped bool // has a backslash
	high    bool // has a character from U+E000 on, where UTF-8 and UTF-16 order differ
}

// checkString checks the canonical string whose text starts at b[i], after its
// opening quote. It returns the index of the closing quote, or -1.
func checkString(b []byte, i int) (end int, s shape) {
	for {
		i = plainRun(b, i)
		if i >= len(b) {
			return -1, s
		}
		switch c := b[i]; {
		case c == '"':
			return i, s
		case c == '\\':
			s.escaped = true
			if i = checkEscape(b, i); i < 0 {
				return -1, s
			}
		case c < 0x20:
			return -1, s
		default:
			r, n := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && n == 1 {
				return -1, s
			}
			s.high = s.high || r >= 0xe000
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
		if end+1 < len(b) && b[end] == '\\' && b[end+1] == 'u' {
			if v, _, ok := hexUnit(b[end+2:]); !ok || isLow(v) {
				return -1
			}
		}
	case !isLow(u):
		return -1
	}
	return end
}

// shortEscape returns the letter of a control character's two-character
// escape, or 0 when it has none.
func shortEscape(c byte) byte {
	switch c {
	case '\b':
		return 'b'
	case '\t':
		return 't'
	case '\n':
		return 'n'
	case '\f':
		return 'f'
	case '\r':
		return 'r'
	}
	return 0
}

const hexDigits = "0123456789abcdef"

// appendString appends the canonical form, with its quotes, of the JSON string
// whose text starts at b[i], after the opening quote, and returns the index
// after its closing quote.
func appendString(dst, b []byte, i int) ([]byte, int, error) {
	dst = append(dst, '"')
	for {
		run := plainRun(b, i)
		dst = append(dst, b[i:run]...)
		if i = run; i >= len(b) {
			return dst, i, ErrSyntax
		}
		switch c := b[i]; {
		case c == '"':
			return append(dst, '"'), i + 1, nil
		case c == '\\':
			u, end := readEscape(b, i)
			if end < 0 {
				return dst, i, ErrSyntax
			}
			dst, i = appendUnit(dst, b, u, end)
		case c < 0x20:
			return dst, i, ErrSyntax
		default:
			r, n := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && n == 1 {
				return dst, i, ErrSyntax
			}
			dst = append(dst, b[i:i+n]...)
			i += n
		}
	}
}

// readEscape reads any JSON escape at b[i]; end is -1 when it is none.
func readEscape(b []byte, i int) (u uint16, end int) {
	if i+1 >= len(b) {
		return 0, -1
	}
	switch b[i+1] {
	case '"', '\\', '/':
		return uint16(b[i+1]), i + 2
	case 'b':
		return '\b', i + 2
	case 't':
		return '\t', i + 2
	case 'n':
		return '\n', i + 2
	case 'f':
		return '\f', i + 2
	case 'r':
		return '\r', i + 2
	case 'u':
		if u, _, ok := hexUnit(b[i+2:]); ok {
			return u, i + 6
		}
	}
	return 0, -1
}

// appendUnit appends the canonical text of the code unit u, which an escape
// that ends at b[i] gave, joined with a low surrogate that follows escaped.
func appendUnit(dst, b []byte, u uint16, i int) ([]byte, int) {
	switch {
	case u == '"' || u == '\\':
		return append(dst, '\\', byte(u)), i
	case u < 0x20:
		if c := shortEscape(byte(u)); c != 0 {
			return append(dst, '\\', c), i
		}
		return appendUnicodeEscape(dst, u), i
	case isHigh(u):
		if i < len(b) && b[i] == '\\' {
			if v, end := readEscape(b, i); end > 0 && isLow(v) {
				return utf8.AppendRune(dst, joinSurrogates(u, v)), end
			}
		}
		return appendUnicodeEscape(dst, u), i
	case isLow(u):
		return appendUnicodeEscape(dst, u), i
	}
	return utf8.AppendRune(dst, rune(u)), i
}

func joinSurrogates(hi, lo uint16) rune {
	return 0x10000 + rune(hi-0xd800)<<10 + rune(lo-0xdc00)
}

func appendUnicodeEscape(dst []byte, u uint16) []byte {
	return append(dst, '\\', 'u', hexDigits[u>>12], hexDigits[u>>8&15], hexDigits[u>>4&15], hexDigits[u&15])
}

// AppendQuoted appends s as a canonical string. Bytes that are not UTF-8
// become U+FFFD.
func AppendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\' || r < 0x20:
			dst, _ = appendUnit(dst, nil, uint16(r), 0)
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '"')
}

// units walks the UTF-16 code units of canonical string text.
type units struct {
	text []byte
	low  uint16 // second half of a pair, still to be given
}

func (u *units) next() (unit uint16, ok bool) {
	if u.low != 0 {
		unit, u.low = u.low, 0
		return unit, true
	}
	if len(u.text) == 0 {
		return 0, false
	}
	if u.text[0] == '\\' {
		unit, end := readEscape(u.text, 0)
		if end < 0 { // not canonical text; treat the backslash as itself
			unit, end = '\\', 1
		}
		u.text = u.text[end:]
		return unit, true
	}
	r, n := utf8.DecodeRune(u.text)
	u.text = u.text[n:]
	if r >= 0x10000 {
		r -= 0x10000
		u.low = 0xdc00 + uint16(r&0x3ff)
		return 0xd800 + uint16(r>>10), true
	}
	return uint16(r), true
}

// CompareText compares the text of two canonical strings, without their
// quotes, by UTF-16 code units.
func CompareText(a, b []byte) int {
	ua, ub := units{text: a}, units{text: b}
	for {
		x, okA := ua.next()
		y, okB := ub.next()
		switch {
		case !okA && !okB:
			return 0
		case !okA:
			return -1
		case !okB:
			return 1
		case x != y:
			return int(x) - int(y)
		}
	}
}

// compareShaped is CompareText, by bytes where that gives the same answer.
func compareShaped(a, b []byte, sa, sb shape) int {
	if sa == (shape{}) && sb == (shape{}) {
		return bytes.Compare(a, b)
	}
	return CompareText(a, b)
}

// TextLen returns the length of canonical string text in UTF-16 code units.
func TextLen(text []byte) int {
	n := 0
	for u := (units{text: text}); ; n++ {
		if _, ok := u.next(); !ok {
			return n
		}
	}
}

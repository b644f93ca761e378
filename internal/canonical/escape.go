package canonical

import (
	"unicode/utf16"
	"unicode/utf8"
)

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
	if i+1 >= len(b) || b[i] != '\\' {
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
		if v, end := readEscape(b, i); end > 0 && isLow(v) {
			return utf8.AppendRune(dst, utf16.DecodeRune(rune(u), rune(v))), end
		}
		return appendUnicodeEscape(dst, u), i
	case isLow(u):
		return appendUnicodeEscape(dst, u), i
	}
	return utf8.AppendRune(dst, rune(u)), i
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

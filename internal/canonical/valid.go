package canonical

import (
	"iter"
	"unicode/utf8"
)

// Valid reports whether b is JSON text in UTF-8, of any depth: it does not
// recurse.
func Valid(b []byte) bool {
	if !utf8.Valid(b) {
		return false
	}
	var open []byte // the closing bytes of the containers that are open
	i := 0
	for {
		if i = skipSpace(b, i); i >= len(b) {
			return false
		}
		if b[i] == '{' || b[i] == '[' {
			closing := b[i] + 2 // '}' or ']'
			open = append(open, closing)
			if i = skipSpace(b, i+1); i >= len(b) || b[i] != closing {
				if i = elementStart(b, i, closing); i < 0 {
					return false
				}
				continue
			}
		} else if i = scalarEnd(b, i); i < 0 {
			return false
		}
		if i, open = nextElement(b, i, open); i < 0 {
			return false
		}
		if len(open) == 0 {
			return i == len(b)
		}
	}
}

// nextElement closes the containers that end at b[i:], after a value, and
// returns where the next value of the innermost open one starts, or -1. When
// none is open that is the end of the white space.
func nextElement(b []byte, i int, open []byte) (int, []byte) {
	for i = skipSpace(b, i); len(open) > 0; i = skipSpace(b, i+1) {
		closing := open[len(open)-1]
		switch {
		case i >= len(b):
			return -1, open
		case b[i] == ',':
			return elementStart(b, i+1, closing), open
		case b[i] != closing:
			return -1, open
		}
		open = open[:len(open)-1]
	}
	return i, open
}

// elementStart returns where the value of the element at b[i:] starts: after
// its key in an object. It is -1 when there is no key.
func elementStart(b []byte, i int, closing byte) int {
	if closing == ']' {
		return i
	}
	if i = skipSpace(b, i); i >= len(b) || b[i] != '"' {
		return -1
	}
	if i = validString(b, i+1); i < 0 {
		return -1
	}
	if i = skipSpace(b, i); i >= len(b) || b[i] != ':' {
		return -1
	}
	return i + 1
}

// scalarEnd returns the end of the string, word or number at b[i:], or -1.
func scalarEnd(b []byte, i int) int {
	switch b[i] {
	case '"':
		return validString(b, i+1)
	case 't':
		return wordEnd(b, i, "true")
	case 'f':
		return wordEnd(b, i, "false")
	case 'n':
		return wordEnd(b, i, "null")
	}
	end, _ := numberEnd(b, i)
	return end
}

// validString returns the index after the string whose text starts at b[i], or -1.
func validString(b []byte, i int) int {
	for i < len(b) {
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c == '\\':
			if _, i = readEscape(b, i); i < 0 {
				return -1
			}
		case c < 0x20:
			return -1
		default:
			i++
		}
	}
	return -1
}

// LooseMembers yields the members of an object in any valid JSON text, in
// their order and with their repetitions: the key's text, without quotes and
// still escaped, and the value's text. It does not bound the depth.
func LooseMembers(b []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		i := skipSpace(b, 0)
		if i >= len(b) || b[i] != '{' {
			return
		}
		for i = skipSpace(b, i+1); i < len(b) && b[i] == '"'; i = skipSpace(b, i+1) {
			key := i + 1
			keyEnd := stringEnd(b, key)
			if i = elementStart(b, i, '}'); i < 0 {
				return
			}
			i = skipSpace(b, i)
			end := valueEnd(b, i)
			if end < 0 || !yield(b[key:keyEnd], b[i:end]) {
				return
			}
			i = skipSpace(b, end)
		}
	}
}

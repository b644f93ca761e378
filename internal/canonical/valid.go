package canonical

import (
	"iter"
	"unicode/utf8"
)

// Valid reports whether b is JSON text in UTF-8, of any depth.
func Valid(b []byte) bool {
	if !utf8.Valid(b) {
		return false
	}
	var open []byte // the containers that are open
	i := skipSpace(b, 0)
	for {
		// A value starts at b[i].
		if i >= len(b) {
			return false
		}
		switch b[i] {
		case '{', '[':
			open = append(open, b[i])
			closing := b[i] + 2
			if i = skipSpace(b, i+1); i < len(b) && b[i] == closing {
				break
			}
			if closing == '}' {
				if i = keyEnd(b, i); i < 0 {
					return false
				}
			}
			continue
		case '"':
			if i = validString(b, i+1); i < 0 {
				return false
			}
		case 't':
			i = checkWord(b, i, "true")
		case 'f':
			i = checkWord(b, i, "false")
		case 'n':
			i = checkWord(b, i, "null")
		default:
			i, _ = numberEnd(b, i)
		}
		if i < 0 {
			return false
		}
		// A value ended; close containers or step to the next value.
		next := false
		for !next {
			i = skipSpace(b, i)
			if len(open) == 0 {
				return i == len(b)
			}
			if i >= len(b) {
				return false
			}
			top := open[len(open)-1]
			switch b[i] {
			case top + 2:
				open = open[:len(open)-1]
				i++
			case ',':
				i = skipSpace(b, i+1)
				if top == '{' {
					if i = keyEnd(b, i); i < 0 {
						return false
					}
				}
				next = true
			default:
				return false
			}
		}
	}
}

// keyEnd returns the start of the value of the member at b[i:], or -1.
func keyEnd(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	if i = validString(b, i+1); i < 0 {
		return -1
	}
	if i = skipSpace(b, i); i >= len(b) || b[i] != ':' {
		return -1
	}
	return skipSpace(b, i+1)
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
			start := i + 1
			end := stringEnd(b, start)
			if i = keyEnd(b, i); i < 0 {
				return
			}
			stop := valueEnd(b, i)
			if stop < 0 || !yield(b[start:end], b[i:stop]) {
				return
			}
			i = skipSpace(b, stop)
		}
	}
}

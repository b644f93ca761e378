package canonical

import (
	"iter"
	"unicode/utf8"
)

// The functions of this file read text that is known to be canonical, in
// either order. On other text they end early; they never panic.

// IsObject, IsArray and IsString report the kind of a canonical value.
func IsObject(v []byte) bool { return len(v) > 0 && v[0] == '{' }
func IsArray(v []byte) bool  { return len(v) > 0 && v[0] == '[' }
func IsString(v []byte) bool { return len(v) > 0 && v[0] == '"' }

// Members yields the members of a canonical object: the key's text, without
// quotes and still escaped, and the value. A key of plain ASCII letters can be
// compared as it is, since canonical text escapes nothing without need.
// A value that is no object has none.
func Members(obj []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		if !IsObject(obj) {
			return
		}
		for i := 1; i < len(obj) && obj[i] == '"'; i++ {
			keyEnd := stringEnd(obj, i+1)
			if keyEnd < 0 || keyEnd+1 >= len(obj) {
				return
			}
			end := valueEnd(obj, keyEnd+2)
			if end < 0 || !yield(obj[i+1:keyEnd], obj[keyEnd+2:end]) {
				return
			}
			i = end
		}
	}
}

// Elements yields the elements of a canonical array. A value that is no array
// has none.
func Elements(arr []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if !IsArray(arr) || len(arr) == 2 {
			return
		}
		for i := 1; i < len(arr); i++ {
			end := valueEnd(arr, i)
			if end < 0 || !yield(arr[i:end]) {
				return
			}
			i = end
		}
	}
}

// Get returns the value of the member with a key of plain ASCII, or nil.
func Get(obj []byte, key string) []byte {
	for k, v := range Members(obj) {
		if string(k) == key {
			return v
		}
	}
	return nil
}

// Exact returns the values of an object's members in the order of names, nil
// for one that is absent. ok is false when obj is no object or has a key that
// is not among names.
func Exact(obj []byte, names ...string) (values [][]byte, ok bool) {
	if !IsObject(obj) {
		return nil, false
	}
	values = make([][]byte, len(names))
members:
	for k, v := range Members(obj) {
		for n, name := range names {
			if string(k) == name {
				values[n] = v
				continue members
			}
		}
		return nil, false
	}
	return values, true
}

// Text decodes a canonical string. A lone surrogate, which UTF-8 cannot carry,
// becomes U+FFFD.
func Text(v []byte) (string, bool) {
	if !IsString(v) || len(v) < 2 {
		return "", false
	}
	return Unescape(v[1 : len(v)-1]), true
}

// Unescape decodes the text of a canonical string, given without its quotes.
func Unescape(text []byte) string {
	plain := 0
	for plain < len(text) && text[plain] != '\\' {
		plain++
	}
	if plain == len(text) {
		return string(text)
	}
	out := append(make([]byte, 0, len(text)), text[:plain]...)
	for i := plain; i < len(text); {
		if text[i] != '\\' {
			out = append(out, text[i])
			i++
			continue
		}
		u, end := readEscape(text, i)
		if end < 0 {
			return string(out)
		}
		out = utf8.AppendRune(out, rune(u)) // a surrogate becomes U+FFFD
		i = end
	}
	return string(out)
}

// Integer decodes a canonical number that is a safe integer: its magnitude is
// at most 2^53-1.
func Integer(v []byte) (int64, bool) {
	const maxSafe = 1<<53 - 1
	i, neg := 0, false
	if len(v) > 0 && v[0] == '-' {
		i, neg = 1, true
	}
	if len(v) == i || len(v)-i > 16 {
		return 0, false
	}
	var n int64
	for _, c := range v[i:] {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if n > maxSafe {
		return 0, false
	}
	if neg {
		n = -n
	}
	return n, true
}

// stringEnd returns the index of the quote that closes the string whose text
// starts at b[i], or -1.
func stringEnd(b []byte, i int) int {
	for ; i < len(b); i++ {
		switch b[i] {
		case '"':
			return i
		case '\\':
			i++
		}
	}
	return -1
}

// valueEnd returns the end of the value at b[i:], or -1.
func valueEnd(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			if i = stringEnd(b, i+1); i < 0 {
				return -1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i // the end of the container that holds a number or a word
			}
			depth--
		case ',':
			if depth == 0 {
				return i
			}
		}
		i++
		if depth == 0 && (b[i-1] == '"' || b[i-1] == '}' || b[i-1] == ']') {
			return i
		}
	}
	if depth != 0 {
		return -1
	}
	return i
}

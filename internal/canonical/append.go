package canonical

import (
	"cmp"
	"slices"
)

// Duplicates says what an object key that occurs twice means.
type Duplicates bool

const (
	LastWins Duplicates = false // as in ECMAScript, for requests
	Refuse   Duplicates = true  // for plans, artifacts and configuration
)

// Append appends the canonical form of the JSON text src, in written order. A
// value that has none is an error even where a later one replaces it.
// On an error dst is returned as it was.
func Append(dst, src []byte, dup Duplicates) ([]byte, error) {
	w := writer{src: src, dup: dup}
	return w.run(dst)
}

// AppendExact is Append for text that was written from Go values: duplicate
// keys are refused and so is an integer that a double cannot carry.
func AppendExact(dst, src []byte) ([]byte, error) {
	w := writer{src: src, dup: Refuse, exact: true}
	return w.run(dst)
}

// AppendWrapped is Append for a document that carries other values inside a
// wrapper of the given number of levels, which do not count as depth.
func AppendWrapped(dst, src []byte, dup Duplicates, levels int) ([]byte, error) {
	w := writer{src: src, dup: dup, wrapped: levels}
	return w.run(dst)
}

type writer struct {
	src     []byte
	dup     Duplicates
	exact   bool
	wrapped int // levels that do not count
	scratch []byte
}

func (w *writer) run(dst []byte) ([]byte, error) {
	out, i, err := w.value(dst, skipSpace(w.src, 0), -w.wrapped)
	if err == nil && skipSpace(w.src, i) != len(w.src) {
		err = ErrSyntax
	}
	if err != nil {
		return dst, err
	}
	return out, nil
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

func (w *writer) value(dst []byte, i, depth int) ([]byte, int, error) {
	if i >= len(w.src) {
		return dst, i, ErrSyntax
	}
	if depth > MaxDepth {
		return dst, i, ErrDepth
	}
	switch w.src[i] {
	case '"':
		return appendString(dst, w.src, i+1)
	case '{':
		return w.object(dst, i+1, depth)
	case '[':
		return w.array(dst, i+1, depth)
	case 't':
		return w.word(dst, i, "true")
	case 'f':
		return w.word(dst, i, "false")
	case 'n':
		return w.word(dst, i, "null")
	}
	end, integer := numberEnd(w.src, i)
	if end < 0 {
		return dst, i, ErrSyntax
	}
	lit := w.src[i:end]
	dst, err := appendLiteral(dst, lit, integer)
	if err == nil && w.exact && integer && !carries(lit) {
		err = ErrInteger
	}
	return dst, end, err
}

func (w *writer) word(dst []byte, i int, word string) ([]byte, int, error) {
	end := wordEnd(w.src, i, word)
	if end < 0 {
		return dst, i, ErrSyntax
	}
	return append(dst, word...), end, nil
}

func (w *writer) array(dst []byte, i, depth int) ([]byte, int, error) {
	dst = append(dst, '[')
	if i = skipSpace(w.src, i); i < len(w.src) && w.src[i] == ']' {
		return append(dst, ']'), i + 1, nil
	}
	for {
		var err error
		if dst, i, err = w.value(dst, skipSpace(w.src, i), depth+1); err != nil {
			return dst, i, err
		}
		if i = skipSpace(w.src, i); i >= len(w.src) {
			return dst, i, ErrSyntax
		}
		switch w.src[i] {
		case ',':
			dst = append(dst, ',')
			i++
		case ']':
			return append(dst, ']'), i + 1, nil
		default:
			return dst, i, ErrSyntax
		}
	}
}

// member is where one written member of an object lies in dst.
type member struct{ key, keyEnd, end int }

func (w *writer) object(dst []byte, i, depth int) ([]byte, int, error) {
	dst = append(dst, '{')
	start := len(dst)
	if i = skipSpace(w.src, i); i < len(w.src) && w.src[i] == '}' {
		return append(dst, '}'), i + 1, nil
	}
	var fixed [16]member
	members := fixed[:0]
	for {
		if i = skipSpace(w.src, i); i >= len(w.src) || w.src[i] != '"' {
			return dst, i, ErrSyntax
		}
		m := member{key: len(dst)}
		var err error
		if dst, i, err = appendString(dst, w.src, i+1); err != nil {
			return dst, i, err
		}
		m.keyEnd = len(dst)
		if i = skipSpace(w.src, i); i >= len(w.src) || w.src[i] != ':' {
			return dst, i, ErrSyntax
		}
		dst = append(dst, ':')
		if dst, i, err = w.value(dst, skipSpace(w.src, i+1), depth+1); err != nil {
			return dst, i, err
		}
		m.end = len(dst)
		members = append(members, m)
		if i = skipSpace(w.src, i); i >= len(w.src) {
			return dst, i, ErrSyntax
		}
		switch w.src[i] {
		case ',':
			dst = append(dst, ',')
			i++
		case '}':
			dst, err = w.sort(dst, start, members)
			return append(dst, '}'), i + 1, err
		default:
			return dst, i, ErrSyntax
		}
	}
}

// sort puts the members that were written from dst[start:] on into order. A
// repeated key is dropped or refused.
func (w *writer) sort(dst []byte, start int, members []member) ([]byte, error) {
	compare := func(a, b member) int {
		return compareWritten(textOf(dst[a.key+1:a.keyEnd-1]), textOf(dst[b.key+1:b.keyEnd-1]))
	}
	sorted := true
	for k := 1; k < len(members) && sorted; k++ {
		sorted = compare(members[k-1], members[k]) < 0
	}
	if sorted {
		return dst, nil
	}
	// Repeated keys stay in their order. A stable sort would take several times
	// as long where somebody has written a million keys.
	slices.SortFunc(members, func(a, b member) int {
		return cmp.Or(compare(a, b), cmp.Compare(a.key, b.key))
	})
	w.scratch = append(w.scratch[:0], dst[start:]...)
	out := dst[:start]
	for k, m := range members {
		if k+1 < len(members) && string(w.keyText(m, start)) == string(w.keyText(members[k+1], start)) {
			if w.dup == Refuse {
				return dst, ErrDuplicate
			}
			continue
		}
		if len(out) > start {
			out = append(out, ',')
		}
		out = append(out, w.scratch[m.key-start:m.end-start]...)
	}
	return out, nil
}

func (w *writer) keyText(m member, start int) []byte {
	return w.scratch[m.key-start : m.keyEnd-start]
}

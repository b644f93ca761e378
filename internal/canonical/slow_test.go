package canonical

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// The slow implementation decodes a text into a tree, with strings as UTF-16,
// sorts the tree and writes it. It shares no code with the fast one.

type tree struct {
	kind    byte // one of n t f 0 " [ {
	number  float64
	text    []uint16
	values  []tree
	members []treeMember
}

type treeMember struct {
	key   []uint16
	value tree
}

type slowReader struct {
	rest     string
	repeated bool // some object has a repeated key
}

var errSlow = errors.New("slow: invalid")

// slowRead decodes src; of a repeated key the last value counts.
func slowRead(src []byte) (tree, *slowReader, error) {
	r := &slowReader{rest: string(src)}
	if !utf8.Valid(src) {
		return tree{}, r, errSlow
	}
	v, err := r.value(0)
	r.space()
	if err == nil && r.rest != "" {
		err = errSlow
	}
	return v, r, err
}

func (r *slowReader) space() { r.rest = strings.TrimLeft(r.rest, " \t\r\n") }

func (r *slowReader) eat(s string) bool {
	r.space()
	rest, ok := strings.CutPrefix(r.rest, s)
	r.rest = rest
	return ok
}

func (r *slowReader) value(depth int) (tree, error) {
	r.space()
	switch {
	case depth > 32 || r.rest == "":
		return tree{}, errSlow
	case r.eat("null"):
		return tree{kind: 'n'}, nil
	case r.eat("true"):
		return tree{kind: 't'}, nil
	case r.eat("false"):
		return tree{kind: 'f'}, nil
	case r.rest[0] == '"':
		text, err := r.string()
		return tree{kind: '"', text: text}, err
	case r.eat("["):
		return r.array(depth)
	case r.eat("{"):
		return r.object(depth)
	}
	return r.numeral()
}

func (r *slowReader) array(depth int) (tree, error) {
	v := tree{kind: '['}
	if r.eat("]") {
		return v, nil
	}
	for {
		element, err := r.value(depth + 1)
		if err != nil {
			return v, err
		}
		v.values = append(v.values, element)
		if r.eat("]") {
			return v, nil
		}
		if !r.eat(",") {
			return v, errSlow
		}
	}
}

func (r *slowReader) object(depth int) (tree, error) {
	v := tree{kind: '{'}
	if r.eat("}") {
		return v, nil
	}
	for {
		r.space()
		key, err := r.string()
		if err != nil || !r.eat(":") {
			return v, errSlow
		}
		value, err := r.value(depth + 1)
		if err != nil {
			return v, err
		}
		at := slices.IndexFunc(v.members, func(m treeMember) bool { return slices.Equal(m.key, key) })
		if at < 0 {
			v.members = append(v.members, treeMember{key, value})
		} else {
			v.members[at].value = value
			r.repeated = true
		}
		if r.eat("}") {
			return v, nil
		}
		if !r.eat(",") {
			return v, errSlow
		}
	}
}

func (r *slowReader) string() (text []uint16, err error) {
	if r.rest == "" || r.rest[0] != '"' {
		return nil, errSlow
	}
	for at := 1; at < len(r.rest); {
		c, n := utf8.DecodeRuneInString(r.rest[at:])
		at += n
		switch {
		case c == '"':
			r.rest = r.rest[at:]
			return text, nil
		case c < ' ':
			return nil, errSlow
		case c != '\\':
			text = utf16.AppendRune(text, c)
		case at >= len(r.rest):
			return nil, errSlow
		case r.rest[at] == 'u':
			if at+5 > len(r.rest) {
				return nil, errSlow
			}
			unit, err := strconv.ParseUint(r.rest[at+1:at+5], 16, 16)
			if err != nil {
				return nil, errSlow
			}
			text = append(text, uint16(unit))
			at += 5
		default:
			which := strings.IndexByte(`"\/bfnrt`, r.rest[at])
			if which < 0 {
				return nil, errSlow
			}
			text = append(text, uint16("\"\\/\b\f\n\r\t"[which]))
			at++
		}
	}
	return nil, errSlow
}

func (r *slowReader) numeral() (tree, error) {
	end := 0
	for end < len(r.rest) && strings.IndexByte("+-.0123456789eE", r.rest[end]) >= 0 {
		end++
	}
	lit := r.rest[:end]
	r.rest = r.rest[end:]
	digits, fraction := strings.TrimPrefix(lit, "-"), ""
	digits, exponent, hasExponent := strings.Cut(strings.ToLower(digits), "e")
	digits, fraction, hasFraction := strings.Cut(digits, ".")
	if exponent != "" && (exponent[0] == '+' || exponent[0] == '-') {
		exponent = exponent[1:]
	}
	isDigits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	if !isDigits(digits) || len(digits) > 1 && digits[0] == '0' ||
		hasFraction && !isDigits(fraction) || hasExponent && !isDigits(exponent) {
		return tree{}, errSlow
	}
	f, _ := strconv.ParseFloat(lit, 64)
	if math.IsInf(f, 0) {
		return tree{}, errSlow
	}
	return tree{kind: '0', number: f}, nil
}

// slowNumber is Number::toString by way of Go's other two formats.
func slowNumber(f float64) string {
	a := math.Abs(f)
	switch {
	case a == 0:
		return "0"
	case a >= 1e-6 && a < 1e21:
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	s := strconv.FormatFloat(f, 'e', -1, 64)
	s = strings.Replace(s, "e-0", "e-", 1)
	return strings.Replace(s, "e+0", "e+", 1)
}

// slowWrite writes the tree, in written or in plain order.
func slowWrite(v tree, order Orders) string {
	switch v.kind {
	case 'n':
		return "null"
	case 't':
		return "true"
	case 'f':
		return "false"
	case '0':
		return slowNumber(v.number)
	case '"':
		return slowString(v.text)
	case '[':
		var parts []string
		for _, e := range v.values {
			parts = append(parts, slowWrite(e, order))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	members := slices.Clone(v.members)
	slices.SortFunc(members, func(a, b treeMember) int { return slices.Compare(a.key, b.key) })
	if order == Written {
		var indexes, others []treeMember
		for _, m := range members {
			if _, ok := slowIndex(m.key); ok {
				indexes = append(indexes, m)
			} else {
				others = append(others, m)
			}
		}
		slices.SortFunc(indexes, func(a, b treeMember) int {
			i, _ := slowIndex(a.key)
			j, _ := slowIndex(b.key)
			return int(i - j)
		})
		members = append(indexes, others...)
	}
	var parts []string
	for _, m := range members {
		parts = append(parts, slowString(m.key)+":"+slowWrite(m.value, order))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func slowIndex(key []uint16) (int64, bool) {
	text := string(utf16.Decode(key))
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && n >= 0 && n <= 4294967294 && strconv.FormatInt(n, 10) == text
}

func slowString(text []uint16) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(text); i++ {
		u := rune(text[i])
		switch {
		case u == '"' || u == '\\':
			fmt.Fprintf(&b, `\%c`, u)
		case strings.ContainsRune("\b\f\n\r\t", u):
			b.WriteString(strings.Trim(strconv.QuoteRune(u), "'"))
		case u < ' ':
			fmt.Fprintf(&b, `\u%04x`, u)
		case !utf16.IsSurrogate(u):
			b.WriteRune(u)
		case i+1 < len(text) && utf16.DecodeRune(u, rune(text[i+1])) != utf8.RuneError:
			b.WriteRune(utf16.DecodeRune(u, rune(text[i+1])))
			i++
		default:
			fmt.Fprintf(&b, `\u%04x`, u)
		}
	}
	b.WriteByte('"')
	return b.String()
}

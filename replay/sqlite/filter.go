package sqlite

import (
	"math"
	"strconv"
	"strings"

	"github.com/gitledger/gitledger/internal/canonical"
)

// conditions is a WHERE clause in the making. SQL text is put together of
// constants only; everything from outside is an argument.
type conditions struct {
	terms []string
	args  []any
}

func (c *conditions) add(term string, args ...any) {
	c.terms = append(c.terms, term)
	c.args = append(c.args, args...)
}

func (c *conditions) sql() string {
	if len(c.terms) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(c.terms, " AND ")
}

// addTo adds the filter's condition, and reports whether the filter is valid.
func (f *Filter) addTo(c *conditions) bool {
	path, ok := jsonPath(f.Path)
	if !ok {
		return false
	}
	value, ok := operand(f.Value)
	if !ok {
		return false
	}
	switch f.Op {
	case "eq":
		return c.equal(path, [][]byte{value})
	case "in":
		var choices [][]byte
		for v := range canonical.Elements(value) {
			choices = append(choices, v)
		}
		return canonical.IsArray(value) && len(choices) <= MaxChoices && c.equal(path, choices)
	case "exists":
		return c.exists(path, string(value))
	case "prefix":
		return c.prefix(path, value)
	case "gt":
		return c.compare(path, ">", value)
	case "gte":
		return c.compare(path, ">=", value)
	case "lt":
		return c.compare(path, "<", value)
	case "lte":
		return c.compare(path, "<=", value)
	}
	return false
}

// operand returns a filter's value as canonical JSON; nil when there is none.
func operand(raw []byte) ([]byte, bool) {
	if len(raw) == 0 {
		return nil, true
	}
	if len(raw) > maxOperandBytes {
		return nil, false
	}
	value, err := canonical.Append(nil, raw, canonical.Refuse)
	return value, err == nil
}

// jsonPath turns member names that are separated by dots into a path of
// SQLite. A name has letters, digits, underscores and hyphens only, so nothing
// in it means anything to SQLite.
func jsonPath(dotted string) (string, bool) {
	parts := strings.Split(dotted, ".")
	if len(dotted) > maxPathBytes || len(parts) > maxPathParts {
		return "", false
	}
	var b strings.Builder
	b.WriteByte('$')
	for _, part := range parts {
		if part == "" || strings.ContainsFunc(part, isNotNamePart) {
			return "", false
		}
		b.WriteString(`."` + part + `"`)
	}
	return b.String(), true
}

func isNotNamePart(r rune) bool {
	return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}

// The condition that a member is of a JSON type, and its value.
const (
	isType  = "json_type(payload, ?) = ?"
	isNum   = "json_type(payload, ?) IN ('integer', 'real')"
	extract = "json_extract(payload, ?)"
)

func (c *conditions) equal(path string, choices [][]byte) bool {
	var any conditions
	for _, v := range choices {
		scalar, kind := scalarOf(v)
		switch kind {
		case "":
			return false
		case "text":
			any.add("("+isType+" AND "+extract+" = ?)", path, kind, path, scalar)
		case "number":
			any.add("("+isNum+" AND "+extract+" = ?)", path, path, scalar)
		default: // true, false and null are types of their own
			any.add(isType, path, kind)
		}
	}
	if len(choices) == 0 {
		any.add("0")
	}
	c.add("("+strings.Join(any.terms, " OR ")+")", any.args...)
	return len(c.args) <= maxParameters-3
}

// scalarOf returns a scalar's value and kind: text, number, true, false or null.
func scalarOf(v []byte) (value any, kind string) {
	switch {
	case len(v) == 0 || canonical.IsObject(v) || canonical.IsArray(v):
		return nil, ""
	case canonical.IsString(v):
		s, _ := canonical.Text(v)
		return s, "text"
	case string(v) == "true" || string(v) == "false" || string(v) == "null":
		return nil, string(v)
	}
	if n, ok := canonical.Integer(v); ok {
		return n, "number"
	}
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || math.IsInf(f, 0) {
		return nil, ""
	}
	return f, "number"
}

func (c *conditions) exists(path, value string) bool {
	switch value {
	case "", "true":
		c.add("json_type(payload, ?) IS NOT NULL", path)
	case "false":
		c.add("json_type(payload, ?) IS NULL", path)
	default:
		return false
	}
	return true
}

func (c *conditions) prefix(path string, v []byte) bool {
	s, ok := canonical.Text(v)
	if ok {
		// Of a string and its prefix, the prefix is the lower bound, and the
		// prefix with the highest byte after it lies above.
		c.add("("+isType+" AND "+extract+" >= ? AND "+extract+" < ?)", path, "text", path, s, path, s+"\xff")
	}
	return ok
}

func (c *conditions) compare(path, operator string, v []byte) bool {
	scalar, kind := scalarOf(v)
	switch kind {
	case "text":
		c.add("("+isType+" AND "+extract+" "+operator+" ?)", path, kind, path, scalar)
	case "number":
		c.add("("+isNum+" AND "+extract+" "+operator+" ?)", path, path, scalar)
	default:
		return false
	}
	return true
}

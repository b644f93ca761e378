package ledger

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/gitledger/gitledger/internal/canonical"
)

// A tree is a configuration value as YAML, JSON or Go code stated it, with its
// place. Everything after the readers works on trees, so that each rule is
// applied once, whatever the input was.
type tree struct {
	kind    kind
	text    string // a string, or a number's JSON literal
	truth   bool
	items   []*tree
	members []member // in the order of the input
	partial bool     // a member could not be read, which is reported
	at      spot
}

type member struct {
	name  string
	at    spot // of the name
	value *tree
}

// spot is where something stands in the input; zero when the input has no lines.
type spot struct{ line, column int }

type kind uint8

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindString
	kindList
	kindObject
)

// Bounds on a configuration tree, whatever it is read from. An alias counts
// once for each place where it is used.
const (
	maxTreeNodes = 100_000
	maxTreeDepth = 48 // tools, ledger, a name and schema above the 32 levels of a schema, with room
)

const expressionMark = "${{"

// add adds a member, of which the value is nil when it could not be read.
func (t *tree) add(m member) {
	if m.value == nil {
		t.partial = true
		return
	}
	t.members = append(t.members, m)
}

// get returns the value of a member, or nil.
func (t *tree) get(name string) *tree {
	if t == nil || t.kind != kindObject {
		return nil
	}
	for _, m := range t.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// integer returns a number that is an integer, however it is spelled: 16,
// 16.0 and 1.6e1 are the same number.
func (t *tree) integer() (int64, bool) {
	if t.kind != kindNumber {
		return 0, false
	}
	text, err := canonical.Append(nil, []byte(t.text), canonical.Refuse)
	if err != nil {
		return 0, false
	}
	return canonical.Integer(text)
}

// json writes the value as JSON text, members in the order of the input.
func (t *tree) json(b *strings.Builder) {
	switch t.kind {
	case kindNull:
		b.WriteString("null")
	case kindBool:
		b.WriteString(strconv.FormatBool(t.truth))
	case kindNumber:
		b.WriteString(t.text)
	case kindString:
		b.Write(quoteJSON(t.text))
	case kindList:
		b.WriteByte('[')
		for i, item := range t.items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.json(b)
		}
		b.WriteByte(']')
	case kindObject:
		b.WriteByte('{')
		for i, m := range t.members {
			if i > 0 {
				b.WriteByte(',')
			}
			b.Write(quoteJSON(m.name))
			b.WriteByte(':')
			m.value.json(b)
		}
		b.WriteByte('}')
	}
}

func quoteJSON(s string) []byte { return canonical.AppendQuoted(nil, s) }

// validNumber reports whether s is a JSON number literal and nothing else.
func validNumber(s string) bool {
	return s != "" && (s[0] == '-' || isDigit(s[0])) && isDigit(s[len(s)-1]) && json.Valid([]byte(s))
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

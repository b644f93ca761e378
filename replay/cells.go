package replay

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/gitledger/gitledger/internal/canonical"
)

// cells is a state by key. Keys are canonical string text, with escapes and
// without quotes. What changes after begin can be taken back.
type cells[V any] struct {
	rows    map[string]cell[V] // by decoded key
	journal []change[V]
	keep    bool // changes go to the journal
	literal bool // keys are their own text: nothing was decoded
	uneven  bool // some key, now or before, was uneven

	stored map[string]storedRow // what fetch found, by decoded key
}

type cell[V any] struct {
	key   []byte
	value V
}

// change is what a row was before.
type change[V any] struct {
	text    string
	before  cell[V]
	existed bool
}

func newCells[V any]() *cells[V] { return &cells[V]{rows: map[string]cell[V]{}} }

// get returns the row of a key. Keys that differ only in lone surrogates are
// different, but decode to the same text, which a database column could not
// tell apart; the second of them is refused.
func (c *cells[V]) get(text string, key []byte) (value V, ok bool, err error) {
	row, ok := c.rows[text]
	if ok && !bytes.Equal(row.key, key) {
		return value, false, KeyConflict
	}
	return row.value, ok, nil
}

func (c *cells[V]) put(text string, key []byte, value V) {
	c.note(text)
	c.uneven = c.uneven || isUneven(text)
	c.rows[text] = cell[V]{key, value}
}

// remove deletes a row; one that does not exist is no matter.
func (c *cells[V]) remove(text string, key []byte) {
	if row, ok := c.rows[text]; ok && bytes.Equal(row.key, key) {
		c.note(text)
		delete(c.rows, text)
	}
}

func (c *cells[V]) note(text string) {
	if c.keep {
		before, existed := c.rows[text]
		c.journal = append(c.journal, change[V]{text, before, existed})
	}
}

func (c *cells[V]) begin() { c.keep = true }

func (c *cells[V]) end(accept bool) {
	if !accept {
		for _, ch := range slices.Backward(c.journal) {
			if ch.existed {
				c.rows[ch.text] = ch.before
			} else {
				delete(c.rows, ch.text)
			}
		}
	}
	c.journal, c.keep = nil, false
}

// sorted returns the decoded keys in the order of their UTF-16 code units.
func (c *cells[V]) sorted() []string {
	texts := slices.AppendSeq(make([]string, 0, len(c.rows)), maps.Keys(c.rows))
	if !c.uneven {
		slices.Sort(texts)
		return texts
	}
	slices.SortFunc(texts, canonical.CompareUTF16)
	if !c.literal {
		// Decoding may have lost lone surrogates, which sort by what they were.
		slices.SortFunc(texts, func(a, b string) int { return canonical.CompareText(c.rows[a].key, c.rows[b].key) })
	}
	return texts
}

// isUneven reports whether a key has a character from U+E000 to U+FFFF. Without
// one, UTF-8 bytes are in the order of UTF-16 code units; and U+FFFD may be
// what a lone surrogate was decoded to.
func isUneven(text string) bool {
	return strings.IndexByte(text, 0xee) >= 0 || strings.IndexByte(text, 0xef) >= 0
}

// keyText returns the text of a canonical string without its quotes, and that
// text decoded.
func keyText(v []byte) (key []byte, text string) {
	key = v[1 : len(v)-1]
	return key, canonical.Unescape(key)
}

package replay

import (
	"context"
	"errors"
	"fmt"

	"github.com/gitledger/gitledger/ledger"
)

// Stored is the state of a ledger that is kept elsewhere, such as in the
// tables of a database, as [Resume] asks for it.
type Stored interface {
	// Row returns the value of a row of state: a string, or for a counter an
	// int64. The second result tells whether there is such a row.
	Row(key string) (value any, ok bool, err error)
	// HasNote reports whether there is a note with the ID.
	HasNote(id string) (bool, error)
}

// Delta is how tables change by further operations.
type Delta struct {
	// Tables has the rows that are new, and those of state that have another
	// value; each table's are in its order. The number of state's rows may be
	// less than Len.
	Tables []Table
	// Removed has the keys of the rows of state that are gone.
	Removed []string
}

// ErrNotResumable: the stored state does not say enough to go on from it.
// Replay the whole history instead.
var ErrNotResumable = errors.New("replay: state cannot be resumed")

// Resume replays a history from the given record on, where stored is the state
// of the records before. It reads only the rows that the operations are about,
// so that its cost does not grow with the history. The errors are those of
// [Replay] and of stored, and [ErrNotResumable].
func Resume(ctx context.Context, h *ledger.History, cfg ledger.Config, from int, stored Stored) (Delta, error) {
	if err := h.Err(); err != nil {
		return Delta{}, fmt.Errorf("replay: ledger %s: %w", cfg.Name, err)
	}
	s, err := NewState(cfg)
	if err != nil {
		return Delta{}, err
	}
	s.stored = stored
	if l, ok := s.reducer.(*logReducer); ok {
		l.first = from // each record of a log is one row
	}
	if err := s.replay(ctx, h, from); err != nil || s.reducer == nil {
		return Delta{}, err
	}
	if !s.reducer.resumable() {
		return Delta{}, ErrNotResumable
	}
	return s.reducer.delta(), nil
}

// Resumable reports whether [Resume] can go on from this state, when its
// tables are what is stored. It cannot when a key has, or had, a character from
// U+E000 to U+FFFF: the text of such keys tells neither their order nor whether
// they had lone surrogates.
func (s *State) Resumable() bool { return s.reducer == nil || s.reducer.resumable() }

// storedRow is a row of the stored state, or that there is none.
type storedRow struct {
	value any
	ok    bool
}

// fetch takes the row of a key from a stored state. decode reads its value.
func (c *cells[V]) fetch(text string, key []byte, from Stored, decode func(any) (V, bool)) error {
	if _, done := c.stored[text]; done {
		return nil
	}
	value, ok, err := from.Row(text)
	if err != nil {
		return err
	}
	if c.stored == nil {
		c.stored = map[string]storedRow{}
	}
	c.stored[text] = storedRow{value, ok}
	if !ok {
		return nil
	}
	v, ok := decode(value)
	if !ok {
		return ErrNotResumable
	}
	c.rows[text] = cell[V]{key, v}
	return nil
}

// canonicalValue reads a stored value that is canonical text.
func canonicalValue(v any) ([]byte, bool) {
	text, ok := v.(string)
	return []byte(text), ok
}

func (c *cells[V]) resumable() bool { return !c.uneven }

// delta keeps the rows of the state table that are not as they were.
func (c *cells[V]) delta(tables []Table) Delta {
	var d Delta
	for text, was := range c.stored {
		if _, is := c.rows[text]; was.ok && !is {
			d.Removed = append(d.Removed, text)
		}
	}
	state := tables[0]
	all := state.Rows
	state.Rows = func(yield func([]any) bool) {
		for row := range all {
			if text, _ := row[0].(string); c.stored[text] != (storedRow{row[1], true}) && !yield(row) {
				return
			}
		}
	}
	d.Tables = []Table{state}
	return d
}

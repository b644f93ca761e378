package replay

import "github.com/gitledger/gitledger/ledger"

// mapReducer keeps the latest value of each key (S4.3-04).
type mapReducer struct{ *cells[[]byte] }

func (r *mapReducer) apply(_ *Operation, f *fields) error {
	key, text := keyText(f.key)
	if f.operation == "delete" {
		r.remove(text, key)
		return nil
	}
	if _, _, err := r.get(text, key); err != nil {
		return err
	}
	r.put(text, key, f.value)
	return nil
}

func (r *mapReducer) fetch(f *fields, from Stored) error {
	key, text := keyText(f.key)
	return r.cells.fetch(text, key, from, canonicalValue)
}

func (r *mapReducer) delta() Delta { return r.cells.delta(r.tables()) }

func (r *mapReducer) tables() []Table { return []Table{byKey(ledger.Map, r.cells)} }

// byKey is the state table of a type that keeps canonical values by key.
func byKey(t ledger.Type, c *cells[[]byte]) Table {
	return stateTable(t, len(c.rows), func(yield func([]any) bool) {
		row := make([]any, 2)
		for _, text := range c.sorted() {
			row[0], row[1] = text, string(c.rows[text].value)
			if !yield(row) {
				return
			}
		}
	})
}

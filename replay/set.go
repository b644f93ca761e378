package replay

import "github.com/gitledger/gitledger/ledger"

// setReducer keeps members by their canonical text (S4.3-03, S4.3-14).
type setReducer struct{ *cells[struct{}] }

func newSetReducer() *setReducer {
	c := newCells[struct{}]()
	c.literal = true
	return &setReducer{c}
}

func (r *setReducer) apply(_ *Operation, f *fields) error {
	text := string(f.value)
	if f.operation == "remove" {
		r.remove(text, f.value)
		return nil
	}
	if _, exists, _ := r.get(text, f.value); !exists {
		r.put(text, f.value, struct{}{})
	}
	return nil
}

func (r *setReducer) tables() []Table {
	return []Table{stateTable(ledger.Set, len(r.rows), func(yield func([]any) bool) {
		row := make([]any, 2)
		for _, text := range r.sorted() {
			row[0] = text
			row[1] = row[0]
			if !yield(row) {
				return
			}
		}
	})}
}

func (r *setReducer) fetch(f *fields, from Stored) error {
	return r.cells.fetch(string(f.value), f.value, from, func(any) (struct{}, bool) { return struct{}{}, true })
}

func (r *setReducer) delta() Delta { return r.cells.delta(r.tables()) }

package replay

import (
	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/ledger"
)

// counterReducer keeps sums by name (S4.3-06, S4.3-15). A name starts at zero,
// and stays once it was used.
type counterReducer struct{ *cells[int64] }

func (r *counterReducer) apply(_ *Operation, f *fields) error {
	key, text := keyText(f.name)
	sum, _, err := r.get(text, key)
	if err != nil {
		return err
	}
	amount, _ := canonical.Integer(f.amount)
	if f.operation == "decrement" {
		amount = -amount
	}
	if sum += amount; sum > ledger.MaxAmount || sum < -ledger.MaxAmount {
		return CounterRange
	}
	r.put(text, key, sum)
	return nil
}

func (r *counterReducer) fetch(f *fields, from Stored) error {
	key, text := keyText(f.name)
	return r.cells.fetch(text, key, from, func(v any) (int64, bool) { sum, ok := v.(int64); return sum, ok })
}

func (r *counterReducer) delta() Delta { return r.cells.delta(r.tables()) }

func (r *counterReducer) tables() []Table {
	return []Table{stateTable(ledger.Counter, len(r.rows), func(yield func([]any) bool) {
		row := make([]any, 2)
		for _, text := range r.sorted() {
			row[0], row[1] = text, r.rows[text].value
			if !yield(row) {
				return
			}
		}
	})}
}

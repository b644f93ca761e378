package replay

import "github.com/gitledger/gitledger/ledger"

// logReducer keeps values in replay order (S4.3-02).
type logReducer struct {
	values pile[[]byte]
	first  int // position of the first value
	mark   int
}

func (r *logReducer) apply(_ *Operation, f *fields) error {
	r.values.add(f.value)
	return nil
}

func (r *logReducer) begin() { r.mark = r.values.n }

func (r *logReducer) end(accept bool) {
	if !accept {
		r.values.cut(r.mark)
	}
}

func (r *logReducer) tables() []Table {
	return []Table{stateTable(ledger.Log, r.values.n, func(yield func([]any) bool) {
		row := make([]any, 2)
		position := int64(r.first)
		for v := range r.values.from(0) {
			row[0], row[1] = position, string(*v)
			if !yield(row) {
				return
			}
			position++
		}
	})}
}

// fetch has nothing to do: no operation depends on another.
func (r *logReducer) fetch(*fields, Stored) error { return nil }

func (r *logReducer) delta() Delta    { return Delta{Tables: r.tables()} }
func (r *logReducer) resumable() bool { return true }

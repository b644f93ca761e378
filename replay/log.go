package replay

import "github.com/gitledger/gitledger/ledger"

// logReducer keeps values in replay order (S4.3-02).
type logReducer struct {
	values [][]byte
	first  int // position of the first value
	mark   int
}

func (r *logReducer) apply(_ *Operation, f *fields) error {
	r.values = append(r.values, f.value)
	return nil
}

func (r *logReducer) begin() { r.mark = len(r.values) }

func (r *logReducer) end(accept bool) {
	if !accept {
		r.values = r.values[:r.mark]
	}
}

func (r *logReducer) tables() []Table {
	return []Table{stateTable(ledger.Log, len(r.values), func(yield func([]any) bool) {
		row := make([]any, 2)
		for i, v := range r.values {
			row[0], row[1] = int64(r.first+i), string(v)
			if !yield(row) {
				return
			}
		}
	})}
}

// fetch has nothing to do: no operation depends on another.
func (r *logReducer) fetch(*fields, Stored) error { return nil }

func (r *logReducer) delta() Delta    { return Delta{Tables: r.tables()} }
func (r *logReducer) resumable() bool { return true }

package replay

import "github.com/gitledger/gitledger/ledger"

// reducer holds one type's state. Operations reach it checked.
type reducer interface {
	// apply changes the state, or returns the rule that the operation breaks
	// and changes nothing.
	apply(op *Operation, f *fields) error
	// begin starts a batch, which end accepts or takes back.
	begin()
	end(accept bool)
	tables() []Table

	// fetch takes from a stored state what the operation meets there, once.
	fetch(f *fields, from Stored) error
	// delta is how the tables differ from what the stored state has.
	delta() Delta
	// resumable reports whether [Resume] can go on from the state.
	resumable() bool
}

// newReducer returns nil for a raw ledger, which has no derived state.
func newReducer(cfg *ledger.Config) reducer {
	switch cfg.Type {
	case ledger.Log:
		return &logReducer{}
	case ledger.Set:
		return newSetReducer()
	case ledger.Map:
		return &mapReducer{cells: newCells[[]byte]()}
	case ledger.Table:
		return &tableReducer{cells: newCells[[]byte](), primary: cfg.Key, schema: cfg.Schema}
	case ledger.Counter:
		return &counterReducer{cells: newCells[int64]()}
	case ledger.Notes:
		return newNotesReducer()
	}
	return nil
}

// needsOthersFirst reports whether an operation may refer to a record that
// comes later in replay order: a vote may precede its note.
func needsOthersFirst(f *fields) bool { return f.operation == "vote" }

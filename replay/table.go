package replay

import (
	"iter"

	"github.com/gitledger/gitledger/ledger"
)

// Table is one table of a projection with its rows, or a view without.
type Table struct {
	ledger.TableSpec
	Len int // rows; 0 for a view
	// Rows yields the rows in their order, each with a string, an int64 or nil
	// a column. A row is valid until the next one. It is nil for a view.
	Rows iter.Seq[[]any]
}

// stateTable is the only table of the types that have one.
func stateTable(t ledger.Type, n int, rows iter.Seq[[]any]) Table {
	return Table{TableSpec: ledger.Tables(t)[0], Len: n, Rows: rows}
}

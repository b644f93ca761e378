package replay

import (
	"iter"

	"github.com/gitledger/gitledger/ledger"
)

// Kind is a column's type: text or integer.
type Kind string

const (
	Text    Kind = "text"
	Integer Kind = "integer"
)

// Column is one column of a table or view.
type Column struct {
	Name string
	Kind Kind
}

// Table is one table of a projection, or its view.
type Table struct {
	Name    string
	Columns []Column
	Key     []string // primary key; nil for a view
	Len     int      // rows; 0 for a view
	// Rows yields the rows in their order, each with a string, an int64 or nil
	// a column. A row is valid until the next one. It is nil for a view.
	Rows iter.Seq[[]any]
}

// Layout returns the derived tables of a ledger type, without rows, and for
// notes the view note_state (S4.3-02 to S4.3-07). A raw ledger has none.
func Layout(t ledger.Type) []Table {
	if t == ledger.Notes {
		return notesLayout()
	}
	columns := map[ledger.Type][]Column{
		ledger.Log:     {{"position", Integer}, {"value", Text}},
		ledger.Set:     {{"identity", Text}, {"value", Text}},
		ledger.Map:     {{"key", Text}, {"value", Text}},
		ledger.Table:   {{"key", Text}, {"value", Text}},
		ledger.Counter: {{"name", Text}, {"value", Integer}},
	}[t]
	if columns == nil {
		return nil
	}
	return []Table{{Name: "state", Columns: columns, Key: []string{columns[0].Name}}}
}

func notesLayout() []Table {
	return []Table{
		{Name: "notes", Key: []string{"id"}, Columns: []Column{
			{"id", Text}, {"subject", Text}, {"note", Text}, {"reason", Text}, {"created_at", Text}, {"record_sha", Text}}},
		{Name: "note_citations", Key: []string{"note_id", "ordinal"}, Columns: []Column{
			{"note_id", Text}, {"ordinal", Integer}, {"citation_type", Text}, {"path", Text}, {"start_line", Integer}, {"end_line", Integer}}},
		{Name: "note_votes", Key: []string{"record_id"}, Columns: []Column{
			{"record_id", Text}, {"note_id", Text}, {"vote", Text}, {"reason", Text}, {"created_at", Text}}},
		{Name: "note_state", Columns: []Column{
			{"note_id", Text}, {"upvotes", Integer}, {"downvotes", Integer}, {"net_votes", Integer}, {"last_vote_at", Text}, {"last_positive_vote_at", Text}}},
	}
}

// stateTable is the only table of the types that have one.
func stateTable(t ledger.Type, n int, rows iter.Seq[[]any]) Table {
	table := Layout(t)[0]
	table.Len, table.Rows = n, rows
	return table
}

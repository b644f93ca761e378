package sqlite

import (
	"slices"
	"strings"

	"github.com/gitledger/gitledger/ledger"
)

// object is a table, index or view of the database.
type object struct {
	kind string // as in sqlite_schema
	name string
	sql  string
}

func index(name, on string) object {
	return object{"index", name, "CREATE INDEX " + name + " ON " + on}
}

// table returns the table of a specification.
func table(t ledger.TableSpec) object {
	var parts []string
	for _, c := range t.Columns {
		part := c.Name + " " + strings.ToUpper(string(c.Type))
		if !nullable(t.Name, c.Name) {
			part += " NOT NULL"
		}
		parts = append(parts, part)
	}
	if t.Key != nil {
		parts = append(parts, "PRIMARY KEY ("+strings.Join(t.Key, ", ")+")")
	}
	text := "CREATE TABLE " + t.Name + " (" + strings.Join(parts, ", ") + ")"
	if isByID(t.Name) {
		text += " WITHOUT ROWID"
	}
	return object{"table", t.Name, text}
}

// isByID reports whether a table is stored by a key that starts with a record's
// ID. IDs are ASCII, so that SQLite's order of them is the one that is wanted.
func isByID(table string) bool {
	return table == "notes" || table == "note_citations" || table == "note_votes"
}

// rowGap is how far apart the rowids of neighbours are in a new table that
// isSpaced.
const rowGap = 1 << 32

// isSpaced reports whether a table's rows are in the order of the UTF-16 code
// units of their keys, which SQLite does not know. Its rowids are in that
// order, and have gaps for keys to come.
func isSpaced(t ledger.TableSpec) bool {
	return t.Name == "state" && t.Columns[0].Type == ledger.TextColumn
}

// nullable reports whether a column may have no value.
func nullable(table, column string) bool {
	switch table {
	case "diagnostics":
		return column != "ordinal" && column != "code"
	case "note_citations":
		return column == "start_line" || column == "end_line"
	case "note_votes":
		return column == "reason"
	}
	return false
}

// sourceTable is this package's own: what the database was built from.
const sourceTable = "projection_source"

func sourceSpec() ledger.TableSpec {
	return ledger.TableSpec{Name: sourceTable, Columns: []ledger.Column{
		{Name: "head", Type: ledger.TextColumn}, {Name: "config_sha256", Type: ledger.TextColumn},
		{Name: "record_count", Type: ledger.IntegerColumn}, {Name: "order_sha256", Type: ledger.TextColumn},
		{Name: "resumable", Type: ledger.IntegerColumn},
	}}
}

// specs are the tables and views of a projection of the type.
func specs(t ledger.Type) []ledger.TableSpec {
	return slices.Concat(ledger.GenericTables(), []ledger.TableSpec{sourceSpec()}, ledger.Tables(t))
}

// tables are the objects that rows go into.
func tables(t ledger.Type) []object {
	var out []object
	for _, spec := range specs(t) {
		if !spec.View {
			out = append(out, table(spec))
		}
	}
	return out
}

// afterRows are the indexes and views, which are made when the rows are there.
func afterRows(t ledger.Type) []object {
	out := []object{
		{"index", "records_sha", "CREATE UNIQUE INDEX records_sha ON records (sha)"},
		index("records_id", "records (id)"),
		index("records_type_timestamp", "records (type, timestamp)"),
		index("records_shard_offset", "records (shard, offset)"),
		index("parents_parent_sha", "parents (parent_sha)"),
		index("diagnostics_code", "diagnostics (code)"),
	}
	if t == ledger.Notes {
		// The view reads this index only, never the votes themselves.
		out = append(out,
			index("note_votes_note_id", "note_votes (note_id, vote, created_at)"),
			object{"view", "note_state", noteStateSQL})
	}
	return out
}

// noteStateSQL counts the votes of each note (S4.3-18). Timestamps compare as
// text. Each column is a search in the index of its own, so that a query which
// ranks by net_votes pays for the columns that it names only.
const noteStateSQL = `CREATE VIEW note_state AS
SELECT id AS note_id, upvotes, downvotes, upvotes - downvotes AS net_votes,
	(SELECT max(v.created_at) FROM note_votes AS v WHERE v.note_id = id) AS last_vote_at,
	(SELECT max(v.created_at) FROM note_votes AS v WHERE v.note_id = id AND v.vote = 'up') AS last_positive_vote_at
FROM (
	SELECT id,
		(SELECT count(*) FROM note_votes AS v WHERE v.note_id = id AND v.vote = 'up') AS upvotes,
		(SELECT count(*) FROM note_votes AS v WHERE v.note_id = id AND v.vote = 'down') AS downvotes
	FROM notes
)`

// objects are all objects of a projection of the type.
func objects(t ledger.Type) []object {
	return append(tables(t), afterRows(t)...)
}

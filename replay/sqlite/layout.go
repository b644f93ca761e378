package sqlite

import (
	"strings"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay"
)

// object is a table, index or view of the database.
type object struct {
	kind string // as in sqlite_schema
	name string
	sql  string
}

func table(name, columns string) object {
	return object{"table", name, "CREATE TABLE " + name + " (" + columns + ")"}
}

func index(name, on string) object {
	return object{"index", name, "CREATE INDEX " + name + " ON " + on}
}

// Names of the tables of every projection.
const (
	recordsTable     = "records"
	parentsTable     = "parents"
	shardsTable      = "shards"
	diagnosticsTable = "diagnostics"
	metadataTable    = "replay_metadata"
	sourceTable      = "projection_source"
)

// commonTables are in every projection, whatever the ledger's type.
func commonTables() []object {
	return []object{
		table(recordsTable, "ordinal INTEGER PRIMARY KEY, id TEXT NOT NULL, sha TEXT NOT NULL, type TEXT NOT NULL, "+
			"timestamp TEXT NOT NULL, payload TEXT NOT NULL, shard TEXT NOT NULL, offset INTEGER NOT NULL"),
		table(parentsTable, "child_sha TEXT NOT NULL, parent_sha TEXT NOT NULL"),
		table(shardsTable, "file TEXT NOT NULL PRIMARY KEY, size INTEGER NOT NULL"),
		table(diagnosticsTable, "ordinal INTEGER PRIMARY KEY, code TEXT NOT NULL, file TEXT, line INTEGER, id TEXT, detail TEXT"),
		table(metadataTable, "ledger_name TEXT NOT NULL, projection_version INTEGER NOT NULL, record_count INTEGER NOT NULL, "+
			"script_sha256 TEXT NOT NULL, output_version INTEGER NOT NULL, table_name TEXT NOT NULL, columns_json TEXT NOT NULL"),
		table(sourceTable, "head TEXT NOT NULL, config_sha256 TEXT NOT NULL, record_count INTEGER NOT NULL, order_sha256 TEXT NOT NULL"),
	}
}

// typeTables are the tables of a type's derived state.
func typeTables(t ledger.Type) []object {
	var out []object
	for _, layout := range replay.Layout(t) {
		if layout.Key != nil {
			out = append(out, table(layout.Name, columnsSQL(layout)))
		}
	}
	return out
}

func columnsSQL(t replay.Table) string {
	var b strings.Builder
	for _, c := range t.Columns {
		b.WriteString(c.Name + " " + strings.ToUpper(string(c.Kind)))
		if !nullable(t.Name, c.Name) {
			b.WriteString(" NOT NULL")
		}
		b.WriteString(", ")
	}
	b.WriteString("PRIMARY KEY (" + strings.Join(t.Key, ", ") + ")")
	return b.String()
}

func nullable(table, column string) bool {
	return table == "note_citations" && strings.HasSuffix(column, "_line") || table == "note_votes" && column == "reason"
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
	return append(append(commonTables(), typeTables(t)...), afterRows(t)...)
}

package ledger

// ColumnType is the declared type of a projection's column.
type ColumnType string

const (
	Text    ColumnType = "text"
	Integer ColumnType = "integer"
)

// Column is one column of a projection's table.
type Column struct {
	Name string
	Type ColumnType
}

// TableSpec is one table of a projection, as the database, its metadata and
// the activation prompt state it.
type TableSpec struct {
	Name    string
	Columns []Column
	Key     []string // the primary key's columns
	View    bool     // derived from the other tables by a query
}

// Tables returns the tables that a type derives, in the order in which the
// projection's metadata lists them. A raw ledger has none.
func Tables(t Type) []TableSpec {
	switch t {
	case Log:
		return stateTable(Column{"position", Integer}, Text)
	case Set:
		return stateTable(Column{"identity", Text}, Text)
	case Map, Table:
		return stateTable(Column{"key", Text}, Text)
	case Counter:
		return stateTable(Column{"name", Text}, Integer)
	case Notes:
		return noteTables()
	}
	return nil
}

// GenericTables returns the tables that every projection has: immutable
// provenance, and the metadata of the projection itself.
func GenericTables() []TableSpec {
	return []TableSpec{
		{Name: "records", Key: []string{"ordinal"}, Columns: []Column{
			{"ordinal", Integer}, {"id", Text}, {"sha", Text}, {"type", Text},
			{"timestamp", Text}, {"payload", Text}, {"shard", Text}, {"offset", Integer}}},
		{Name: "parents", Columns: []Column{{"child_sha", Text}, {"parent_sha", Text}}},
		{Name: "shards", Key: []string{"file"}, Columns: []Column{{"file", Text}, {"size", Integer}}},
		{Name: "diagnostics", Key: []string{"ordinal"}, Columns: []Column{
			{"ordinal", Integer}, {"code", Text}, {"file", Text}, {"line", Integer}, {"id", Text}, {"detail", Text}}},
		{Name: "replay_metadata", Columns: []Column{
			{"ledger_name", Text}, {"projection_version", Integer}, {"record_count", Integer},
			{"script_sha256", Text}, {"output_version", Integer}, {"table_name", Text}, {"columns_json", Text}}},
	}
}

func stateTable(key Column, value ColumnType) []TableSpec {
	return []TableSpec{{Name: "state", Key: []string{key.Name}, Columns: []Column{key, {"value", value}}}}
}

func noteTables() []TableSpec {
	return []TableSpec{
		{Name: "notes", Key: []string{"id"}, Columns: []Column{
			{"id", Text}, {"subject", Text}, {"note", Text}, {"reason", Text}, {"created_at", Text}, {"record_sha", Text}}},
		{Name: "note_citations", Key: []string{"note_id", "ordinal"}, Columns: []Column{
			{"note_id", Text}, {"ordinal", Integer}, {"citation_type", Text}, {"path", Text},
			{"start_line", Integer}, {"end_line", Integer}}},
		{Name: "note_votes", Key: []string{"record_id"}, Columns: []Column{
			{"record_id", Text}, {"note_id", Text}, {"vote", Text}, {"reason", Text}, {"created_at", Text}}},
		{Name: "note_state", View: true, Columns: []Column{
			{"note_id", Text}, {"upvotes", Integer}, {"downvotes", Integer}, {"net_votes", Integer},
			{"last_vote_at", Text}, {"last_positive_vote_at", Text}}},
	}
}

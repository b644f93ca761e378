package ledger

// ColumnType is the declared type of a projection's column.
type ColumnType string

// The declared types that columns have.
const (
	TextColumn    ColumnType = "text"
	IntegerColumn ColumnType = "integer"
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
		return stateTable(Column{"position", IntegerColumn}, TextColumn)
	case Set:
		return stateTable(Column{"identity", TextColumn}, TextColumn)
	case Map, Table:
		return stateTable(Column{"key", TextColumn}, TextColumn)
	case Counter:
		return stateTable(Column{"name", TextColumn}, IntegerColumn)
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
			{"ordinal", IntegerColumn}, {"id", TextColumn}, {"sha", TextColumn}, {"type", TextColumn},
			{"timestamp", TextColumn}, {"payload", TextColumn}, {"shard", TextColumn}, {"offset", IntegerColumn}}},
		{Name: "parents", Columns: []Column{{"child_sha", TextColumn}, {"parent_sha", TextColumn}}},
		{Name: "shards", Key: []string{"file"}, Columns: []Column{{"file", TextColumn}, {"size", IntegerColumn}}},
		{Name: "diagnostics", Key: []string{"ordinal"}, Columns: []Column{
			{"ordinal", IntegerColumn}, {"code", TextColumn}, {"file", TextColumn}, {"line", IntegerColumn}, {"id", TextColumn}, {"detail", TextColumn}}},
		{Name: "replay_metadata", Columns: []Column{
			{"ledger_name", TextColumn}, {"projection_version", IntegerColumn}, {"record_count", IntegerColumn},
			{"script_sha256", TextColumn}, {"output_version", IntegerColumn}, {"table_name", TextColumn}, {"columns_json", TextColumn}}},
	}
}

func stateTable(key Column, value ColumnType) []TableSpec {
	return []TableSpec{{Name: "state", Key: []string{key.Name}, Columns: []Column{key, {"value", value}}}}
}

func noteTables() []TableSpec {
	return []TableSpec{
		{Name: "notes", Key: []string{"id"}, Columns: []Column{
			{"id", TextColumn}, {"subject", TextColumn}, {"note", TextColumn}, {"reason", TextColumn}, {"created_at", TextColumn}, {"record_sha", TextColumn}}},
		{Name: "note_citations", Key: []string{"note_id", "ordinal"}, Columns: []Column{
			{"note_id", TextColumn}, {"ordinal", IntegerColumn}, {"citation_type", TextColumn}, {"path", TextColumn},
			{"start_line", IntegerColumn}, {"end_line", IntegerColumn}}},
		{Name: "note_votes", Key: []string{"record_id"}, Columns: []Column{
			{"record_id", TextColumn}, {"note_id", TextColumn}, {"vote", TextColumn}, {"reason", TextColumn}, {"created_at", TextColumn}}},
		{Name: "note_state", View: true, Columns: []Column{
			{"note_id", TextColumn}, {"upvotes", IntegerColumn}, {"downvotes", IntegerColumn}, {"net_votes", IntegerColumn},
			{"last_vote_at", TextColumn}, {"last_positive_vote_at", TextColumn}}},
	}
}

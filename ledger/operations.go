package ledger

import "slices"

// OperationSpec is one operation of a built-in type, with its fields besides
// operation itself. The table of [Operations] is the only statement of what an
// operation holds: tools, validation and replay all read it.
type OperationSpec struct {
	Name   string
	Fields []Field
}

// Field is one field of an operation.
type Field struct {
	Name     string
	Kind     FieldKind
	Optional bool
	MaxBytes int // of its UTF-8 text; 0 for no bound but the record's
	MaxChars int // of its text, in Unicode characters; 0 likewise
}

// FieldKind says what a field's value must be. The rules that a field's own
// value decides are complete here; a table's merged row, and whether a note
// exists, depend on the state.
type FieldKind uint8

const (
	ValueField     FieldKind = iota // any JSON value that the ledger's schema admits
	RowField                        // an object with a string under the ledger's Key, admitted by the schema
	PatchField                      // an object without the ledger's Key; the merged row is validated, not this
	KeyField                        // a string, which may be empty
	NameField                       // a string that is not empty
	AmountField                     // an integer from 0 to MaxAmount
	TextField                       // a string of more than white space
	CitationsField                  // 1 to MaxCitations places in the repository
	NoteIDField                     // a string that is not empty: a record ID or a #temporary one
	VoteField                       // "up" or "down"
)

// Bounds of operations and requests. The sizes of notes are those of the
// runtime that shares the branches: subjects and notes are bounded in bytes,
// reasons in characters.
const (
	MaxSubjectBytes  = 512
	MaxNoteBytes     = 4096
	MaxReasonChars   = 1024
	MaxNoteIDBytes   = 128
	MaxCitations     = 32
	MaxCitationBytes = 2048      // one citation, as canonical JSON
	MaxAmount        = 1<<53 - 1 // the largest safe integer (S4.3-15)
	MaxRequests      = 100       // in one batch
	MaxObjectKeys    = 128       // in one object of a raw record
	MaxObjectKeyLen  = 256       // bytes
	MaxRowBytes      = 64 << 10  // a table's row, as canonical JSON
)

// TemporaryIDPattern is what a request's temp_id must match.
const TemporaryIDPattern = `^#?[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`

// ReservedFields returns the names that a raw record cannot have at its top level.
func ReservedFields() []string {
	return []string{"hash", "id", "parents", "payload_sha", "sha", "timestamp", "transaction_id", "version"}
}

// Operations returns a type's operations in their documented order. A raw
// ledger has none: its records are objects of any shape.
func Operations(t Type) []OperationSpec {
	value := Field{Name: "value", Kind: ValueField}
	row := Field{Name: "value", Kind: RowField}
	key := Field{Name: "key", Kind: KeyField}
	counter := []Field{{Name: "name", Kind: NameField}, {Name: "amount", Kind: AmountField}}
	reason := Field{Name: "reason", Kind: TextField, MaxChars: MaxReasonChars}
	voteReason := reason
	voteReason.Optional = true
	switch t {
	case Log:
		return []OperationSpec{{"append", []Field{value}}}
	case Set:
		return []OperationSpec{{"add", []Field{value}}, {"remove", []Field{value}}}
	case Map:
		return []OperationSpec{{"put", []Field{key, value}}, {"delete", []Field{key}}}
	case Table:
		return []OperationSpec{
			{"insert", []Field{row}},
			{"update", []Field{key, {Name: "patch", Kind: PatchField}}},
			{"upsert", []Field{row}},
			{"delete", []Field{key}},
		}
	case Counter:
		return []OperationSpec{{"increment", counter}, {"decrement", counter}}
	case Notes:
		return []OperationSpec{
			{"note", []Field{
				{Name: "subject", Kind: TextField, MaxBytes: MaxSubjectBytes},
				{Name: "note", Kind: TextField, MaxBytes: MaxNoteBytes},
				reason,
				{Name: "citations", Kind: CitationsField},
			}},
			{"vote", []Field{
				{Name: "note_id", Kind: NoteIDField, MaxBytes: MaxNoteIDBytes},
				{Name: "vote", Kind: VoteField},
				voteReason,
			}},
		}
	}
	return nil
}

// Operation returns one operation of a type.
func Operation(t Type, name string) (OperationSpec, bool) {
	specs := Operations(t)
	i := slices.IndexFunc(specs, func(s OperationSpec) bool { return s.Name == name })
	if i < 0 {
		return OperationSpec{}, false
	}
	return specs[i], true
}

// Field returns one field of an operation.
func (s OperationSpec) Field(name string) (Field, bool) {
	i := slices.IndexFunc(s.Fields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return Field{}, false
	}
	return s.Fields[i], true
}

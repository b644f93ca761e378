package replay

import "github.com/gitledger/gitledger/ledger"

// Code names the rule that an operation breaks. Codes are stable. A Code is an
// error, so that errors.Is(err, replay.MissingNote) works.
type Code string

// What is wrong with an operation by itself.
const (
	UnknownType          Code = "unknown-type"          // the ledger's type is not a built-in one
	UnsupportedOperation Code = "unsupported-operation" // not an operation of the ledger's type
	InvalidFields        Code = "invalid-fields"        // a field is missing, or one is not the operation's
	PayloadID            Code = "payload-id"            // a note or vote repeats the record's ID
	SchemaMismatch       Code = "schema-mismatch"       // the value, or the row after a patch, does not satisfy the schema
	InvalidKey           Code = "invalid-key"           // the key is not a string
	InvalidRow           Code = "invalid-row"           // the row is no object with its primary key, a string
	InvalidPatch         Code = "invalid-patch"         // the patch is no object, or touches the primary key
	InvalidCounter       Code = "invalid-counter"       // no name, or the amount is no nonnegative safe integer
	InvalidNote          Code = "invalid-note"          // subject or note is blank or too long
	InvalidReason        Code = "invalid-reason"        // the reason is blank or too long
	InvalidCitation      Code = "invalid-citation"      // no citation, too many, or one that is not valid
	InvalidVote          Code = "invalid-vote"          // no note ID, or neither up nor down
)

// What is wrong with an operation in the state that it meets.
const (
	DuplicateKey  Code = "duplicate-key"  // insert of a key that exists
	MissingKey    Code = "missing-key"    // update of a key that does not exist
	KeyConflict   Code = "key-conflict"   // two keys that differ in lone surrogates only; text cannot hold both
	RowTooLarge   Code = "row-too-large"  // the row has more than ledger.MaxRowBytes
	CounterRange  Code = "counter-range"  // the counter would leave the safe integers
	DuplicateNote Code = "duplicate-note" // two notes or votes with one record ID
	MissingNote   Code = "missing-note"   // a vote on something that is no note
)

func (c Code) Error() string { return "replay: " + string(c) }

// checkSchema is SchemaMismatch with its reason, or nil.
func checkSchema(s *ledger.Schema, value []byte) error {
	if err := s.Validate(value); err != nil {
		return &mismatch{err}
	}
	return nil
}

type mismatch struct{ cause error }

func (m *mismatch) Error() string   { return SchemaMismatch.Error() }
func (m *mismatch) Unwrap() []error { return []error{SchemaMismatch, m.cause} }

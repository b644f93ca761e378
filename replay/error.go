package replay

import (
	"errors"
	"strings"

	"github.com/gitledger/gitledger/record"
)

// Error is one invalid operation. Its text holds names, identifiers and codes
// only: no value, no key, and no operation name that is not a built-in one.
// It matches its Code with [errors.Is].
type Error struct {
	Ledger    string
	Index     int       // among the operations given to Apply, or the ordinal in the history
	ID        record.ID // zero when the operation has none yet
	Operation string    // empty when it is not an operation of the ledger's type
	Code      Code

	cause error
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("replay: ledger " + e.Ledger)
	if !e.ID.IsZero() {
		b.WriteString(": record " + e.ID.String())
	}
	if e.Operation != "" {
		b.WriteString(": " + e.Operation)
	}
	b.WriteString(": " + string(e.Code))
	if e.cause != nil {
		b.WriteString(": " + e.cause.Error()) // names of the schema, and positions
	}
	return b.String()
}

// Unwrap gives the Code, and for [SchemaMismatch] the schema's own error.
func (e *Error) Unwrap() []error {
	if e.cause == nil {
		return []error{e.Code}
	}
	return []error{e.Code, e.cause}
}

// newError says where the error of a rule came up.
func newError(ledger string, index int, id record.ID, f *fields, err error) *Error {
	e := &Error{Ledger: ledger, Index: index, ID: id, Operation: f.operation}
	var m *mismatch
	if errors.As(err, &m) {
		e.cause = m.cause
	}
	errors.As(err, &e.Code)
	return e
}

package replay

import (
	"github.com/gitledger/gitledger/record"
)

// Operation is one record as the reducers see it.
type Operation struct {
	ID        record.ID
	SHA       record.Hash
	Timestamp string // as in the record; used by notes
	// Payload is the operation in canonical form. Outside notes it may hold a
	// top-level id, which the gh-aw runtime writes and which means nothing.
	// It is kept, so it must not be modified.
	Payload []byte
}

// FromRecord returns the operation of a stored record.
func FromRecord(r *record.Record) Operation {
	return Operation{ID: r.ID(), SHA: r.SHA(), Timestamp: r.Timestamp(), Payload: r.Payload()}
}

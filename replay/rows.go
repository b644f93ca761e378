package replay

import (
	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/ledger"
)

// tableReducer keeps rows by their primary key (S4.3-05, S4.3-13).
type tableReducer struct {
	*cells[[]byte]
	primary string
	schema  *ledger.Schema
}

func (r *tableReducer) apply(_ *Operation, f *fields) error {
	key, text := r.key(f)
	if f.operation == "delete" {
		r.remove(text, key)
		return nil
	}
	row, exists, err := r.get(text, key)
	if err != nil {
		return err
	}
	switch {
	case f.operation == "insert" && exists:
		return DuplicateKey
	case f.operation == "update" && !exists:
		return MissingKey
	case f.operation == "update":
		if row, err = r.merge(row, f.patch); err != nil {
			return err
		}
	default:
		row = f.value
	}
	r.put(text, key, row)
	return nil
}

// merge puts a patch's members over a row's. Of the text of both together the
// last of two equal keys counts.
func (r *tableReducer) merge(row, patch []byte) ([]byte, error) {
	if len(patch) <= len("{}") {
		return row, checkSchema(r.schema, row)
	}
	both := append(make([]byte, 0, len(row)+len(patch)), row[:len(row)-1]...)
	both = append(append(both, ','), patch[1:]...)
	merged, err := canonical.Append(nil, both, canonical.LastWins)
	if err != nil {
		return nil, InvalidPatch
	}
	if len(merged) > ledger.MaxRowBytes {
		return nil, RowTooLarge
	}
	return merged, checkSchema(r.schema, merged)
}

// key returns the primary key of the row that an operation is about.
func (r *tableReducer) key(f *fields) (key []byte, text string) {
	if f.present&valueField != 0 {
		return keyText(canonical.Get(f.value, r.primary))
	}
	return keyText(f.key)
}

func (r *tableReducer) fetch(f *fields, from Stored) error {
	key, text := r.key(f)
	return r.cells.fetch(text, key, from, canonicalValue)
}

func (r *tableReducer) delta() Delta { return r.cells.delta(r.tables()) }

func (r *tableReducer) tables() []Table { return []Table{byKey(ledger.Table, r.cells)} }

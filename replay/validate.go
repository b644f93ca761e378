package replay

import (
	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/ledger"
)

// Validate checks one operation as far as that needs no state: its fields and
// their kinds, the value against the schema, citations, amounts (S5.2-03,
// S8-02). In a raw ledger it checks the payload, without its id, against the
// schema. payload must be canonical JSON. The error is an [*Error].
func Validate(cfg ledger.Config, payload []byte) error {
	f, err := check(&cfg, payload)
	if err != nil {
		return newError(cfg.Name, 0, &Operation{}, &f, err)
	}
	return nil
}

// check returns the operation's fields, and the rule that it breaks.
func check(cfg *ledger.Config, payload []byte) (fields, error) {
	if cfg.Type == ledger.Raw {
		return fields{}, checkRaw(cfg.Schema, payload)
	}
	if !cfg.Type.Known() {
		return fields{}, UnknownType
	}
	f, name := readFields(payload)
	text, _ := canonical.Text(name)
	s, ok := shapeOf(cfg.Type, text)
	if !ok {
		return f, UnsupportedOperation
	}
	f.operation = s.name
	if cfg.Type == ledger.Notes && f.present&idField != 0 {
		return f, PayloadID
	}
	all := operationField | idField | s.required | s.optional
	if f.present&s.required != s.required || f.present&^all != 0 {
		return f, InvalidFields
	}
	return f, checkValues(cfg, &f)
}

func checkValues(cfg *ledger.Config, f *fields) error {
	if f.present&keyField != 0 && !canonical.IsString(f.key) {
		return InvalidKey
	}
	switch cfg.Type {
	case ledger.Counter:
		return checkCounter(f)
	case ledger.Notes:
		return checkNotes(f)
	case ledger.Table:
		if err := checkTable(cfg.Key, f); err != nil {
			return err
		}
	}
	if f.present&valueField != 0 {
		return checkSchema(cfg.Schema, f.value)
	}
	return nil
}

// checkTable checks the row of an insert or upsert, or the patch of an update.
func checkTable(primary string, f *fields) error {
	switch {
	case f.present&valueField != 0:
		if !canonical.IsString(canonical.Get(f.value, primary)) {
			return InvalidRow
		}
		if len(f.value) > MaxRowBytes {
			return RowTooLarge
		}
	case f.present&patchField != 0:
		if !canonical.IsObject(f.patch) || canonical.Get(f.patch, primary) != nil {
			return InvalidPatch
		}
	}
	return nil
}

// checkCounter checks a counter's name and amount (S4.3-15).
func checkCounter(f *fields) error {
	name, ok := canonical.Text(f.name)
	if amount, safe := canonical.Integer(f.amount); !ok || name == "" || !safe || amount < 0 {
		return InvalidCounter
	}
	return nil
}

// checkRaw checks a payload without the id that the gh-aw runtime adds.
func checkRaw(s *ledger.Schema, payload []byte) error {
	if s == nil {
		return nil
	}
	return checkSchema(s, withoutID(payload))
}

// withoutID returns an object without its member id, anything else as it is.
func withoutID(payload []byte) []byte {
	if canonical.Get(payload, "id") == nil {
		return payload
	}
	out := append(make([]byte, 0, len(payload)), '{')
	for k, v := range canonical.Members(payload) {
		if string(k) == "id" {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, '"'), k...), `":`...)
		out = append(out, v...)
	}
	return append(out, '}')
}

package replay

import (
	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/ledger"
)

// field is one member of an operation's payload.
type field uint16

const (
	operationField field = 1 << iota
	idField
	valueField
	keyField
	patchField
	nameField
	amountField
	subjectField
	noteField
	reasonField
	citationsField
	noteIDField
	voteField
	otherField
)

// fieldNamed returns the field with a member's name.
func fieldNamed(name []byte) field {
	switch string(name) {
	case "operation":
		return operationField
	case "id":
		return idField
	case "value":
		return valueField
	case "key":
		return keyField
	case "patch":
		return patchField
	case "name":
		return nameField
	case "amount":
		return amountField
	case "subject":
		return subjectField
	case "note":
		return noteField
	case "reason":
		return reasonField
	case "citations":
		return citationsField
	case "note_id":
		return noteIDField
	case "vote":
		return voteField
	}
	return otherField
}

// fields are the members of an operation's payload, as canonical values.
type fields struct {
	operation string // one of the ledger type's operations, or empty
	present   field

	value, key, patch       []byte
	name, amount            []byte
	subject, note, reason   []byte
	citations, noteID, vote []byte
}

// read splits a payload and returns the value of its operation. What is no
// object has no fields.
func (f *fields) read(payload []byte) (operation []byte) {
	*f = fields{}
	for name, v := range canonical.Members(payload) {
		which := fieldNamed(name)
		f.present |= which
		if which == operationField {
			operation = v
		} else if into := f.at(which); into != nil {
			*into = v
		}
	}
	return operation
}

// at is where a field's value is kept; nil when it is not.
func (f *fields) at(which field) *[]byte {
	switch which {
	case valueField:
		return &f.value
	case keyField:
		return &f.key
	case patchField:
		return &f.patch
	case nameField:
		return &f.name
	case amountField:
		return &f.amount
	case subjectField:
		return &f.subject
	case noteField:
		return &f.note
	case reasonField:
		return &f.reason
	case citationsField:
		return &f.citations
	case noteIDField:
		return &f.noteID
	case voteField:
		return &f.vote
	}
	return nil
}

// shape is an operation with the set of its fields, besides its name and an
// ignored id.
type shape struct {
	ledger.OperationSpec
	required, allowed field
}

// shapes returns the operations of a ledger type.
func shapes(t ledger.Type) []shape {
	var out []shape
	for _, spec := range ledger.Operations(t) {
		s := shape{OperationSpec: spec, allowed: operationField | idField}
		for _, f := range spec.Fields {
			which := fieldNamed([]byte(f.Name))
			s.allowed |= which
			if !f.Optional {
				s.required |= which
			}
		}
		out = append(out, s)
	}
	return out
}

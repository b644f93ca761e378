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

// fields are the members of an operation's payload, as canonical values.
type fields struct {
	operation string // one of the ledger type's operations, or empty
	present   field

	value, key, patch              []byte
	name, amount                   []byte
	subject, note, reason          []byte
	citations, noteID, vote, other []byte
}

// readFields splits a payload. What is no object has no fields.
func readFields(payload []byte) (f fields, operation []byte) {
	var ignored []byte
	for k, v := range canonical.Members(payload) {
		which, into := otherField, &f.other
		switch string(k) {
		case "operation":
			which, into = operationField, &operation
		case "id":
			which, into = idField, &ignored
		case "value":
			which, into = valueField, &f.value
		case "key":
			which, into = keyField, &f.key
		case "patch":
			which, into = patchField, &f.patch
		case "name":
			which, into = nameField, &f.name
		case "amount":
			which, into = amountField, &f.amount
		case "subject":
			which, into = subjectField, &f.subject
		case "note":
			which, into = noteField, &f.note
		case "reason":
			which, into = reasonField, &f.reason
		case "citations":
			which, into = citationsField, &f.citations
		case "note_id":
			which, into = noteIDField, &f.noteID
		case "vote":
			which, into = voteField, &f.vote
		}
		f.present |= which
		*into = v
	}
	return f, operation
}

// shape is which fields an operation has, besides its name and an ignored id.
type shape struct {
	name     string
	required field
	optional field
}

// shapeOf returns the shape of an operation of a ledger type.
func shapeOf(t ledger.Type, operation string) (shape, bool) {
	for _, s := range shapes(t) {
		if s.name == operation {
			return s, true
		}
	}
	return shape{}, false
}

// shapes returns the operations of a ledger type (S4.3-02 to S4.3-07).
func shapes(t ledger.Type) []shape {
	switch t {
	case ledger.Log:
		return []shape{{"append", valueField, 0}}
	case ledger.Set:
		return []shape{{"add", valueField, 0}, {"remove", valueField, 0}}
	case ledger.Map:
		return []shape{{"put", keyField | valueField, 0}, {"delete", keyField, 0}}
	case ledger.Table:
		return []shape{
			{"insert", valueField, 0}, {"update", keyField | patchField, 0},
			{"upsert", valueField, 0}, {"delete", keyField, 0},
		}
	case ledger.Counter:
		return []shape{{"increment", nameField | amountField, 0}, {"decrement", nameField | amountField, 0}}
	case ledger.Notes:
		return []shape{
			{"note", subjectField | noteField | reasonField | citationsField, 0},
			{"vote", noteIDField | voteField, reasonField},
		}
	}
	return nil
}

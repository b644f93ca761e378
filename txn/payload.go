package txn

import (
	"slices"

	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
)

// withID returns a canonical object with the member id added.
func withID(payload []byte, id record.ID) []byte {
	b := append(make([]byte, 0, len(payload)+56), `{"id":"`...)
	b = append(append(b, id.String()...), '"')
	if len(payload) > len("{}") {
		b = append(b, ',')
	}
	b = append(b, payload[1:]...)
	out, err := canonical.AppendWrapped(make([]byte, 0, len(b)), b, canonical.LastWins, recordLevel)
	if err != nil {
		return payload // cannot be: payload is canonical and an object
	}
	return out
}

// without returns a canonical object without the members of the given names.
func without(obj []byte, names ...string) []byte {
	out := append(make([]byte, 0, len(obj)), '{')
	for k, v := range canonical.Members(obj) {
		if slices.Contains(names, string(k)) {
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

// shape checks the bounds that every record keeps whatever its ledger's type:
// depth, keys of an object and length of a key.
func shape(payload []byte) *RequestError {
	// The payload is one level down in its envelope.
	if canonical.Check(payload, 1)&canonical.Written == 0 {
		return &RequestError{Reason: ReasonTooDeep, Detail: "nested too deeply to be stored"}
	}
	return keysOf(payload)
}

func keysOf(v []byte) *RequestError {
	keys := 0
	for k, child := range canonical.Members(v) {
		if keys++; keys > ledger.MaxObjectKeys {
			return &RequestError{Reason: ReasonKeyCount, Detail: "an object has too many keys"}
		}
		if len(k) > ledger.MaxObjectKeyLen && len(canonical.Unescape(k)) > ledger.MaxObjectKeyLen {
			return &RequestError{Reason: ReasonKeyLength, Detail: "a key is too long"}
		}
		if e := keysOf(child); e != nil {
			return e
		}
	}
	for child := range canonical.Elements(v) {
		if e := keysOf(child); e != nil {
			return e
		}
	}
	return nil
}

// reserved refuses a raw record with a field that belongs to the envelope.
func reserved(payload []byte) *RequestError {
	for k := range canonical.Members(payload) {
		if slices.Contains(ledger.ReservedFields(), string(k)) {
			return &RequestError{Field: string(k), Reason: ReasonReserved, Detail: "belongs to the record's envelope"}
		}
	}
	return nil
}

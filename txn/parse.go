package txn

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
)

// ErrArtifact is matched by every error that refuses an artifact. Nothing of a
// refused artifact is written.
var ErrArtifact = errors.New("txn: invalid artifact")

// Parse reads an artifact: strictly, in any order of keys, of at most
// [MaxArtifactBytes]. Unknown and duplicate keys, trailing text, another
// version, an incomplete or repeated index, and an ID that is not the
// deterministic one are errors. It checks what needs no configuration;
// [Persist] checks the rest. The error matches [ErrArtifact].
func Parse(data []byte) (*Transaction, error) {
	t, e := parse(data)
	if e != nil {
		return nil, refused(e)
	}
	return t, nil
}

func refused(errs ...*RequestError) error {
	return fmt.Errorf("%w: %w", ErrArtifact, &RequestErrors{errs})
}

func parse(data []byte) (*Transaction, *RequestError) {
	whole := func(field string, reason Reason, detail string) *RequestError {
		return &RequestError{Index: -1, Field: field, Reason: reason, Detail: detail}
	}
	if len(data) > MaxArtifactBytes {
		return nil, whole("", ReasonTotalSize, "the artifact is too large")
	}
	text, err := canonical.AppendWrapped(make([]byte, 0, len(data)), data, canonical.Refuse, recordLevel)
	if err != nil {
		e := unreadable(err)
		e.Index = -1
		return nil, e
	}
	top, ok := canonical.Exact(text, "version", "transaction_id", "ledgers")
	if !ok || slices.ContainsFunc(top, isNil) {
		return nil, whole("", ReasonShape, "an artifact has version, transaction_id and ledgers, and nothing else")
	}
	if v, ok := canonical.Integer(top[0]); !ok || v != artifactVersion {
		return nil, whole("version", ReasonVersion, "not an artifact of version 1")
	}
	t := &Transaction{}
	if t.id, ok = canonical.Text(top[1]); !ok || !validTransactionID(t.id) || !isText(top[1], t.id) {
		return nil, whole("transaction_id", ReasonTransactionID, "not 1 to 128 characters")
	}
	if !canonical.IsObject(top[2]) {
		return nil, whole("ledgers", ReasonShape, "not an object")
	}
	for key, list := range canonical.Members(top[2]) {
		if e := t.parseLedger(canonical.Unescape(key), list); e != nil {
			return nil, e
		}
	}
	return t, t.checkIndices()
}

func isNil(v []byte) bool { return v == nil }

// isText reports whether a canonical value is exactly that text: decoding makes
// all lone surrogates alike.
func isText(v []byte, text string) bool {
	return bytes.Equal(v, canonical.AppendQuoted(nil, text))
}

func (t *Transaction) parseLedger(name string, list []byte) *RequestError {
	if !ledger.ValidName(name) {
		return &RequestError{Index: -1, Field: "ledgers", Reason: ReasonLedger, Detail: "not a ledger's name"}
	}
	member, ok := canonical.Exact(list, "appends")
	if !ok || !canonical.IsArray(member[0]) || len(member[0]) == len("[]") {
		return &RequestError{Index: -1, Field: "ledgers", Reason: ReasonShape, Detail: "a ledger has appends, a list that is not empty, and nothing else"}
	}
	for entry := range canonical.Elements(member[0]) {
		if len(t.appends) == ledger.MaxRequests {
			return &RequestError{Index: -1, Reason: ReasonCount, Detail: "a batch has at most 100 requests"}
		}
		if e := t.parseAppend(name, entry); e != nil {
			return e
		}
	}
	return nil
}

func (t *Transaction) parseAppend(name string, entry []byte) *RequestError {
	m, ok := canonical.Exact(entry, "index", "ledger", "transaction_id", "record")
	if !ok || slices.ContainsFunc(m, isNil) || !canonical.IsObject(m[3]) {
		return &RequestError{Index: -1, Field: "appends", Reason: ReasonShape,
			Detail: "an entry has index, ledger, record and transaction_id, and nothing else"}
	}
	index, ok := canonical.Integer(m[0])
	if !ok || index < 0 || index >= ledger.MaxRequests {
		return &RequestError{Index: -1, Field: "index", Reason: ReasonIndex, Detail: "out of range"}
	}
	at := int(index)
	if of, _ := canonical.Text(m[1]); of != name {
		return &RequestError{Index: at, Field: "ledger", Reason: ReasonLedger, Detail: "not the ledger that holds the entry"}
	}
	if !isText(m[2], t.id) {
		return &RequestError{Index: at, Field: "transaction_id", Reason: ReasonTransactionID, Detail: "not the artifact's"}
	}
	id := record.DeterministicID(t.id, at)
	if text, _ := canonical.Text(canonical.Get(m[3], "id")); text != id.String() {
		return &RequestError{Index: at, Field: "id", Reason: ReasonID, Detail: "not the deterministic ID"}
	}
	t.appends = append(t.appends, Append{Index: at, Ledger: name, ID: id, payload: without(m[3], "id")})
	return nil
}

// checkIndices sorts the entries and makes sure that each index is there once.
func (t *Transaction) checkIndices() *RequestError {
	slices.SortFunc(t.appends, func(a, b Append) int { return cmp.Compare(a.Index, b.Index) })
	for i, a := range t.appends {
		if a.Index != i {
			return &RequestError{Index: -1, Field: "index", Reason: ReasonIndex, Detail: "not complete, or repeated"}
		}
	}
	return nil
}

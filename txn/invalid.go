package txn

import (
	"errors"

	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay"
)

// invalid says which field of an operation the replay package refuses, and
// with what code.
func invalid(err error, payload []byte, cfg ledger.Config) *RequestError {
	var e *replay.Error
	if !errors.As(err, &e) {
		return &RequestError{Reason: ReasonInvalid}
	}
	out := &RequestError{Field: fieldOf(e.Code, payload, cfg), Reason: Reason(e.Code)}
	var rule *ledger.SchemaError
	if errors.As(err, &rule) {
		out.Detail = rule.Error()
	}
	if e.Code == replay.InvalidFields && out.Field == "" {
		out.Detail = "a field that the operation does not have"
	} else if e.Code == replay.InvalidFields {
		out.Detail = "missing"
	}
	return out
}

// fieldOf names the field that a code is about. An unknown field's name is the
// agent's text and is not given.
func fieldOf(code replay.Code, payload []byte, cfg ledger.Config) string {
	name, _ := canonical.Text(canonical.Get(payload, "operation"))
	spec, _ := ledger.Operation(cfg.Type, name)
	switch code {
	case replay.UnsupportedOperation:
		return "operation"
	case replay.SchemaMismatch, replay.InvalidRow, replay.RowTooLarge:
		if cfg.Type == ledger.Raw {
			return "record"
		}
		return "value"
	case replay.InvalidPatch:
		return "patch"
	case replay.InvalidKey:
		return "key"
	case replay.InvalidReason:
		return "reason"
	case replay.InvalidCitation:
		return "citations"
	case replay.InvalidFields:
		for _, f := range spec.Fields {
			if !f.Optional && canonical.Get(payload, f.Name) == nil {
				return f.Name
			}
		}
		return ""
	}
	// The code is about two fields: find the one whose text is not admitted.
	for _, f := range spec.Fields {
		if f.Kind == ledger.AmountField || f.Kind == ledger.CitationsField {
			continue
		}
		if text, ok := canonical.Text(canonical.Get(payload, f.Name)); !f.Optional && (!ok || !f.Admits(text)) {
			return f.Name
		}
	}
	if code == replay.InvalidCounter {
		return "amount"
	}
	return ""
}

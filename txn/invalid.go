package txn

import (
	"errors"
	"fmt"
	"strings"

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
	out := &RequestError{Field: fieldOf(e.Code, payload, cfg), Reason: Reason(e.Code), Detail: explain(e.Code, cfg)}
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

// explain says what an operation must be, for a person.
func explain(code replay.Code, cfg ledger.Config) string {
	switch code {
	case replay.UnsupportedOperation:
		var names []string
		for _, o := range ledger.Operations(cfg.Type) {
			names = append(names, o.Name)
		}
		return "a ledger of type " + string(cfg.Type) + " has " + strings.Join(names, ", ")
	case replay.InvalidRow:
		return "a row is an object with its key, " + cfg.Key + ", as a string"
	case replay.InvalidPatch:
		return "a patch is an object without the key, " + cfg.Key
	case replay.InvalidKey:
		return "a key is a string"
	case replay.InvalidCounter:
		return "a counter has a name that is not empty and an amount, an integer from 0 to 9007199254740991"
	case replay.InvalidNote:
		return fmt.Sprintf("a text that is not blank, of at most %d bytes for a subject and %d for a note", ledger.MaxSubjectBytes, ledger.MaxNoteBytes)
	case replay.InvalidReason:
		return fmt.Sprintf("a text that is not blank, of at most %d characters", ledger.MaxReasonChars)
	case replay.InvalidCitation:
		return fmt.Sprintf("1 to %d citations of type repository, with a path inside the repository and lines in order", ledger.MaxCitations)
	case replay.InvalidVote:
		return "a vote has a note_id and is up or down"
	}
	return ""
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

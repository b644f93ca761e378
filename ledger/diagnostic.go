package ledger

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gitledger/gitledger/record"
)

// Diagnostic is one thing that is wrong with a history. It carries codes,
// names and identifiers, never a record's content.
type Diagnostic struct {
	Code   record.Code `json:"code"`
	File   string      `json:"file,omitempty"` // shard file name
	Line   int         `json:"line,omitempty"` // 1-based
	ID     string      `json:"id,omitempty"`   // record ID
	Detail string      `json:"detail,omitempty"`
}

// ErrMalformed is matched by the error of a history with diagnostics.
var ErrMalformed = errors.New("ledger: malformed history")

// MalformedError is a history's diagnostics as an error (S5.1-01). It matches
// [ErrMalformed]. Its text counts them by code.
type MalformedError struct {
	Diagnostics []Diagnostic
	Unlisted    int // further ones; see [History.Diagnostics]
}

func (e *MalformedError) Error() string {
	var codes []record.Code
	counts := map[record.Code]int{}
	for _, d := range e.Diagnostics {
		if counts[d.Code]++; counts[d.Code] == 1 {
			codes = append(codes, d.Code)
		}
	}
	var b strings.Builder
	b.WriteString(ErrMalformed.Error())
	separator := ":"
	for _, code := range codes {
		fmt.Fprintf(&b, "%s %d %s", separator, counts[code], code)
		separator = ","
	}
	if e.Unlisted > 0 {
		fmt.Fprintf(&b, "%s %d more", separator, e.Unlisted)
	}
	return b.String()
}

func (e *MalformedError) Is(target error) bool { return target == ErrMalformed }

// Err returns nil for a sound history, else a [*MalformedError].
func (h *History) Err() error {
	if len(h.found.listed) == 0 {
		return nil
	}
	return &MalformedError{Diagnostics: h.found.listed, Unlisted: h.found.unlisted}
}

func codeOf(err error) record.Code {
	if e, ok := errors.AsType[*record.Error](err); ok {
		return e.Code
	}
	return record.InvalidEnvelope
}

package main

import (
	"context"
	"errors"
	"io/fs"
	"strconv"

	"github.com/gitledger/gitledger/internal/actions"
	"github.com/gitledger/gitledger/replay/sqlite"
	"github.com/gitledger/gitledger/txn"
)

// refusal is why a call was not carried out, as the agent is told: a stable code
// and a text, in which nothing of the call's arguments and no path occurs.
type refusal struct {
	code    string
	message string
	offset  int // after the byte of a statement that is wrong; 0 when unknown
	cause   error
}

func (r refusal) Error() string {
	text := r.code + ": " + r.message
	if r.offset > 0 {
		text += ", at byte " + strconv.Itoa(r.offset-1)
	}
	return text
}

func (r refusal) Unwrap() error { return r.cause }

// explain turns any error of a call into a refusal.
func explain(err error) refusal {
	if r, ok := errors.AsType[refusal](err); ok {
		return r
	}
	if refused, ok := errors.AsType[*txn.RequestErrors](err); ok && len(refused.Errors) > 0 {
		return explainRequest(refused.Errors[0])
	}
	r := refusal{code: "internal", message: "the call failed", cause: err}
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		r.offset = e.Offset + 1
	}
	for _, known := range []struct {
		kind          error
		code, message string
	}{
		{sqlite.ErrStatement, "statement", "the statement is not valid SQL for this database, or its arguments do not fit it"},
		{sqlite.ErrDenied, "denied", "one statement that only reads is allowed"},
		{sqlite.ErrTooLarge, "too-large", "the statement, a value or an intermediate result is too large"},
		{sqlite.ErrTimeout, "timeout", "the query took too long; ask for less"},
		{sqlite.ErrRequest, "record-query", "the record query is not valid"},
		{sqlite.ErrNotProjection, "no-projection", "the file is no intact database of this ledger; prepare it again"},
		{fs.ErrNotExist, "no-database", "the database is not there; prepare it first"},
		{sqlite.ErrStorage, "storage", "the database could not be read"},
		{context.Canceled, "canceled", "the call was canceled"},
		{context.DeadlineExceeded, "timeout", "the call took too long"},
	} {
		if errors.Is(err, known.kind) {
			r.code, r.message = known.code, known.message
			break
		}
	}
	return r
}

func explainRequest(e *txn.RequestError) refusal {
	text := ""
	for _, part := range []string{e.Ledger, e.Field} {
		if part != "" {
			text += part + ": "
		}
	}
	return refusal{code: string(e.Reason), message: text + e.Detail, cause: &txn.RequestErrors{Errors: []*txn.RequestError{e}}}
}

// forCommand gives a refusal the exit code that it has for somebody at a command
// line: what they typed was wrong, unless trying again may help.
func forCommand(err error) error {
	if err == nil {
		return nil
	}
	switch r := explain(err); r.code {
	case "internal", "timeout", "storage", "canceled":
		return r
	default:
		if _, ok := errors.AsType[*txn.RequestErrors](err); ok {
			return r
		}
		return actions.Usage(r.Error())
	}
}

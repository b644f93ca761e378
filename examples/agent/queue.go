package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"sync"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/internal/artifact"
	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/txn"
)

// maxFileBytes bounds the safe-output file, as the safe-outputs job does.
const maxFileBytes = 64 << 20

// queue appends requests to the safe-output file. Its checks are a service to the
// agent, who learns at once what would fail the run: the safe-outputs job makes
// them again and believes nothing. It is safe for concurrent use; another process
// may append lines, but the bounds hold for sure in one process only.
type queue struct {
	configs ledger.Configs
	path    string

	mu sync.Mutex
}

// add queues one call of a tool with its arguments, JSON text from the agent. Of a
// key that occurs twice the last value counts, as for every request. The answer
// says that the request is queued, and never that it is durable (S3-10).
func (q *queue) add(ctx context.Context, tool string, arguments []byte) (txn.Response, error) {
	if _, ok := q.configs.LookupTool(tool); !ok {
		return txn.Response{}, refuse(txn.ReasonTool, "type", "the configuration has no such tool")
	}
	line, err := q.line(tool, arguments)
	if err != nil {
		return txn.Response{}, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return txn.Response{}, err // it waited, and nobody wants it any more
	}
	before, err := artifact.ReadBounded(q.path, maxFileBytes-int64(len(line)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case errors.Is(err, artifact.ErrTooLarge):
		return txn.Response{}, refuse(txn.ReasonTotalSize, "", "the file of requests is full")
	case err != nil:
		return txn.Response{}, errQueue(err)
	}
	earlier := requestsOf(before)
	if len(earlier.appends)+earlier.compactions >= ledger.MaxRequests {
		return txn.Response{}, refuse(txn.ReasonCount, "", "a run has at most 100 requests")
	}
	if tool != ledger.ToolRequestCompaction {
		if err := q.fits(earlier.appends, line); err != nil {
			return txn.Response{}, err
		}
	}
	if len(before) > 0 && before[len(before)-1] != '\n' {
		line = append([]byte("\n"), line...) // after a line that its writer did not end
	}
	if err := artifact.AppendLine(q.path, line); err != nil {
		return txn.Response{}, errQueue(err)
	}
	return txn.Response{Result: "queued"}, nil
}

// line makes the request's line, with its newline, and checks it by itself.
func (q *queue) line(tool string, arguments []byte) ([]byte, error) {
	if len(arguments) > txn.MaxLineBytes {
		return nil, refuse(txn.ReasonLineSize, "", "the request is too long")
	}
	if len(arguments) == 0 {
		arguments = []byte("{}")
	}
	object, err := canonical.Append(nil, arguments, canonical.LastWins)
	if err != nil || !canonical.IsObject(object) {
		if _, err := txn.Check(q.configs, arguments); err != nil {
			return nil, err // it knows the reason
		}
		return nil, refuse(txn.ReasonNotObject, "", "the arguments must be an object")
	}
	if canonical.Get(object, "type") != nil {
		return nil, refuse(txn.ReasonField, "type", "the tool's name is the type")
	}
	line := append([]byte(`{"type":`), canonical.AppendQuoted(nil, tool)...)
	if len(object) > len("{}") {
		line = append(line, ',')
	}
	line = append(line, object[1:]...)
	if tool == ledger.ToolRequestCompaction {
		err = checkCompaction(q.configs, line)
	} else {
		_, err = txn.Check(q.configs, line)
	}
	return append(line, '\n'), err
}

// fits refuses a request that would make the whole batch fail: a batch that is
// over a limit of its ledger, a temporary ID that another request has. What is
// wrong with earlier lines is not held against it.
func (q *queue) fits(earlier [][]byte, line []byte) error {
	batch := append(bytes.Join(earlier, nil), line...)
	_, err := txn.Normalize(q.configs, "queue", bytes.NewReader(batch))
	refused, ok := errors.AsType[*txn.RequestErrors](err)
	if !ok {
		return err
	}
	for _, e := range refused.Errors {
		if e.Index < 0 || e.Index == len(earlier) {
			return &txn.RequestErrors{Errors: []*txn.RequestError{e}}
		}
	}
	return nil
}

func checkCompaction(configs ledger.Configs, line []byte) error {
	check := compact.Requests{Ledgers: configs, Dispatcher: nobody{}}
	_, err := check.Handle(context.Background(), line)
	switch {
	case errors.Is(err, compact.ErrLedgerRequired):
		return refuse(txn.ReasonLedgerMissing, "ledger", "several ledgers can be compacted: name one")
	case errors.Is(err, compact.ErrUnknownLedger):
		return refuse(txn.ReasonLedger, "ledger", "no ledger of that name can be compacted")
	case err != nil:
		return refuse(txn.Reason("invalid"), "", "not a valid request for compaction")
	}
	return nil
}

// nobody starts nothing: the agent's requests are only checked.
type nobody struct{}

func (nobody) Dispatch(context.Context, string, string) error { return nil }

func refuse(reason txn.Reason, field, detail string) error {
	return &txn.RequestErrors{Errors: []*txn.RequestError{{Field: field, Reason: reason, Detail: detail}}}
}

func errQueue(err error) error {
	return refusal{code: "queue", message: "the request could not be appended to the safe-output file", cause: err}
}

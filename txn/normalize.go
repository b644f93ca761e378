package txn

import (
	"cmp"
	"errors"
	"io"
	"slices"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
)

// ErrRead is matched when the requests or an artifact could not be read, as
// opposed to being refused.
var ErrRead = errors.New("txn: reading failed")

// Normalize turns the requests of one run, JSON lines of untrusted text as the
// safe-output tools wrote them, into the transaction that the artifact holds
// (S5.2-03, S5.2-04). It is handed no storage and touches none.
//
// A request names its tool in type: ledger_append (also when type is absent),
// ledger_map_put, ledger_map_delete, ledger_note_add or ledger_note_vote. The
// ledger may be absent where only one is configured that the tool serves.
// temp_id gives the record a name for other requests of the batch on the same
// ledger: a string "#name" in them becomes the record's ID.
//
// transactionID identifies the run and its attempt, such as "42:1", in 1 to
// 128 UTF-16 code units. Two runs MUST NOT share one.
//
// When requests are refused the error is a [*RequestErrors] with every reason,
// at most one for each request, and there is no transaction.
func Normalize(configs ledger.Configs, transactionID string, requests io.Reader) (*Transaction, error) {
	if !validTransactionID(transactionID) {
		return nil, &RequestErrors{[]*RequestError{{Index: -1, Field: "transaction_id", Reason: ReasonTransactionID, Detail: "use 1 to 128 characters"}}}
	}
	b := batch{configs: configs, transaction: transactionID, refs: references{}}
	err := requestLines(requests, b.add)
	switch {
	case errors.Is(err, errTotalSize):
		b.fail(&RequestError{Index: -1, Reason: ReasonTotalSize, Detail: "the requests together are too large"})
	case err != nil:
		return nil, ErrRead
	}
	return b.finish()
}

// batch collects requests.
type batch struct {
	configs     ledger.Configs
	transaction string
	requests    []request
	indices     []int // beside requests
	refs        references
	errs        []*RequestError
}

func (b *batch) fail(e *RequestError) { b.errs = append(b.errs, e) }

// add takes one line. It returns false when no more are wanted.
func (b *batch) add(index int, line []byte) bool {
	if index >= ledger.MaxRequests {
		b.fail(&RequestError{Index: -1, Reason: ReasonCount, Detail: "a batch has at most 100 requests"})
		return false
	}
	if line == nil {
		b.fail(&RequestError{Index: index, Reason: ReasonLineSize, Detail: "the line is too long"})
		return true
	}
	r, e := parseRequest(line, b.configs)
	if e == nil && r.tempID != "" {
		ref := reference{r.cfg.Name, r.tempID}
		if _, taken := b.refs[ref]; taken {
			e = &RequestError{Ledger: r.cfg.Name, Field: "temp_id", Reason: ReasonTempIDTaken, Detail: "another request on this ledger has it"}
		} else {
			b.refs[ref] = record.DeterministicID(b.transaction, index)
		}
	}
	if e != nil {
		e.Index = index
		b.fail(e)
		return true
	}
	b.requests = append(b.requests, r)
	b.indices = append(b.indices, index)
	return true
}

func (b *batch) finish() (*Transaction, error) {
	t := &Transaction{id: b.transaction}
	for i, r := range b.requests {
		t.appends = append(t.appends, Append{
			Index:   b.indices[i],
			Ledger:  r.cfg.Name,
			ID:      record.DeterministicID(b.transaction, b.indices[i]),
			payload: b.refs.resolve(r.payload, r.cfg),
		})
	}
	b.errs = append(b.errs, validate(t.appends, b.configs)...)
	if len(b.errs) > 0 {
		slices.SortStableFunc(b.errs, func(x, y *RequestError) int { return cmp.Compare(x.Index, y.Index) })
		return nil, &RequestErrors{b.errs}
	}
	return t, nil
}

// Response is what a safe-output tool answers at once. It says that the
// request was queued, and never more: nothing is durable before the
// persistence job succeeds (S3-10).
type Response struct {
	Result string `json:"result"` // always "queued"
}

// Check validates one request on its own, for the immediate answer of a
// safe-output tool. References to other requests are not resolved. The error
// is a [*RequestErrors].
func Check(configs ledger.Configs, request []byte) (Response, error) {
	b := batch{configs: configs, transaction: "check", refs: references{}}
	if len(request) > MaxLineBytes {
		request = nil
	}
	b.add(0, request)
	if _, err := b.finish(); err != nil {
		return Response{}, err
	}
	return Response{Result: "queued"}, nil
}

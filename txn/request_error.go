package txn

import (
	"fmt"
	"strings"
)

// Reason says why a request, or an entry of an artifact, is refused. Reasons
// are stable.
type Reason string

const (
	ReasonSyntax        Reason = "syntax"             // not JSON in UTF-8, or a number that is not finite
	ReasonNotObject     Reason = "not-object"         // JSON, but not an object
	ReasonTooDeep       Reason = "too-deep"           // nested deeper than a record can be stored
	ReasonLineSize      Reason = "line-size"          // the line is over MaxLineBytes
	ReasonTotalSize     Reason = "total-size"         // the requests together are over MaxArtifactBytes
	ReasonCount         Reason = "count"              // more than ledger.MaxRequests requests
	ReasonTool          Reason = "unknown-tool"       // type names no ledger tool
	ReasonLedger        Reason = "unknown-ledger"     // no configured ledger of that name
	ReasonLedgerMissing Reason = "ledger-missing"     // several ledgers are configured and none is named
	ReasonToolType      Reason = "tool-type"          // a dedicated tool on a ledger of another type
	ReasonNoOperation   Reason = "operation-required" // a typed ledger takes an operation
	ReasonNoRecord      Reason = "record-required"    // a raw ledger takes a record, which is an object
	ReasonField         Reason = "unknown-field"      // a field that the request cannot have
	ReasonStrayKey      Reason = "stray-key"          // a key beside value: a row carries its key inside value
	ReasonReserved      Reason = "reserved-field"     // a raw record with a field of the envelope
	ReasonKeyCount      Reason = "key-count"          // more than ledger.MaxObjectKeys keys in one object
	ReasonKeyLength     Reason = "key-length"         // a key over ledger.MaxObjectKeyLen bytes
	ReasonTempID        Reason = "temp-id"            // not of the form ledger.TemporaryIDPattern
	ReasonTempIDTaken   Reason = "temp-id-repeated"   // used twice on one ledger
	ReasonInvalid       Reason = "invalid"            // the operation or the schema refuses it
	ReasonRecordSize    Reason = "record-size"        // over max-record-kb
	ReasonBatchSize     Reason = "batch-size"         // the ledger's batch is over max-patch-kb
	ReasonSegmentSize   Reason = "segment-size"       // the ledger's batch is over max-segment-kb
	ReasonTransactionID Reason = "transaction-id"     // empty, too long, or another than the artifact's
	ReasonVersion       Reason = "version"            // an artifact of another version
	ReasonIndex         Reason = "index"              // not complete, not unique, or out of range
	ReasonID            Reason = "record-id"          // not the deterministic ID of the request
	ReasonShape         Reason = "shape"              // keys missing, or others than an artifact has
	ReasonDuplicateKey  Reason = "duplicate-key"      // an object with a key that occurs twice
)

// RequestError is why one request is refused. It names where and what, and
// never holds a value or a name from the request itself.
type RequestError struct {
	Index  int    // 0-based, over the whole batch; -1 when the batch itself is refused
	Ledger string // a configured ledger; empty when none was found
	Field  string // a field that the system knows; empty when it is none or the whole
	Reason Reason
	Detail string // what is wrong, for a person
}

// Error returns "request 3: ledger findings: value: stray-key: …".
func (e *RequestError) Error() string {
	var b strings.Builder
	if e.Index >= 0 {
		fmt.Fprintf(&b, "request %d: ", e.Index)
	}
	if e.Ledger != "" {
		b.WriteString("ledger " + e.Ledger + ": ")
	}
	if e.Field != "" {
		b.WriteString(e.Field + ": ")
	}
	b.WriteString(string(e.Reason))
	if e.Detail != "" {
		b.WriteString(": " + e.Detail)
	}
	return b.String()
}

// Is makes errors with the same reason match, so that
// errors.Is(err, &RequestError{Reason: ReasonTool}) works.
func (e *RequestError) Is(target error) bool {
	t, ok := target.(*RequestError)
	return ok && t.Reason == e.Reason && t.Index == 0 && t.Ledger == "" && t.Field == ""
}

// RequestErrors is everything that is wrong with a batch, by index. A batch
// with one bad request is refused as a whole.
type RequestErrors struct{ Errors []*RequestError }

// Error states each on a line of its own.
func (e *RequestErrors) Error() string {
	if len(e.Errors) == 1 {
		return "txn: " + e.Errors[0].Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "txn: %d requests are refused", len(e.Errors))
	for _, one := range e.Errors {
		b.WriteString("\n\t" + one.Error())
	}
	return b.String()
}

// Unwrap returns each error by itself.
func (e *RequestErrors) Unwrap() []error {
	out := make([]error, len(e.Errors))
	for i, one := range e.Errors {
		out[i] = one
	}
	return out
}

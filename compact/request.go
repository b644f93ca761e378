package compact

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/ledger"
)

const (
	maxRequestBytes    = 64 << 10
	defaultMaxRequests = 1
)

// A Dispatcher starts maintenance for one ledger: operation is
// [ledger.CompactOperation]. It MUST NOT compact by
// itself, and MUST return soon after ctx ends. Its error MUST NOT carry
// credentials or URLs.
type Dispatcher interface {
	// Dispatch starts an operation, [Operation], on the ledger of that name.
	Dispatch(ctx context.Context, operation, ledger string) error
}

// What is wrong with a request. None of them started anything.
var (
	ErrInvalidRequest  = errors.New("compact: not a valid " + ledger.ToolRequestCompaction + " request")
	ErrLedgerRequired  = errors.New("compact: ledger is required when several ledgers can be compacted")
	ErrUnknownLedger   = errors.New("compact: no ledger of that name can be compacted")
	ErrTooManyRequests = errors.New("compact: too many compaction requests")
	ErrNoDispatcher    = errors.New("compact: no dispatcher for compaction requests")
)

// Requests handles the ledger_request_compaction safe outputs of one run. A
// request only asks maintenance to consider a ledger; whether and what is
// compacted is for [Propose] and [Apply] to decide. It is not safe for
// concurrent use.
type Requests struct {
	Ledgers    ledger.Configs // those with compaction: false cannot be asked for
	Dispatcher Dispatcher
	Max        int // dispatches at most; 0 is 1

	dispatched int
	asked      map[string]bool
}

// RequestResult says what became of a request.
type RequestResult struct {
	Ledger   string `json:"ledger"`
	Repeated bool   `json:"repeated,omitempty"` // asked for before in this run; not dispatched again
}

// Handle handles one request, the JSON object of at most 64 KiB that the agent
// wrote: its ledger may be left out when there is one only, and its reason is for people. Other
// members are ignored, as everything else is that an agent might say. The error
// names no value of the request.
func (r *Requests) Handle(ctx context.Context, request []byte) (*RequestResult, error) {
	name, err := r.choose(request)
	if err != nil {
		return nil, err
	}
	if r.asked[name] {
		return &RequestResult{Ledger: name, Repeated: true}, nil
	}
	if r.Dispatcher == nil {
		return nil, ErrNoDispatcher
	}
	limit := r.Max
	if limit <= 0 {
		limit = defaultMaxRequests
	}
	if r.dispatched >= limit {
		return nil, fmt.Errorf("%w: at most %d in a run", ErrTooManyRequests, limit)
	}
	r.dispatched++ // one that fails counts too: the bound is on what is sent
	if err := r.Dispatcher.Dispatch(ctx, ledger.CompactOperation, name); err != nil {
		return nil, fmt.Errorf("compact: ledger %s: request was not dispatched: %w", name, err)
	}
	if r.asked == nil {
		r.asked = map[string]bool{}
	}
	r.asked[name] = true
	return &RequestResult{Ledger: name}, nil
}

// choose returns the name of the ledger that the request is about.
func (r *Requests) choose(request []byte) (string, error) {
	if len(request) > maxRequestBytes {
		return "", fmt.Errorf("%w: more than %d bytes", ErrInvalidRequest, maxRequestBytes)
	}
	text, err := canonical.Append(nil, request, canonical.LastWins)
	if err != nil || !canonical.IsObject(text) {
		return "", fmt.Errorf("%w: not a JSON object", ErrInvalidRequest)
	}
	for _, field := range []string{"type", "ledger", "reason"} {
		if v := canonical.Get(text, field); v != nil && string(v) != "null" && !canonical.IsString(v) {
			return "", fmt.Errorf("%w: %s is not a string", ErrInvalidRequest, field)
		}
	}
	if kind, ok := canonical.Text(canonical.Get(text, "type")); ok && kind != ledger.ToolRequestCompaction {
		return "", fmt.Errorf("%w: type is another", ErrInvalidRequest)
	}
	offered := r.Ledgers.Compacted()
	name, _ := canonical.Text(canonical.Get(text, "ledger"))
	name = strings.TrimSpace(name)
	if name == "" && len(offered) == 1 {
		return offered[0].Name, nil
	}
	if name == "" && len(offered) > 1 {
		return "", ErrLedgerRequired
	}
	if cfg, ok := offered.Lookup(name); ok {
		return cfg.Name, nil
	}
	return "", ErrUnknownLedger
}

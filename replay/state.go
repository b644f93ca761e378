package replay

import (
	"context"
	"fmt"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
)

// State is what a ledger's operations add up to. It refers to the history's
// bytes. It is not safe for concurrent use while Apply runs.
type State struct {
	checker checker
	reducer reducer // nil for a raw ledger
	stored  Stored  // what reducer does not hold; nil when it holds everything
}

// NewState returns the state of an empty ledger. The error is [UnknownType].
func NewState(cfg ledger.Config) (*State, error) {
	if !cfg.Type.Known() {
		return nil, &Error{Ledger: cfg.Name, Code: UnknownType}
	}
	return &State{checker: newChecker(cfg), reducer: newReducer(&cfg)}, nil
}

// cancelStride is how many operations are applied between two looks at the context.
const cancelStride = 1024

// Replay applies a whole history in replay order (S4.3-08). It fails with the
// first invalid operation as an [*Error] (S4.3-10, S7-12), on a history with
// diagnostics with one that matches [ledger.ErrMalformed] (S5.1-01), and with
// the context's error. Operations that refer to later records, the votes,
// apply after all others.
func Replay(ctx context.Context, h *ledger.History, cfg ledger.Config) (*State, error) {
	if err := h.Err(); err != nil {
		return nil, fmt.Errorf("replay: ledger %s: %w", cfg.Name, err)
	}
	s, err := NewState(cfg)
	if err != nil {
		return nil, err
	}
	if err := s.replay(ctx, h, 0); err != nil {
		return nil, err
	}
	return s, nil
}

// replay applies a history from the given record on.
func (s *State) replay(ctx context.Context, h *ledger.History, from int) error {
	return s.run(ctx, from, h.Len(), operations{
		payload: func(i int) []byte { return h.Record(i).Payload() },
		at: func(i int) Operation {
			r := h.Record(i)
			if s.checker.cfg.Type == ledger.Notes {
				return FromRecord(r)
			}
			return Operation{ID: r.ID(), Payload: r.Payload()} // the others have no use for the rest
		},
	})
}

// Apply applies further operations after the history, all of them or none:
// when one is invalid the state stays as it was, and the [*Error] has that
// operation's index. Votes may come before their note in ops.
func (s *State) Apply(ops ...Operation) error {
	if s.reducer != nil {
		s.reducer.begin()
	}
	err := s.run(context.Background(), 0, len(ops), operations{
		payload: func(i int) []byte { return ops[i].Payload },
		at:      func(i int) Operation { return ops[i] },
	})
	if s.reducer != nil {
		s.reducer.end(err == nil)
	}
	return err
}

// Tables returns the derived tables with their rows, in the order of
// [ledger.Tables]; a view has none. A raw ledger has no tables. They are valid until the next Apply.
func (s *State) Tables() []Table {
	if s.reducer == nil {
		return nil
	}
	return s.reducer.tables()
}

// operations are where a run takes its operations from.
type operations struct {
	payload func(i int) []byte
	at      func(i int) Operation
}

// run is one pass over operations.
type run struct {
	*State
	operations
	fields  fields    // of the operation at hand
	waiting pile[int] // operations that were checked, and apply after the others
}

// run applies the operations from one index to before another.
func (s *State) run(ctx context.Context, from, to int, ops operations) error {
	r := run{State: s, operations: ops}
	for i := from; i < to; i++ {
		if i%cancelStride == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := r.apply(i, needsOthersFirst); err != nil {
			return err
		}
	}
	n := 0
	for i := range r.waiting.from(0) {
		if n++; n%cancelStride == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := r.apply(*i, func(*fields) bool { return false }); err != nil {
			return err
		}
	}
	return nil
}

// apply checks an operation and applies it, or lets it wait.
func (r *run) apply(i int, later func(*fields) bool) error {
	if err := r.checker.check(r.payload(i), &r.fields); err != nil {
		return r.explain(r.at(i).ID, i, err)
	}
	if r.reducer == nil {
		return nil
	}
	if later(&r.fields) {
		r.waiting.add(i)
		return nil
	}
	if r.stored != nil {
		if err := r.reducer.fetch(&r.fields, r.stored); err != nil {
			return err
		}
	}
	op := r.at(i)
	if err := r.reducer.apply(&op, &r.fields); err != nil {
		return r.explain(op.ID, i, err)
	}
	return nil
}

func (r *run) explain(id record.ID, i int, err error) error {
	return newError(r.checker.cfg.Name, i, id, &r.fields, err)
}

package replay

import (
	"context"
	"fmt"

	"github.com/gitledger/gitledger/ledger"
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
	return s.run(ctx, from, h.Len(), func(i int) Operation {
		r := h.Record(i)
		if s.checker.cfg.Type == ledger.Notes {
			return FromRecord(r)
		}
		return Operation{ID: r.ID(), Payload: r.Payload()} // the others have no use for the rest
	})
}

// Apply applies further operations after the history, all of them or none:
// when one is invalid the state stays as it was, and the [*Error] has that
// operation's index. Votes may come before their note in ops.
func (s *State) Apply(ops ...Operation) error {
	if s.reducer != nil {
		s.reducer.begin()
	}
	err := s.run(context.Background(), 0, len(ops), func(i int) Operation { return ops[i] })
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

// run is one pass over operations.
type run struct {
	s       *State
	fields  fields // of the operation at hand
	waiting []int  // operations that were checked, and apply after the others
}

// run applies the operations from one index to before another.
func (s *State) run(ctx context.Context, from, to int, at func(i int) Operation) error {
	r := run{s: s}
	for i := from; i < to; i++ {
		if i%cancelStride == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := r.apply(i, at(i)); err != nil {
			return err
		}
	}
	for n, i := range r.waiting {
		if n%cancelStride == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		op := at(i)
		if err := s.checker.check(op.Payload, &r.fields); err != nil {
			return r.explain(i, op, err)
		}
		if err := r.reduce(i, op); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) apply(i int, op Operation) error {
	err := r.s.checker.check(op.Payload, &r.fields)
	switch {
	case err != nil:
	case r.s.reducer == nil:
	case needsOthersFirst(&r.fields):
		r.waiting = append(r.waiting, i)
	default:
		return r.reduce(i, op)
	}
	return r.explain(i, op, err)
}

// reduce applies an operation that was checked.
func (r *run) reduce(i int, op Operation) error {
	if r.s.stored != nil {
		if err := r.s.reducer.fetch(&r.fields, r.s.stored); err != nil {
			return err
		}
	}
	return r.explain(i, op, r.s.reducer.apply(&op, &r.fields))
}

func (r *run) explain(i int, op Operation, err error) error {
	if err == nil {
		return nil
	}
	return newError(r.s.checker.cfg.Name, i, op.ID, &r.fields, err)
}

package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"iter"
	"strings"
)

// Rows is the result of [DB.Stream]. It is used by one goroutine.
type Rows struct {
	db        *DB
	ctx       context.Context
	columns   []string
	truncated bool
	cursor    *cursor // nil when the query has ended
	unwatch   func()  // ends the watch on the context
	cancel    func()  // nil when closed
}

// Stream runs a query and gives its rows one by one, within the limits of the
// database. The caller ranges over [Rows.All], or calls [Rows.Close].
//
// query is one statement that only reads, or the error is [ErrDenied];
// [ErrStatement], [ErrTooLarge] and [ErrTimeout] are other errors to expect.
// args are strings, byte slices, integers, floats, booleans and nil, one for
// each parameter.
func (db *DB) Stream(ctx context.Context, query string, args ...any) (*Rows, error) {
	return db.stream(ctx, db.limits.Rows, query, args...)
}

// stream is Stream with a limit of rows of its own.
func (db *DB) stream(ctx context.Context, limit int, query string, args ...any) (*Rows, error) {
	named, err := arguments(query, args)
	if err != nil {
		return nil, err
	}
	ctx, cancel := db.bounded(ctx)
	s, err := db.acquire(ctx)
	if err != nil {
		cancel()
		return nil, err
	}
	c := &cursor{session: s}
	c.left.rows, c.left.bytes = limit, db.limits.Bytes
	r := &Rows{db: db, ctx: ctx, cursor: c, unwatch: s.stopWith(ctx), cancel: cancel}
	if err := r.run(func() error { return c.start(query, named) }); err != nil {
		r.close()
		return nil, err
	}
	r.columns = c.columns
	return r, nil
}

// arguments converts a query's arguments, and checks what needs no database.
func arguments(query string, args []any) ([]driver.NamedValue, error) {
	if len(query) > maxStatementBytes || len(args) > maxParameters {
		return nil, fail("query", ErrTooLarge)
	}
	if strings.ContainsRune(query, 0) {
		return nil, fail("query", ErrStatement)
	}
	named := make([]driver.NamedValue, len(args))
	for i, a := range args {
		v, err := driver.DefaultParameterConverter.ConvertValue(a)
		if err != nil {
			return nil, fail("query", ErrStatement)
		}
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return named, nil
}

// run runs a step of the cursor. When it does not come back in time, the
// cursor is left to it, and closed when it does.
func (r *Rows) run(step func() error) error {
	if r.ctx.Err() != nil {
		return cause(r.ctx, nil)
	}
	var failed error
	lost := r.cursor
	late := func() {
		r.unwatch()
		lost.close()
		lost.session.close()
		r.db.release(nil)
	}
	if !attempt(r.ctx, func() { failed = step() }, late) {
		r.cursor = nil
		return cause(r.ctx, nil)
	}
	if errors.Is(failed, ErrTimeout) {
		return cause(r.ctx, failed)
	}
	return failed
}

// Columns returns the names of the result's columns.
func (r *Rows) Columns() []string { return r.columns }

// Truncated reports whether there were more rows than the limits allow. It is
// known when All has ended.
func (r *Rows) Truncated() bool { return r.truncated }

// All yields the rows. A value is a string, []byte, int64, float64 or nil, and
// is the caller's to keep. After an error there are no more. The result is
// closed when the loop ends, however it does; All can be used once.
func (r *Rows) All() iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		defer r.close()
		for r.cursor != nil && !r.cursor.ended {
			if err := r.run(r.cursor.fetch); err != nil {
				yield(nil, err)
				return
			}
			r.truncated = r.cursor.truncated
			for _, row := range r.cursor.batch {
				if !yield(row, nil) {
					return
				}
			}
			r.cursor.batch = r.cursor.batch[:0]
		}
	}
}

// Close ends the query. It may be called more than once.
func (r *Rows) Close() error {
	r.close()
	return nil
}

func (r *Rows) close() {
	if r.cancel == nil {
		return
	}
	r.unwatch()
	r.cancel()
	r.cancel = nil
	if r.cursor != nil {
		r.cursor.close()
		r.db.release(r.cursor.session)
		r.cursor = nil
	}
}

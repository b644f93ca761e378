package sqlite

import (
	"context"
	"errors"
	"os"
	"sync"

	"github.com/gitledger/gitledger/ledger"
)

// DB is a projection that is open for queries. It is safe for concurrent use.
type DB struct {
	path   string
	limits Limits
	kind   ledger.Type
	slots  chan struct{} // one for each session that may exist

	mu     sync.Mutex
	idle   []*session
	closed bool
}

// maxSessions bounds the queries that run at the same time; others wait.
const maxSessions = 8

// Open opens the projection at path for reading. The file must be one that
// [Prepare] wrote; anything else is [ErrNotProjection], and one that is absent is
// [ErrStorage] and [fs.ErrNotExist]. The zero limits suit an agent. It is treated as
// immutable: replacing the file by Prepare is fine, and each query sees one
// database as a whole; changing it in place is not.
func Open(ctx context.Context, path string, limits Limits) (*DB, error) {
	db := &DB{path: path, limits: limits.orDefaults(), slots: make(chan struct{}, maxSessions)}
	ctx, cancel := db.bounded(ctx)
	defer cancel()
	db.slots <- struct{}{}
	s, t, err := db.open(ctx)
	if err != nil {
		return nil, err
	}
	db.kind = t
	db.release(s)
	return db, nil
}

// Type returns the type of the ledger.
func (db *DB) Type() ledger.Type { return db.kind }

// bounded is ctx with the time limit. When that is what ended it, its cause is
// the error to return.
func (db *DB) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, db.limits.Time, fail("query", ErrTimeout))
}

// cause is why ctx ended, or err when it has not: [ErrTimeout] for the limit of
// the database, and what the context says itself otherwise.
func cause(ctx context.Context, err error) error {
	ended := ctx.Err()
	if ended == nil {
		return err
	}
	if c := context.Cause(ctx); errors.Is(c, ErrTimeout) {
		return c
	}
	return ended
}

// acquire returns a session that nobody uses, and waits for one if need be.
func (db *DB) acquire(ctx context.Context) (*session, error) {
	select {
	case db.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, cause(ctx, nil)
	}
	s, err := db.reuse()
	if err != nil {
		<-db.slots
		return nil, err
	}
	if s != nil {
		return s, nil
	}
	s, t, err := db.open(ctx)
	if err == nil && t != db.kind {
		s.close()
		db.release(nil)
		return nil, fail("open", ErrNotProjection)
	}
	return s, err
}

// reuse returns an idle session; nil when there is none.
func (db *DB) reuse() (s *session, err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return nil, fail("query", os.ErrClosed)
	}
	if n := len(db.idle); n > 0 {
		s, db.idle = db.idle[n-1], db.idle[:n-1]
	}
	return s, nil
}

// open opens another session, for a slot that is taken, and gives the slot back
// when that fails. What is at the path by now may be something that is never
// done opening, such as a pipe; then the slot stays taken until it is.
func (db *DB) open(ctx context.Context) (*session, ledger.Type, error) {
	var (
		opened *session
		kind   ledger.Type
		failed error
	)
	late := func() {
		if opened != nil {
			opened.close()
		}
		db.release(nil)
	}
	if !attempt(ctx, func() { opened, kind, failed = openSession(ctx, db.path) }, late) {
		return nil, "", cause(ctx, nil)
	}
	if failed != nil {
		db.release(nil)
	}
	return opened, kind, failed
}

// release gives a session back; nil is one that was lost.
func (db *DB) release(s *session) {
	db.mu.Lock()
	if s != nil && !db.closed {
		db.idle = append(db.idle, s)
		s = nil
	}
	db.mu.Unlock()
	if s != nil {
		s.close()
	}
	<-db.slots
}

// Close ends the use of the database. Queries that run end normally; later
// ones fail with an error that matches [os.ErrClosed].
func (db *DB) Close() error {
	db.mu.Lock()
	idle := db.idle
	db.idle, db.closed = nil, true
	db.mu.Unlock()
	for _, s := range idle {
		s.close()
	}
	return nil
}

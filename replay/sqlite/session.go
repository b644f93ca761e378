package sqlite

import (
	"context"
	"database/sql/driver"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gitledger/gitledger/ledger"
)

// session is one guarded, read-only connection. One query uses it at a time.
type session struct {
	conn       *connection
	guard      *guard
	authorizer *authorizer
}

// openSession opens a database and makes sure that it has the objects of a
// projection and no others: no trigger, no virtual table, no view of someone
// else's. It returns the type of the ledger, too.
func openSession(ctx context.Context, path string) (*session, ledger.Type, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, "", storage("open", err)
	}
	if !info.Mode().IsRegular() {
		return nil, "", fail("open", ErrNotProjection)
	}
	g, err := newGuard()
	if err != nil {
		return nil, "", err
	}
	s := &session{guard: g}
	unwatch := s.stopWith(ctx)
	s.conn, err = g.harden(func() (*connection, error) {
		return connect(path, url.Values{"mode": {"ro"}, "immutable": {"1"}, "_mutex": {"no"}, "_query_only": {"1"}})
	})
	var t ledger.Type
	if err == nil {
		t, err = s.prepare()
	}
	unwatch()
	if err != nil {
		err = g.explain(err)
		s.close()
		return nil, "", cause(ctx, err)
	}
	return s, t, nil
}

func (s *session) prepare() (ledger.Type, error) {
	setLimits(s.conn.raw)
	// Without temp_store, sorting writes strangers' data to temporary files, and
	// fills the disk.
	if err := s.conn.exec("PRAGMA cell_size_check = ON", "PRAGMA mmap_size = 0", "PRAGMA temp_store = MEMORY"); err != nil {
		return "", err
	}
	t, err := s.recognise()
	if err != nil {
		return "", err
	}
	s.authorizer = newAuthorizer(t)
	s.conn.raw.RegisterAuthorizer(s.authorizer.decide)
	return t, nil
}

// recognise compares the database's objects with those of each ledger type.
func (s *session) recognise() (ledger.Type, error) {
	const enough = 64 // more objects than any projection has
	var found []object
	err := s.conn.values("SELECT type, name, sql FROM sqlite_schema LIMIT ?", []any{int64(enough)}, func(row []driver.Value) error {
		var text [3]string
		for i, v := range row {
			text[i], _ = v.(string)
		}
		if o := (object{text[0], text[1], text[2]}); !o.isAutomatic() {
			found = append(found, o)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	slices.SortFunc(found, byName)
	for _, t := range append(ledger.Types(), ledger.Raw) {
		want := objects(t)
		slices.SortFunc(want, byName)
		if slices.Equal(want, found) && s.isOf(t) {
			return t, nil
		}
	}
	return "", fail("open", ErrNotProjection)
}

// isOf reports whether the metadata names the type; a map and a table have the
// same objects.
func (s *session) isOf(t ledger.Type) bool {
	script := ""
	err := s.conn.values("SELECT script_sha256 FROM replay_metadata LIMIT 1", nil, func(row []driver.Value) error {
		script, _ = row[0].(string)
		return nil
	})
	return err == nil && script == scriptSum(t)
}

func byName(a, b object) int { return strings.Compare(a.name, b.name) }

// isAutomatic reports whether SQLite made the index for a primary key itself.
func (o object) isAutomatic() bool {
	return o.kind == "index" && o.sql == "" && strings.HasPrefix(o.name, "sqlite_autoindex_")
}

// stopWith stops what runs on the session when ctx ends. The function that it
// returns undoes that; after it the session is free to run something else, or
// to be closed.
func (s *session) stopWith(ctx context.Context) func() {
	s.guard.resume()
	stopped := make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		s.guard.stop()
		close(stopped)
	})
	return sync.OnceFunc(func() {
		if !cancel() {
			<-stopped
		}
	})
}

// grace is how long a statement may take to notice that it was stopped. A few
// functions of SQLite, such as trim on long arguments, work for longer without
// looking up.
const grace = 50 * time.Millisecond

// within waits until done is closed, and reports whether that was before ctx
// had ended and grace was over.
func within(ctx context.Context, done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-ctx.Done():
	}
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case <-done:
		return true
	case <-late.C:
		return false
	}
}

// attempt runs step, and reports whether it came back before ctx had ended and
// grace was over. When it did not, late runs when it does.
func attempt(ctx context.Context, step, late func()) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		step()
	}()
	if within(ctx, done) {
		return true
	}
	go func() {
		<-done
		late()
	}()
	return false
}

// check reports whether query is one statement that only reads.
func (s *session) check(query string) error {
	s.authorizer.denied = false
	err := s.guard.checkStatement(query)
	if err != nil && s.authorizer.denied {
		return fail("query", ErrDenied)
	}
	return s.guard.explain(err)
}

// explain translates the error of a statement that runs.
func (s *session) explain(err error) error {
	if s.authorizer.denied { // by what a statement compiles while it runs
		return fail("query", ErrDenied)
	}
	return s.guard.explain(translate("query", err))
}

func (s *session) close() {
	if s.conn != nil {
		_ = s.conn.close()
	}
	s.guard.free()
}

//go:build cgo

package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/gitledger/gitledger/ledger"
)

// What the file says often, the ledger says as often, and no more when it runs again
// or twice at a time.
func TestLinesThatSayTheSame(t *testing.T) {
	s := newSite(t)
	lines := make([]string, 350)
	for i := range lines {
		lines[i] = `{"name":"n","amount":2}`
	}
	if code, result, said := s.migrate(t.Context(), options{ledger: "counter"}, lines...); code != 0 || result.New != len(lines) {
		t.Errorf("exit code %d, %s", code, said)
	}
	if code, result, said := s.migrate(t.Context(), options{ledger: "counter"}, lines...); code != 0 || result.Present != len(lines) {
		t.Errorf("again: exit code %d, %s", code, said)
	}
	var runs sync.WaitGroup
	for range 2 {
		runs.Go(func() {
			if code, result, said := s.migrate(t.Context(), options{ledger: "log"}, lines...); code != 0 || result.New+result.Present != len(lines) {
				t.Errorf("exit code %d, %s", code, said)
			}
		})
	}
	runs.Wait()
	if got := s.rows("counter", "SELECT value FROM state") + s.rows("log", "SELECT count(*) FROM state"); got != "[[700]][[350]]" {
		t.Errorf("%s", got)
	}
}

// As editors of other systems leave a file.
func TestLineEnds(t *testing.T) {
	s := newSite(t)
	code, result, said := s.migrate(t.Context(), options{ledger: "log"}, "\ufeff{\"n\":1}\r", "\r", "  {\"n\":2}\t\r", "{\"n\":3}")
	if code != 0 || result.New != 3 {
		t.Errorf("exit code %d, %s", code, said)
	}
	if code, result, said := s.migrate(t.Context(), options{ledger: "log"}, `{"n":1}`, `{"n":2}`, `{"n":3}`); code != 0 || result.Present != 3 {
		t.Errorf("without: exit code %d, %s", code, said)
	}
	if code, result, said := s.migrate(t.Context(), options{ledger: "log"}, `{"n":4}`, "\ufeff{\"n\":5}"); code != 3 || result.Unfit != 1 || strings.Contains(said, "agent") {
		t.Errorf("a mark elsewhere: exit code %d, %s", code, said)
	}
}

// endless gives the same line until it is stopped.
type endless struct{ line string }

func (e endless) Read(p []byte) (n int, err error) {
	for n+len(e.line) <= len(p) {
		n += copy(p[n:], e.line)
	}
	return n, nil
}

// A file that never ends takes no more memory than a ledger may.
func TestReadIsBounded(t *testing.T) {
	cfg := ledger.NewConfig("raw", ledger.Raw)
	fits := endless{`{"x":"` + strings.Repeat("x", 8<<10) + "\"}\n"}
	if !testing.Short() { // which is 100 MiB
		if _, err := read(t.Context(), fits, cfg, ""); !errors.Is(err, errTooMuch) {
			t.Error(err)
		}
	}
	// What does not fit is counted, and listed as far as it is shown.
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	bad := io.MultiReader(strings.NewReader(strings.Repeat("x\n", 5*maxProblems)), strings.NewReader("{}\n"))
	if found, err := read(ctx, bad, cfg, ""); err != nil || found.unfit != 5*maxProblems || len(found.problems) != maxProblems || len(found.requests) != 1 {
		t.Error(found, err)
	}
	cancel()
	if _, err := read(ctx, endless{"x\n"}, cfg, ""); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

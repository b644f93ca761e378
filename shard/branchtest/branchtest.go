// Package branchtest is the test suite that every [shard.Branch] must pass, in
// the manner of [testing/fstest]. An implementation gives a function that makes
// a [Store], and calls
//
//	branchtest.Test(t, newStore)
//
// in a test. [Check] is the same without a testing.T: it returns every broken
// rule, in words, joined into one error.
package branchtest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/gitledger/gitledger/shard"
)

// A Store is a place that holds one branch, absent at first, and what the suite
// may do to it beside the interface. Only Open is required; a rule that needs a
// missing function is not checked, and Test says so.
type Store struct {
	// Open returns a handle on the branch that is independent of the others, as
	// another process would have it.
	Open func() (shard.Branch, error)

	// Reader returns a handle that must not be able to change the branch.
	Reader func() (shard.Reader, error)

	// Race makes the next Commit of any handle call step once, after it has
	// compared the branch's head and before it publishes. A step may commit.
	Race func(step func())

	// Plant puts a file on the branch, as somebody else would; it makes the
	// branch when it is absent. The path is slash-separated.
	Plant func(path string, data []byte) error

	// Files returns every file of the branch with its bytes.
	Files func() (map[string]string, error)

	// Fingerprint returns something that changes when anything in the store does.
	Fingerprint func() (string, error)

	// Delete deletes the branch.
	Delete func() error

	// Rewind sets the branch to an earlier head.
	Rewind func(to shard.Head) error

	// Secrets are texts that no error may contain: paths, URLs, credentials.
	Secrets []string

	// Close releases the store.
	Close func() error
}

// Test checks each rule on a store of its own, as a subtest.
func Test(t *testing.T, newStore func() (*Store, error)) {
	t.Helper()
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			missing, err := r.run(t.Context(), newStore)
			if err != nil {
				t.Error(err)
			}
			if missing {
				t.Logf("not checked, the store has no means for it: %s", r.says)
			}
		})
	}
}

// Check checks each rule on a store of its own and returns all that are broken.
func Check(ctx context.Context, newStore func() (*Store, error)) error {
	var all []error
	for _, r := range rules {
		if _, err := r.run(ctx, newStore); err != nil {
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}

// A rule is one sentence of the contract of [shard.Branch].
type rule struct {
	name  string
	says  string
	needs func(*Store) bool // nil: nothing beside Open
	check func(*probe)
}

// run checks the rule on a new store. missing is true when the store has not
// the means.
func (r rule) run(ctx context.Context, newStore func() (*Store, error)) (missing bool, err error) {
	s, err := newStore()
	if err != nil {
		return false, fmt.Errorf("%s: no store: %w", r.name, err)
	}
	p := &probe{ctx: ctx, store: s}
	if r.needs != nil && !r.needs(s) {
		missing = true
	} else {
		p.guard(r.check)
	}
	if s.Close != nil {
		if err := s.Close(); err != nil {
			p.errorf("the store cannot be closed: %v", err)
		}
	}
	if len(p.problems) == 0 {
		return missing, nil
	}
	return missing, fmt.Errorf("rule %q broken: %s\n\t%w", r.name, r.says, errors.Join(p.problems...))
}

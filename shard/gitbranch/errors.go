package gitbranch

import (
	"context"
	"errors"
	"fmt"

	git "github.com/libgit2/git2go/v34"

	"github.com/gitledger/gitledger/shard"
)

// failure is every error that leaves this package. Its text is made of words,
// names and numbers of ours: never a path, a URL, a credential or libgit2's text.
type failure struct {
	kind   error  // one of shard's sentinels, or nil when only the context ended
	ctx    error  // context.Canceled or context.DeadlineExceeded, when that is why
	detail string // a few words or a code
	op     string // what was being done, and on which branch

	damaged bool // an object could not be read
}

func (f *failure) Error() string {
	var cause string
	switch {
	case f.kind != nil && f.ctx != nil:
		cause = f.kind.Error() + ": " + f.ctx.Error()
	case f.kind != nil:
		cause = f.kind.Error()
	default:
		cause = f.ctx.Error()
	}
	text := "gitbranch: "
	if f.op != "" {
		text += f.op + ": "
	}
	text += cause
	if f.detail != "" {
		text += " (" + f.detail + ")"
	}
	return text
}

func (f *failure) Unwrap() []error {
	var all []error
	if f.kind != nil {
		all = append(all, f.kind)
	}
	if f.ctx != nil {
		all = append(all, f.ctx)
	}
	return all
}

func fail(kind error, detail string, args ...any) *failure {
	return &failure{kind: kind, detail: fmt.Sprintf(detail, args...)}
}

// damaged is a read that failed because an object is missing or broken. A cache
// can be thrown away for it; anything else reports it as unavailable.
func damaged(detail string) error {
	return &failure{kind: shard.ErrUnavailable, detail: "an object is missing or damaged: " + detail, damaged: true}
}

func isDamaged(err error) bool {
	var f *failure
	return errors.As(err, &f) && f.damaged
}

// code describes a libgit2 error by its numbers alone.
func code(err error) string {
	var g *git.GitError
	if errors.As(err, &g) {
		return fmt.Sprintf("libgit2 code %d class %d", int(g.Code), int(g.Class))
	}
	return "libgit2"
}

// unavailable turns an error of libgit2 into one of ours.
func unavailable(err error) error { return fail(shard.ErrUnavailable, "%s", code(err)) }

// ended returns the error for a context that is over, or nil. The caller's own
// context is reported as such; our own time limit is an unavailable store.
func ended(ctx context.Context) error {
	err := ctx.Err()
	switch {
	case err == nil:
		return nil
	case context.Cause(ctx) == errTimeout:
		return fail(shard.ErrUnavailable, "timed out")
	default:
		return &failure{ctx: err}
	}
}

var errTimeout = errors.New("gitbranch: time limit reached")

// named says in which operation on which branch err happened.
func named(err error, op, branch string) error {
	if err == nil {
		return nil
	}
	text := op
	if branch != "" {
		text += " " + branch
	}
	var f *failure
	if errors.As(err, &f) {
		out := *f
		out.op = text
		return &out
	}
	return fmt.Errorf("gitbranch: %s: %w", text, err) // a *shard.LimitError
}

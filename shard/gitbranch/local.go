package gitbranch

import (
	"context"
	"time"

	git "github.com/libgit2/git2go/v34"

	"github.com/gitledger/gitledger/shard"
)

// local publishes straight into a repository on this machine. libgit2's own
// local transport replaces a reference without looking at its old value, and so
// loses a racing writer's commit; a reference's own SetTarget compares first.
type local struct {
	beforeUpdate func() // a test's seam, between the comparison and the update
}

// head returns the commit that ref is at, or zero when there is no such branch.
func (l *local) head(ctx context.Context, h *handle, ref string) (git.Oid, error) {
	if err := ended(ctx); err != nil {
		return git.Oid{}, err
	}
	r, id, err := lookup(h, ref)
	if r != nil {
		r.Free()
	}
	return id, err
}

// prepare spares a lost race the writing of objects.
func (l *local) prepare(ctx context.Context, h *handle, ref string, expect git.Oid) error {
	now, err := l.head(ctx, h, ref)
	if err == nil && now != expect {
		return fail(shard.ErrHeadMoved, "found before the change was made")
	}
	return err
}

func lookup(h *handle, ref string) (*git.Reference, git.Oid, error) {
	r, err := h.repo.References.Lookup(ref)
	switch {
	case git.IsErrorCode(err, git.ErrorCodeNotFound):
		return nil, git.Oid{}, nil
	case err != nil:
		return nil, git.Oid{}, unavailable(err)
	case r.Type() != git.ReferenceOid:
		r.Free()
		return nil, git.Oid{}, fail(shard.ErrUnavailable, "the branch is a symbolic reference")
	}
	return r, *r.Target(), nil
}

// publish moves ref from expect to next, if it is at expect.
func (l *local) publish(ctx context.Context, h *handle, ref string, expect, next git.Oid) error {
	if err := checkedOut(h, ref); err != nil {
		return err
	}
	for wait := time.Millisecond; ; wait *= 2 {
		err := l.update(ctx, h, ref, expect, next)
		if !git.IsErrorCode(err, git.ErrorCodeLocked) {
			return err
		}
		if wait > maxLockWait {
			return fail(shard.ErrLocked, "a reference lock exists")
		}
		select {
		case <-ctx.Done():
			return ended(ctx)
		case <-time.After(wait):
		}
	}
}

// maxLockWait bounds the wait for a live writer, which holds a lock for
// milliseconds. All waits together are twice that.
const maxLockWait = 256 * time.Millisecond

// update tries once. A lock is returned as libgit2's error, to be tried again.
func (l *local) update(ctx context.Context, h *handle, ref string, expect, next git.Oid) error {
	if err := ended(ctx); err != nil {
		return err
	}
	r, now, err := lookup(h, ref)
	if err != nil {
		return err
	}
	if r != nil {
		defer r.Free()
	}
	if now != expect {
		return fail(shard.ErrHeadMoved, "found before the update")
	}
	if next == expect {
		return nil
	}
	if l.beforeUpdate != nil {
		l.beforeUpdate()
	}
	var moved *git.Reference
	if r == nil {
		moved, err = h.repo.References.Create(ref, &next, false, reflogMessage)
	} else {
		moved, err = r.SetTarget(&next, reflogMessage)
	}
	switch {
	case err == nil:
		moved.Free()
		return nil
	case git.IsErrorCode(err, git.ErrorCodeLocked):
		return err
	case git.IsErrorCode(err, git.ErrorCodeModified), git.IsErrorCode(err, git.ErrorCodeNotFound),
		git.IsErrorCode(err, git.ErrorCodeExists):
		return l.lost(h, ref, expect, err)
	default:
		return fail(shard.ErrRefused, "reference update: %s", code(err))
	}
}

// lost tells a moved branch from a name that can never be one, such as
// ledgers/x where a branch named ledgers exists.
func (l *local) lost(h *handle, ref string, expect git.Oid, cause error) error {
	r, now, err := lookup(h, ref)
	if r != nil {
		r.Free()
	}
	if err == nil && now.IsZero() && expect.IsZero() {
		return fail(shard.ErrRefused, "reference update: %s", code(cause))
	}
	return fail(shard.ErrHeadMoved, "found by the update")
}

const reflogMessage = "gitledger: commit"

// checkedOut refuses to move a branch under somebody's working tree.
func checkedOut(h *handle, ref string) error {
	if h.repo.IsBare() {
		return nil
	}
	head, err := h.repo.References.Lookup("HEAD")
	if err != nil {
		return unavailable(err)
	}
	defer head.Free()
	if head.Type() == git.ReferenceSymbolic && head.SymbolicTarget() == ref {
		return fail(shard.ErrRefused, "the branch is checked out")
	}
	return nil
}

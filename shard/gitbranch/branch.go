package gitbranch

import (
	"context"

	git "github.com/libgit2/git2go/v34"

	"github.com/gitledger/gitledger/shard"
)

// reader is one branch, to read.
type reader struct {
	repo *Repository
	name string
	ref  string
}

var _ shard.Reader = (*reader)(nil)

// branch is one branch, to read and to change.
type branch struct{ reader }

var _ shard.Branch = (*branch)(nil)

// Snapshot implements [shard.Reader].
func (b *reader) Snapshot(ctx context.Context, limits shard.Limits) (*shard.Snapshot, error) {
	var snap *shard.Snapshot
	err := b.repo.do(ctx, func(ctx context.Context, h *handle) error {
		head, err := b.repo.store.head(ctx, h, b.ref)
		if err != nil {
			return err
		}
		if head.IsZero() {
			snap = &shard.Snapshot{}
			return nil
		}
		snap, err = h.readCommit(ctx, head, limits)
		return err
	})
	if err != nil {
		return nil, named(err, "snapshot of", b.name)
	}
	return snap, nil
}

// Commit implements [shard.Branch].
func (b *branch) Commit(ctx context.Context, expect shard.Head, change shard.Change) (shard.Head, error) {
	var head shard.Head
	err := change.Validate()
	if err == nil {
		err = b.repo.do(ctx, func(ctx context.Context, h *handle) error {
			next, err := b.commit(ctx, h, expect, change)
			if err == nil && !next.IsZero() {
				head = shard.Head(next.String())
			}
			return err
		})
	}
	if err != nil {
		return "", named(err, "commit to", b.name)
	}
	return head, nil
}

func (b *branch) commit(ctx context.Context, h *handle, expect shard.Head, change shard.Change) (git.Oid, error) {
	parent, ok := parseHead(expect)
	if !ok {
		return git.Oid{}, fail(shard.ErrHeadMoved, "not a head of this branch")
	}
	if err := b.repo.store.prepare(ctx, h, b.ref, parent); err != nil {
		return git.Oid{}, err
	}
	by, err := sign(b.repo.options, b.repo.options.Now())
	if err != nil {
		return git.Oid{}, err
	}
	next, err := h.commit(ctx, parent, change, by)
	if err != nil {
		return git.Oid{}, err
	}
	return next, b.repo.store.publish(ctx, h, b.ref, parent, next)
}

// parseHead reads a head that this package gave.
func parseHead(head shard.Head) (git.Oid, bool) {
	if head == "" {
		return git.Oid{}, true
	}
	id, err := git.NewOid(string(head))
	if err != nil || id.String() != string(head) || id.IsZero() {
		return git.Oid{}, false
	}
	return *id, true
}

// do runs one operation with a handle and the time limit. When an object of the
// cache turns out to be damaged, the cache is thrown away and the operation runs
// again: it cannot have published anything yet.
func (r *Repository) do(ctx context.Context, f func(context.Context, *handle) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, r.options.Timeout, errTimeout)
	defer cancel()
	for again := r.cache != nil; ; again = false {
		if err := ended(ctx); err != nil {
			return err
		}
		h, err := r.pool.get()
		if err != nil {
			return err
		}
		if err = r.indexes.check(ctx, h.loose.folders); err == nil {
			err = f(ctx, h)
		}
		heal := again && isDamaged(err) && r.cache.discard(h)
		if heal {
			r.options.Logger.WarnContext(ctx, "cache is damaged and fetched anew")
			r.pool.renew()
		}
		r.pool.put(h)
		if !heal {
			return err
		}
	}
}

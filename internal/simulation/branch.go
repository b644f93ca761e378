package simulation

import (
	"context"
	"errors"
	"time"

	"github.com/gitledger/gitledger/internal/membranch"
	"github.com/gitledger/gitledger/shard"
)

// remote is a branch as one process has it, at the far end of a network that
// delays, loses requests and loses answers.
type remote struct {
	*process
	world *world
	store *store
}

var _ shard.Branch = (*remote)(nil)

// store is where a branch really is.
type store struct {
	name   string // of the ledger
	branch *membranch.Branch
	broken fault // what is wrong with it, on purpose; see TestBrokenBranches
}

// Snapshot implements [shard.Reader].
func (r *remote) Snapshot(ctx context.Context, limits shard.Limits) (*shard.Snapshot, error) {
	if err := r.step(); err != nil {
		return nil, err
	}
	r.wait(r.world.delay())
	if r.world.strikes(20) {
		r.world.note("%s: %s: snapshot fails", r.name, r.store.name)
		return nil, shard.ErrUnavailable
	}
	snap, err := r.store.branch.Snapshot(ctx, limits)
	if err != nil {
		return nil, err
	}
	r.world.note("%s: %s: snapshot at %.6s with %d shards", r.name, r.store.name, snap.Head, len(snap.Shards))
	r.wait(r.world.delay())
	return snap, r.step()
}

// Commit implements [shard.Branch].
func (r *remote) Commit(ctx context.Context, expect shard.Head, change shard.Change) (shard.Head, error) {
	if err := r.step(); err != nil { // before anything was sent
		return "", err
	}
	r.wait(r.world.delay())
	if r.world.strikes(12) {
		return r.lose(expect, change)
	}
	head, err := r.land(expect, change)
	r.wait(r.world.delay())
	if dead := r.step(); dead != nil { // after it landed
		return "", dead
	}
	return head, err
}

// lose is a commit that gets no answer, or one that says nothing.
func (r *remote) lose(expect shard.Head, change shard.Change) (shard.Head, error) {
	w := r.world
	switch w.random.IntN(5) {
	case 0:
		w.note("%s: %s: nothing was sent", r.name, r.store.name)
		return "", shard.ErrUnavailable
	case 1:
		w.note("%s: %s: locked", r.name, r.store.name)
		return "", shard.ErrLocked
	case 2:
		w.note("%s: %s: the request is lost", r.name, r.store.name)
	case 3:
		r.land(expect, change)
		w.note("%s: %s: the answer is lost", r.name, r.store.name)
	case 4: // it arrives when nobody waits for it any more
		w.note("%s: %s: the request is late", r.name, r.store.name)
		r.after(w.delay()*time.Duration(1+w.random.IntN(8)), func() { r.land(expect, change) })
		return "", shard.ErrOutcomeUnknown
	}
	r.wait(w.delay())
	if err := r.step(); err != nil {
		return "", err
	}
	return "", shard.ErrOutcomeUnknown
}

// land is the moment at which a commit is published, or is not.
func (r *remote) land(expect shard.Head, change shard.Change) (shard.Head, error) {
	head, err := r.store.commit(expect, change)
	r.world.note("%s: %s: commit +%d -%d onto %.6s: %.6s %v", r.name, r.store.name, len(change.Add), len(change.Delete), expect, head, err)
	if err == nil {
		r.world.stats.landed++
	}
	if errors.Is(err, shard.ErrHeadMoved) {
		r.world.stats.moved++
	}
	return head, err
}

// fault is a way for a branch not to be one.
type fault int

const (
	sound         fault = iota
	noGuard             // a commit is made onto whatever is there
	overwrites          // a commit puts back what its author saw
	forgets             // a commit is acknowledged and not made
	halves              // a change is published in two commits
	dropsDeletion       // additions are left out of changes that delete
)

// commit publishes a change, as well as the store can.
func (s *store) commit(expect shard.Head, change shard.Change) (shard.Head, error) {
	ctx := context.Background()
	switch s.broken {
	case noGuard:
		expect = s.branch.Head()
	case overwrites:
		for _, v := range s.branch.Kept() {
			if v.Head == expect && expect != s.branch.Head() {
				s.branch.Edit(func(files map[string]membranch.File) {
					clear(files)
					for path, f := range v.Files {
						files[path] = f
					}
				})
				expect = s.branch.Head()
				break
			}
		}
	case forgets:
		if expect == s.branch.Head() && len(s.branch.Files())%3 == 2 {
			return "forgotten", nil
		}
	case halves:
		if len(change.Delete) > 0 {
			head, err := s.branch.Commit(ctx, expect, shard.Change{Delete: change.Delete})
			if err != nil {
				return "", err
			}
			expect, change.Delete = head, nil
		}
	case dropsDeletion:
		if len(change.Delete) > 0 {
			change.Add = nil
		}
	}
	return s.branch.Commit(ctx, expect, change)
}

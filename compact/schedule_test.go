package compact_test

import (
	"context"
	"math/rand/v2"

	"github.com/gitledger/gitledger/shard"
)

// scheduler runs actors one at a time. Each runs until it yields; who goes on
// then is drawn from rng, so that one seed is one interleaving.
type scheduler struct {
	rng    *rand.Rand
	actors []*actor
	trace  []byte
}

// actor is one program. It waits at turn until the scheduler lets it go on, and
// says on paused that it came to the next point, or to its end.
type actor struct {
	name   byte
	turn   chan struct{}
	paused chan bool // true at the end
}

// start adds an actor; it does nothing before run.
func (s *scheduler) start(name byte, program func(yield func(point byte))) {
	a := &actor{name: name, turn: make(chan struct{}), paused: make(chan bool)}
	s.actors = append(s.actors, a)
	go func() {
		<-a.turn
		program(func(point byte) {
			s.trace = append(s.trace, a.name, point) // one actor runs at a time
			a.paused <- false
			<-a.turn
		})
		a.paused <- true
	}()
}

// run lets the actors run to their ends. It reports whether that took at most
// limit turns; the actors that are left stay where they are.
func (s *scheduler) run(limit int) bool {
	for turns := 0; len(s.actors) > 0; turns++ {
		if turns == limit {
			return false
		}
		i := s.rng.IntN(len(s.actors))
		a := s.actors[i]
		a.turn <- struct{}{}
		if <-a.paused {
			s.actors = append(s.actors[:i], s.actors[i+1:]...)
		}
	}
	return true
}

// stepped is a branch that yields at each point where another program may come
// in between: before it fetches, before it validates, before it pushes, and
// before it hears of it.
type stepped struct {
	shard.Branch
	yield func(point byte)
	lose  func() bool // whether an answer to a push is lost; nil is never
}

func (b stepped) Snapshot(ctx context.Context, limits shard.Limits) (*shard.Snapshot, error) {
	b.yield('f')
	snap, err := b.Branch.Snapshot(ctx, limits)
	b.yield('v')
	return snap, err
}

func (b stepped) Commit(ctx context.Context, expect shard.Head, c shard.Change) (shard.Head, error) {
	b.yield('p')
	head, err := b.Branch.Commit(ctx, expect, c)
	b.yield('a')
	if err == nil && b.lose != nil && b.lose() {
		return "", shard.ErrOutcomeUnknown
	}
	return head, err
}

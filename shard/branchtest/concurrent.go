package branchtest

import (
	"errors"
	"fmt"
	"sync"

	"github.com/gitledger/gitledger/shard"
)

func canRace(s *Store) bool { return s.Race != nil }

// duel lets mine commit c on head while theirs commits other in between.
func (p *probe) duel(head shard.Head, c, other shard.Change) (theirs shard.Head) {
	a, b := p.open(), p.open()
	stepped := false
	p.store.Race(func() {
		stepped = true
		h, err := b.Commit(p.ctx, head, other)
		if err != nil {
			p.errorf("the writer in between failed: %v", err)
		}
		theirs = h
	})
	lost, err := a.Commit(p.ctx, head, c)
	if !stepped {
		p.fatalf("the store's Race did not call its step")
	}
	p.failed("the writer that was overtaken", lost, err, shard.ErrHeadMoved)
	return theirs
}

func race(p *probe) {
	one, two, three := p.add("1\n"), p.add("2\n"), p.add("3\n")
	head := p.commit(p.open(), "", adding(one))
	theirs := p.duel(head, adding(two), adding(three))
	snap := p.look()
	if snap.Head != theirs {
		p.errorf("the branch is not where the winner left it")
	}
	p.holds("after the race", snap, one, three)
	p.commit(p.open(), snap.Head, adding(two))
	p.holds("after the loser tried again", p.look(), one, two, three)
}

func raceCreate(p *probe) {
	one, two := p.add("1\n"), p.add("2\n")
	theirs := p.duel("", adding(one), adding(two))
	snap := p.look()
	if snap.Head != theirs {
		p.errorf("the branch is not where the winner left it")
	}
	p.holds("after the race", snap, two)
}

func raceDelete(p *probe) {
	one, two, three := p.add("1\n"), p.add("2\n"), p.add("3\n")
	head := p.commit(p.open(), "", adding(one))
	p.duel(head, shard.Change{Add: []shard.Addition{two}, Delete: []shard.ID{one.ID}, State: []byte("{}\n")}, adding(three))
	snap := p.look()
	p.holds("after the race", snap, one, three)
	if snap.State != nil {
		p.errorf("the loser's state was written")
	}
}

func notYetVisible(p *probe) {
	one, two := p.add("1\n"), p.add("2\n")
	head := p.commit(p.open(), "", shard.Change{Add: []shard.Addition{one}, State: []byte("1\n")})
	before := p.look()
	looked := false
	p.store.Race(func() {
		looked = true
		p.same("before publication", before, p.look())
	})
	p.commit(p.open(), head, shard.Change{Add: []shard.Addition{two}, Delete: []shard.ID{one.ID}, State: []byte("2\n")})
	if !looked {
		p.fatalf("the store's Race did not call its step")
	}
	p.holds("after publication", p.look(), two)
}

// wholeVisible replaces one shard and the state by others, over and over, while
// readers look: each must see a shard and the state that belongs to it.
func wholeVisible(p *probe) {
	const changes, readers = 8, 2
	step := p.add("0\n")
	writer := p.open()
	head := p.commit(writer, "", shard.Change{Add: []shard.Addition{step}, State: []byte("0\n")})
	handles := make([]shard.Branch, readers)
	for i := range handles {
		handles[i] = p.open()
	}
	stop := make(chan struct{})
	var looking sync.WaitGroup
	for _, r := range handles {
		looking.Go(func() {
			for {
				p.guard(func(p *probe) {
					snap := p.snapshot(r)
					if len(snap.Shards) != 1 || string(snap.Shards[0].Data) != string(snap.State) {
						p.fatalf("a reader saw %d shards, or a state of another change", len(snap.Shards))
					}
				})
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	for i := range changes {
		text := fmt.Sprintf("%d\n", i+1)
		next := p.add(text)
		moved, err := writer.Commit(p.ctx, head, shard.Change{
			Add: []shard.Addition{next}, Delete: []shard.ID{step.ID}, State: []byte(text),
		})
		if err != nil {
			p.errorf("Commit while others read: %v", err)
			break
		}
		head, step = moved, next
	}
	close(stop)
	looking.Wait()
}

func contention(p *probe) {
	const writers, commits = 4, 2
	var mu sync.Mutex
	var acknowledged []shard.Addition
	var writing sync.WaitGroup
	for w := range writers {
		b := p.open()
		writing.Go(func() {
			p.guard(func(p *probe) {
				for i := range commits {
					a := p.add(fmt.Sprintf("writer %d commit %d\n", w, i))
					p.insist(b, a)
					mu.Lock()
					acknowledged = append(acknowledged, a)
					mu.Unlock()
				}
			})
		})
	}
	writing.Wait()
	p.holds("after all writers", p.look(), acknowledged...)
}

// insist commits a shard on whatever head the branch has, as often as it takes.
func (p *probe) insist(b shard.Branch, a shard.Addition) {
	for range 200 {
		snap := p.snapshot(b)
		_, err := b.Commit(p.ctx, snap.Head, adding(a))
		if err == nil {
			return
		}
		p.clean(err)
		if !errors.Is(err, shard.ErrHeadMoved) && !errors.Is(err, shard.ErrLocked) {
			p.fatalf("Commit under contention: %v", err)
		}
	}
	p.fatalf("a writer did not get through in 200 attempts")
}

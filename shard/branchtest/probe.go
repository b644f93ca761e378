package branchtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/gitledger/gitledger/shard"
)

// probe checks one rule on one store. It goes on after a problem where it can,
// and gives up the rule where it cannot.
type probe struct {
	ctx   context.Context
	store *Store
	eye   shard.Branch // a handle that only looks

	mu       sync.Mutex
	problems []error
}

type giveUp struct{}

func (p *probe) guard(check func(*probe)) {
	defer func() {
		switch r := recover(); r.(type) {
		case nil, giveUp:
		default:
			p.errorf("panic: %v", r)
		}
	}()
	check(p)
}

func (p *probe) errorf(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.problems = append(p.problems, fmt.Errorf(format, args...))
}

func (p *probe) fatalf(format string, args ...any) {
	p.errorf(format, args...)
	panic(giveUp{})
}

func (p *probe) open() shard.Branch {
	b, err := p.store.Open()
	if err != nil {
		p.fatalf("Open: %v", err)
	}
	return b
}

// look reads the branch through a handle that never commits.
func (p *probe) look() *shard.Snapshot {
	if p.eye == nil {
		p.eye = p.open()
	}
	return p.snapshot(p.eye)
}

// snapshot reads the branch with wide limits, and checks what holds of any snapshot.
func (p *probe) snapshot(r shard.Reader) *shard.Snapshot {
	snap, err := r.Snapshot(p.ctx, shard.MaintenanceLimits())
	if err != nil {
		p.clean(err)
		p.fatalf("Snapshot: %v", err)
	}
	if snap == nil {
		p.fatalf("Snapshot returned neither a snapshot nor an error")
	}
	p.sound(snap)
	return snap
}

func (p *probe) sound(snap *shard.Snapshot) {
	for i, s := range snap.Shards {
		if i > 0 && snap.Shards[i-1].Name >= s.Name {
			p.errorf("shards are not in byte order of their names, or one is there twice")
		}
		if s.Fault != "" {
			if s.Data != nil {
				p.errorf("a shard with a fault has data")
			}
			continue
		}
		if s.ID.IsZero() || s.ID.FileName() != s.Name {
			p.errorf("a shard's ID is not that of its name")
		}
		if s.Size != int64(len(s.Data)) {
			p.errorf("a shard's size is %d and its data has %d bytes", s.Size, len(s.Data))
		}
	}
	if snap.Head == "" && (len(snap.Shards) > 0 || snap.State != nil) {
		p.errorf("a zero head has shards or a state")
	}
}

// commit must succeed.
func (p *probe) commit(b shard.Branch, expect shard.Head, c shard.Change) shard.Head {
	head, err := b.Commit(p.ctx, expect, c)
	if err != nil {
		p.clean(err)
		p.fatalf("Commit: %v", err)
	}
	if head == "" {
		p.errorf("Commit succeeded with a zero head")
	}
	return head
}

// refuse is a commit that must fail with want and change nothing.
func (p *probe) refuse(what string, b shard.Branch, expect shard.Head, c shard.Change, want error) {
	before := p.look()
	head, err := b.Commit(p.ctx, expect, c)
	p.failed(what, head, err, want)
	p.same(what, before, p.look())
}

// failed checks the outcome of a commit that had to fail.
func (p *probe) failed(what string, head shard.Head, err, want error) {
	switch {
	case err == nil:
		p.errorf("%s: Commit succeeded; want an error that matches %q", what, want)
	case !errors.Is(err, want):
		p.errorf("%s: Commit failed with %q; want an error that matches %q", what, err, want)
	case head != "":
		p.errorf("%s: Commit returned a head together with an error", what)
	}
	p.clean(err)
}

// clean checks what holds of any error of a branch.
func (p *probe) clean(err error) {
	if err == nil {
		return
	}
	matches := 0
	for _, s := range sentinels {
		if errors.Is(err, s) {
			matches++
		}
	}
	if matches > 1 {
		p.errorf("an error matches %d of shard's errors: %v", matches, err)
	}
	for _, secret := range p.store.Secrets {
		if secret != "" && strings.Contains(err.Error(), secret) {
			p.errorf("an error's text holds a path, URL or credential")
		}
	}
}

var sentinels = []error{
	shard.ErrHeadMoved, shard.ErrOutcomeUnknown, shard.ErrIdentityCollision,
	shard.ErrShardMissing, shard.ErrTooLarge, shard.ErrLocked, shard.ErrUnauthorized,
	shard.ErrRefused, shard.ErrUnavailable, shard.ErrInvalidChange,
}

// same reports any difference between two snapshots.
func (p *probe) same(what string, a, b *shard.Snapshot) {
	if a.Head != b.Head {
		p.errorf("%s: the head changed", what)
	}
	p.sameContent(what, a, b)
}

func (p *probe) sameContent(what string, a, b *shard.Snapshot) {
	x, y := content(a), content(b)
	for name, data := range x {
		switch other, ok := y[name]; {
		case !ok:
			p.errorf("%s: shard %s is gone", what, name)
		case other != data:
			p.errorf("%s: shard %s has other bytes", what, name)
		}
	}
	for name := range y {
		if _, ok := x[name]; !ok {
			p.errorf("%s: shard %s appeared", what, name)
		}
	}
	if !bytes.Equal(a.State, b.State) || (a.State == nil) != (b.State == nil) {
		p.errorf("%s: the state file changed", what)
	}
}

func content(s *shard.Snapshot) map[string]string {
	m := make(map[string]string, len(s.Shards))
	for _, x := range s.Shards {
		m[x.Name] = string(x.Fault) + "\x00" + string(x.Data)
	}
	return m
}

// holds checks that a snapshot has exactly these shards.
func (p *probe) holds(what string, snap *shard.Snapshot, want ...shard.Addition) {
	expect := &shard.Snapshot{State: snap.State}
	for _, a := range want {
		expect.Shards = append(expect.Shards, shard.Shard{Name: a.ID.FileName(), Data: a.Data})
	}
	p.sameContent(what, expect, snap)
}

// add makes an addition with a new ID.
func (p *probe) add(text string) shard.Addition {
	id, err := shard.NewID()
	if err != nil {
		p.fatalf("NewID: %v", err)
	}
	return shard.Addition{ID: id, Data: []byte(text)}
}

func adding(a ...shard.Addition) shard.Change { return shard.Change{Add: a, Message: "test"} }

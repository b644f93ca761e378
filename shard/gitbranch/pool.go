package gitbranch

import (
	"sync"

	"github.com/gitledger/gitledger/shard"
)

// pool keeps open handles for the next operation. libgit2 lets several threads
// use one repository only in part, so each operation has a handle to itself.
type pool struct {
	open func() (*handle, error)

	mu     sync.Mutex
	idle   []*handle
	gen    int
	closed bool
}

const maxIdle = 4

func (p *pool) get() (*handle, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, fail(shard.ErrUnavailable, "the repository is closed")
	}
	gen := p.gen
	if n := len(p.idle); n > 0 {
		h := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return h, nil
	}
	p.mu.Unlock()
	h, err := p.open()
	if err != nil {
		return nil, err
	}
	h.gen = gen
	return h, nil
}

func (p *pool) put(h *handle) {
	p.mu.Lock()
	keep := !p.closed && h.gen == p.gen && len(p.idle) < maxIdle
	if keep {
		p.idle = append(p.idle, h)
	}
	p.mu.Unlock()
	if !keep {
		h.free()
	}
}

// renew makes the pool forget its handles, because what they have open is gone.
func (p *pool) renew() {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.gen = nil, p.gen+1
	p.mu.Unlock()
	for _, h := range idle {
		h.free()
	}
}

func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.renew()
}

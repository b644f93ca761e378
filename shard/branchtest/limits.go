package branchtest

import (
	"errors"
	"strings"

	"github.com/gitledger/gitledger/shard"
)

// fill makes a branch of three shards with 10, 20 and 30 bytes.
func (p *probe) fill() shard.Branch {
	b := p.open()
	p.commit(b, "", adding(p.add(strings.Repeat("x", 10)), p.add(strings.Repeat("y", 20)), p.add(strings.Repeat("z", 30))))
	return b
}

func (p *probe) exceeds(b shard.Reader, limits shard.Limits, what string, limit int64) {
	snap, err := b.Snapshot(p.ctx, limits)
	var detail *shard.LimitError
	switch {
	case err == nil:
		p.errorf("Snapshot succeeded; want ErrTooLarge for %s", what)
	case !errors.Is(err, shard.ErrTooLarge) || !errors.As(err, &detail):
		p.errorf("Snapshot failed with %q; want a LimitError that matches ErrTooLarge", err)
	case detail.What != what || detail.Limit != limit:
		p.errorf("the LimitError is for %d %s; want %d %s", detail.Limit, detail.What, limit, what)
	case snap != nil:
		p.errorf("Snapshot returned a snapshot together with an error")
	}
	p.clean(err)
}

func (p *probe) fits(b shard.Reader, limits shard.Limits) *shard.Snapshot {
	snap, err := b.Snapshot(p.ctx, limits)
	if err != nil {
		p.fatalf("exactly at the limit, Snapshot failed: %v", err)
	}
	p.sound(snap)
	return snap
}

func limitFiles(p *probe) {
	b := p.fill()
	p.fits(b, shard.Limits{Files: 3, Bytes: 1000, FileBytes: 100})
	p.exceeds(b, shard.Limits{Files: 2, Bytes: 1000, FileBytes: 100}, "files", 2)
}

func limitBytes(p *probe) {
	b := p.fill()
	p.fits(b, shard.Limits{Files: 10, Bytes: 60, FileBytes: 100})
	p.exceeds(b, shard.Limits{Files: 10, Bytes: 59, FileBytes: 100}, "bytes", 59)
}

func limitFileBytes(p *probe) {
	b := p.fill()
	whole := p.fits(b, shard.Limits{Files: 10, Bytes: 60, FileBytes: 30})
	for _, s := range whole.Shards {
		if s.Fault != "" {
			p.errorf("a shard of exactly the file limit has the fault %q", s.Fault)
		}
	}
	snap := p.fits(b, shard.Limits{Files: 10, Bytes: 30, FileBytes: 29})
	faults := 0
	for _, s := range snap.Shards {
		if s.Size == 30 {
			faults++
			if s.Fault != shard.FaultSize {
				p.errorf("a shard over the file limit has the fault %q", s.Fault)
			}
		} else if s.Fault != "" {
			p.errorf("a shard within the file limit has the fault %q", s.Fault)
		}
	}
	if faults != 1 || len(snap.Shards) != 3 {
		p.errorf("a snapshot lists %d shards, %d of them over the file limit; want 3 and 1", len(snap.Shards), faults)
	}
}

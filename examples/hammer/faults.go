package main

import (
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/gitledger/gitledger/internal/gittest"
)

// faults make a server fail for a share of its requests.
type faults struct {
	share float64

	mu     sync.Mutex
	random *rand.Rand
	done   map[string]int // how many of each kind
}

func newFaults(share float64, seed uint64) *faults {
	return &faults{share: share, random: rand.New(rand.NewPCG(seed, 1)), done: map[string]int{}}
}

// allFaults are the faults by name. The number is how many bytes of an answer are
// sent or left out.
func allFaults() map[string]func(n int) gittest.Fault {
	return map[string]func(int) gittest.Fault{
		"500 before":  func(int) gittest.Fault { return gittest.Status(500) },
		"500 after":   func(int) gittest.Fault { return gittest.StatusAfter(500) },
		"reset":       func(int) gittest.Fault { return gittest.Reset() },
		"reset after": gittest.ResetAfter,
		"truncated":   func(n int) gittest.Fault { return gittest.Truncate(-1 - n) },
		"hang":        func(int) gittest.Fault { return gittest.Hang() },
		"hang after":  gittest.HangAfter,
		"slow":        func(n int) gittest.Fault { return gittest.Slow(64+n, 2*time.Millisecond) },
	}
}

// into puts the faults into every step of a server.
func (f *faults) into(s *gittest.Server) {
	for _, step := range []gittest.Step{gittest.FetchRefs, gittest.FetchPack, gittest.PushRefs, gittest.PushPack} {
		s.Always(step, func(c *gittest.Call) {
			if fault := f.draw(); fault != nil {
				fault(c)
				return
			}
			c.Next.ServeHTTP(c.W, c.R)
		})
	}
}

// draw returns a fault, or nil.
func (f *faults) draw() gittest.Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.random.Float64() >= f.share {
		return nil
	}
	all := allFaults()
	names := slices.Sorted(maps.Keys(all))
	name := names[f.random.IntN(len(names))]
	f.done[name]++
	return all[name](f.random.IntN(60))
}

// counts returns how many there were of each kind.
func (f *faults) counts() map[string]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.done)
}

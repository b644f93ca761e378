package txn

import (
	"context"
	"math/rand/v2"
	"time"
)

// Backoff says how long to wait before a ledger's batch is tried again.
//
// Writers of one branch are separate processes that know nothing of each
// other. What a writer can see is how long its own attempt took, from the
// fetch to the answer to its push; another push that lands within that time
// defeats it. So it waits a random time within a window of several attempts'
// length, which grows each time it loses: with sixteen writers the first
// window already spreads them so far that most of them win the next time. A
// window that knew nothing of the attempts' length would be too short on a
// slow server, and wasteful on a fast one.
type Backoff struct {
	// Base is the least length that an attempt is taken to have; 0 is 20 ms.
	Base time.Duration

	// Max bounds the window; 0 is 20 s.
	Max time.Duration

	// Jitter returns a random duration from 0 to window; nil is uniform.
	Jitter func(window time.Duration) time.Duration

	// Sleep waits, or returns the context's error as soon as it ends; nil is a
	// timer.
	Sleep func(ctx context.Context, d time.Duration) error
}

func (b Backoff) withDefaults() Backoff {
	if b.Base <= 0 {
		b.Base = 20 * time.Millisecond
	}
	if b.Max <= 0 {
		b.Max = 20 * time.Second
	}
	if b.Jitter == nil {
		b.Jitter = func(window time.Duration) time.Duration { return rand.N(window + 1) }
	}
	if b.Sleep == nil {
		b.Sleep = sleep
	}
	return b
}

// firstSpread is the first window, in attempts. Sixteen writers that start at
// once on a server that is bound by latency need a window of as many attempts
// for the pushes to stay below three times the commits.
const firstSpread = 16

// window is the time within which to try again after losses in a row, of which
// the last took the given time. It grows by half each time.
func (b Backoff) window(losses int, took time.Duration) time.Duration {
	w := max(took, b.Base) * firstSpread
	for range losses - 1 {
		if w >= b.Max {
			break
		}
		w += w / 2
	}
	return min(w, b.Max)
}

func (b Backoff) wait(ctx context.Context, losses int, took time.Duration) error {
	return b.Sleep(ctx, b.Jitter(b.window(losses, took)))
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

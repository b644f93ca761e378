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
// fetch to the answer to its push: another push that lands within that time
// defeats it. So it waits a random time within a window of so many attempts'
// length, on a slow server as on a fast one. The first window is short, since
// most collisions are between two writers. When two or more commits have
// landed by the time it looks again, there are many: it gives way once without
// pushing, and goes on with windows in which sixteen writers find room, and
// which grow each time it loses.
type Backoff struct {
	// Base is the least length that an attempt is taken to have; 0 is 20 ms.
	Base time.Duration

	// Max bounds the window; 0 is 2 minutes.
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
		b.Max = 2 * time.Minute
	}
	if b.Jitter == nil {
		b.Jitter = func(window time.Duration) time.Duration { return rand.N(window + 1) }
	}
	if b.Sleep == nil {
		b.Sleep = sleep
	}
	return b
}

// Windows, in attempts. With a second window of 20 sixteen writers that start
// at once push less than three times for each commit, whether the server is
// bound by latency or by its processors.
const (
	firstSpread = 4
	nextSpread  = 20
)

// contention is the window after a number of losses in a row to other writers,
// of which the last took the given time.
func (b Backoff) contention(losses int, took time.Duration) time.Duration {
	took = min(max(took, b.Base), b.Max)
	if losses <= 1 {
		return min(took*firstSpread, b.Max)
	}
	w := took * nextSpread
	for range losses - 2 {
		if w >= b.Max {
			break
		}
		w += w / 2
	}
	return min(w, b.Max)
}

// patience is the first window, in Bases, after a failure that is no loss to
// another writer.
const patience = 50

// trouble is the window after a number of such failures in a row.
func (b Backoff) trouble(failures int) time.Duration {
	w := b.Base * patience
	for range failures - 1 {
		if w >= b.Max {
			break
		}
		w *= 2
	}
	return min(w, b.Max)
}

func (b Backoff) wait(ctx context.Context, window time.Duration) error {
	return b.Sleep(ctx, b.Jitter(window))
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

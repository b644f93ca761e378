package compact

import (
	"context"
	"time"
)

// Backoff waits before another attempt, of which there have been some already.
// It MUST return soon after ctx ends, with its error.
type Backoff func(ctx context.Context, attempts int) error

const (
	firstWait   = 100 * time.Millisecond
	longestWait = 5 * time.Second
)

// wait is the default Backoff.
func wait(ctx context.Context, attempts int) error {
	d := firstWait
	for range attempts - 1 {
		if d *= 2; d >= longestWait {
			d = longestWait
			break
		}
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// Package randtest gives tests randomness that can be repeated, and amounts of
// it that can be raised.
package randtest

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

// New returns a source that is seeded from GITLEDGER_SEED, or else from the
// clock. It logs the seed.
func New(tb testing.TB) *rand.Rand {
	tb.Helper()
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("GITLEDGER_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			tb.Fatal("GITLEDGER_SEED is not a number")
		}
	}
	tb.Logf("GITLEDGER_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// Count returns how many cases to try: what the environment variable says, or
// usual, or a tenth of that in short mode, in which the race detector runs.
func Count(tb testing.TB, variable string, usual int) int {
	tb.Helper()
	text := os.Getenv(variable)
	if text == "" && testing.Short() {
		return (usual + 9) / 10
	}
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		tb.Fatalf("%s is not a positive number", variable)
	}
	return n
}

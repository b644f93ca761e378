package simulation

import (
	"fmt"
	"hash/fnv"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
)

// TestSeeds runs 10,000 simulations. LEDGER_SIM_SEEDS is another number of them,
// and LEDGER_SIM_FIRST another first seed; LEDGER_SIM_SEED runs one and prints
// what happens in it.
func TestSeeds(t *testing.T) {
	if os.Getenv("LEDGER_SIM_SEED") != "" {
		replayed(t, number(t, "LEDGER_SIM_SEED", 0))
		return
	}
	first, count := number(t, "LEDGER_SIM_FIRST", 1), number(t, "LEDGER_SIM_SEEDS", usual)
	var next atomic.Uint64
	var failures atomic.Int32
	var mu sync.Mutex
	var sum Stats
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for failures.Load() < 3 {
				i := next.Add(1) - 1
				if i >= count {
					return
				}
				stats, err := Run(first+i, nil)
				if err != nil {
					failures.Add(1)
					t.Errorf("LEDGER_SIM_SEED=%d fails:\n%v", first+i, err)
				}
				mu.Lock()
				sum.add(stats)
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	t.Logf("%d seeds from %d: %+v", count, first, sum)
	if count < 100 || t.Failed() {
		return
	}
	// What never happens is not tested.
	for name, n := range map[string]int{
		"crashes": sum.Crashes, "compactions": sum.Applied, "stale plans": sum.Stale, "views": sum.Views, "lost races": sum.moved,
	} {
		if uint64(n) < count/20 {
			t.Errorf("%d %s in %d seeds", n, name, count)
		}
	}
}

func number(t *testing.T, name string, standard uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return standard
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// replayed runs one seed and prints its trace.
func replayed(t *testing.T, seed uint64) {
	stats, err := Run(seed, func(line string) { t.Log(line) })
	t.Logf("%+v", stats)
	if err != nil {
		t.Errorf("LEDGER_SIM_SEED=%d fails:\n%v", seed, err)
	}
}

// TestRepeats shows that a seed decides everything.
func TestRepeats(t *testing.T) {
	for seed := range uint64(50) {
		var first string
		for again := range 2 {
			h := fnv.New64()
			stats, err := Run(seed, func(line string) { fmt.Fprintln(h, line) })
			got := fmt.Sprintf("%x %+v %v", h.Sum64(), stats, err)
			if again == 0 {
				first = got
			} else if got != first {
				t.Fatalf("seed %d: %s, then %s", seed, first, got)
			}
		}
	}
}

// TestBrokenBranches shows that the oracle can tell: each of these branches does
// one thing that a branch must not, and is found out.
func TestBrokenBranches(t *testing.T) {
	for name, broken := range map[string]fault{
		"no guard": noGuard, "overwrites": overwrites, "forgets": forgets, "halves": halves, "drops additions": dropsDeletion,
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(300) {
				if _, err := run(seed, broken, nil); err != nil {
					t.Logf("seed %d: %v", seed, err)
					return
				}
			}
			t.Error("nobody noticed")
		})
	}
}

package main

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gitledger/gitledger/internal/randtest"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
)

// world is a file over time, and the records that runs made of it.
type world struct {
	*rand.Rand
	lines []string
	unfit []bool
	there map[record.ID]bool
	count map[string]int // records by what they say
}

// run migrates the file with those limits, and stops after so many batches.
func (w *world) run(t *testing.T, patchBytes int64, stop int) {
	t.Helper()
	cfg := ledger.NewConfig("log", ledger.Log)
	cfg.Limits.PatchBytes = patchBytes
	file := &content{gaps: map[int]bool{}}
	var says []string
	for i, line := range w.lines {
		if w.unfit[i] {
			file.refuse(i+1, "syntax")
			continue
		}
		request, reason := requestOf(cfg, []byte(line), "")
		if reason != "" {
			t.Fatal(reason)
		}
		file.requests, says = append(file.requests, request), append(says, line)
	}
	b := newBatches(cfg, file, &ledger.History{})
	b.there = w.there
	added := map[record.ID]bool{} // the branch is read once, before
	for at := 0; at < len(says) && stop > 0; stop-- {
		next, err := b.next(at)
		if err != nil || next.n < 1 {
			t.Fatal(next, err)
		}
		if next.tx != nil {
			i := 0
			for a := range next.tx.Appends() {
				id := a.ID
				if w.there[id] || added[id] {
					t.Fatal("a record would be taken for another")
				}
				added[id] = true
				w.count[says[at+i]]++
				i++
			}
			if i != next.n {
				t.Fatalf("%d records of %d lines", i, next.n)
			}
		}
		at += next.n
	}
	for id := range added {
		w.there[id] = true
	}
}

// Whatever happens between runs but a change to what was written, each line is in
// the ledger once; and when lines say the same, at least as often as in the file.
// GITLEDGER_SEED repeats a run.
func TestBatches(t *testing.T) {
	random := randtest.New(t)
	for round := range 25 {
		w := &world{random, nil, nil, map[record.ID]bool{}, map[string]int{}}
		kinds := []int{1 << 30, 1 << 30, 3, 1}[random.IntN(4)] // how many lines differ
		for range 1 + random.IntN(5) {
			for range random.IntN(260) {
				w.lines = append(w.lines, fmt.Sprintf(`{"n":%d}`, len(w.lines)%kinds))
				w.unfit = append(w.unfit, random.IntN(12) == 0)
			}
			for i := range w.unfit {
				w.unfit[i] = w.unfit[i] && random.IntN(4) > 0 // mended
			}
			w.run(t, 1<<10<<random.IntN(5), []int{1, 3, 1 << 30}[random.IntN(3)])
		}
		clear(w.unfit)
		for range 2 {
			w.run(t, 1<<10<<random.IntN(5), 1<<30)
		}
		want := map[string]int{}
		for _, line := range w.lines {
			want[line]++
		}
		for line, n := range want {
			if got := w.count[line]; got < n || kinds == 1<<30 && got != n {
				t.Fatalf("round %d: %d records of %d lines %s", round, got, n, line)
			}
		}
	}
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gitledger/gitledger/internal/randtest"
)

// The processes that hammer starts are this test binary.
func TestMain(m *testing.M) {
	if text, ok := os.LookupEnv(ordersVariable); ok {
		os.Exit(obey(text))
	}
	os.Exit(m.Run())
}

// hammered runs a hammer as the program does, and returns it with the verdict.
func hammered(t *testing.T, o options) (*hammer, verdict) {
	t.Helper()
	o.dir, o.seed = t.TempDir(), randtest.New(t).Uint64()>>1
	if o.patience == 0 {
		o.patience = 2 * time.Second
	}
	var text bytes.Buffer
	h, err := newHammer(o, newScreen(&text))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.close(true); err != nil {
			t.Error(err)
		}
	})
	if err := h.hammer(t.Context()); err != nil {
		t.Fatal(err)
	}
	v, err := h.judge(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h.screen.result(h, v)
	t.Log(text.String())
	return h, v
}

// About ten seconds on two processors that have nothing else to do. What is
// bounded is the work, not the time.
func TestHammer(t *testing.T) {
	rejected := 0
	for _, o := range []options{
		{store: "http", processes: 3, writers: 2, maintain: 2, turns: 10, faults: 0.04, killEvery: 20},
		{store: "local", processes: 4, writers: 3, maintain: 2, turns: 15},
		{store: "dir", processes: 4, writers: 4, maintain: 2, turns: 24, killEvery: 60},
	} {
		t.Run(o.store, func(t *testing.T) {
			if testing.Short() {
				o.processes, o.turns = 2, 10
			}
			h, v := hammered(t, o)
			for _, text := range append(h.broken, v.broken...) {
				t.Error(text)
			}
			if want := o.processes * o.writers * o.turns; h.tally.acknowledged != want || h.tally.unsettled != 0 {
				t.Errorf("%d of %d transactions acknowledged, %d unsettled", h.tally.acknowledged, want, h.tally.unsettled)
			}
			if h.tally.compactions == 0 {
				t.Error("no compactions")
			}
			rejected += h.tally.rejected
			if want := h.tally.acknowledged / max(o.killEvery, 1); o.killEvery > 0 && (h.tally.kills == 0 || h.tally.kills > want) {
				t.Errorf("%d processes killed, %d asked for", h.tally.kills, want)
			}
			if o.faults > 0 && len(h.faults.counts()) == 0 {
				t.Error("no faults")
			}
			for _, l := range v.ledgers {
				if git := o.store != "dir"; l.records == 0 || (l.history != nil) != git || git && (l.history.Compactions == 0 || !l.history.Sound()) {
					t.Errorf("%s: %s", l.name, l)
				}
			}
		})
	}
	// About one transaction in twenty must be rejected, so over all runs some are.
	if rejected == 0 && !testing.Short() {
		t.Error("no rejections")
	}
}

// A run that is interrupted ends, and what it did is judged.
func TestInterrupted(t *testing.T) {
	o := options{store: "dir", processes: 2, writers: 2, maintain: 1, patience: time.Second, seed: 1, dir: t.TempDir(), killEvery: 30}
	h, err := newHammer(o, newScreen(io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	defer h.close(true)
	ctx, cancel := context.WithCancel(t.Context())
	h.screen = &screen{live: true, out: writerFunc(func(p []byte) (int, error) {
		if h.tally.acknowledged > 50 {
			cancel()
		}
		return len(p), nil
	})}
	if err := h.hammer(ctx); err != nil {
		t.Fatal(err)
	}
	v, err := h.judge(t.Context())
	if err != nil || len(v.broken)+len(h.broken) > 0 || h.tally.acknowledged < 50 {
		t.Errorf("%v, %q, %q, %d acknowledged", err, v.broken, h.broken, h.tally.acknowledged)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// The program as a user runs it, with its exit codes.
func TestRun(t *testing.T) {
	var out, errs strings.Builder
	dir := filepath.Join(t.TempDir(), "kept")
	few := []string{"-store", "dir", "-processes", "1", "-writers", "2", "-maintain", "0", "-turns", "3", "-seed", "7"}
	if code := run(t.Context(), append(few, "-dir", dir), &out, &errs); code != exitKept || !strings.Contains(out.String(), "every promise was kept") {
		t.Errorf("%d: %s%s", code, out.String(), errs.String())
	}
	if _, err := os.Stat(filepath.Join(dir, "events.jsonl")); err != nil {
		t.Error("what was recorded is not in the directory that was named")
	}
	if code := run(t.Context(), append(few, "-dir", dir), io.Discard, &errs); code != exitUnjudged {
		t.Errorf("%d on a directory that is not empty", code)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if code := run(ended, []string{"-store", "local", "-processes", "1", "-maintain", "0", "-turns", "1000000"}, io.Discard, io.Discard); code != exitKept && code != exitUnjudged {
		t.Errorf("%d when it was interrupted at once", code)
	}
	for _, args := range [][]string{
		{"-h"}, {"-store", "floppy"}, {"extra"}, {"-processes", "0"}, {"-writers", "0"}, {"-maintain", "-1"},
		{"-faults", "1"}, {"-turns", "-1"}, {"-store", "local", "-kill-every", "3"}, {"-patience", "0s"},
	} {
		errs.Reset()
		if code := run(t.Context(), args, io.Discard, &errs); code != exitUsage || errs.Len() == 0 {
			t.Errorf("%q: %d, %q", args, code, errs.String())
		}
	}
}

// One seed gives the same transactions, and all are sound and distinct.
func TestTurns(t *testing.T) {
	seen := map[string]bool{}
	expected := map[expectation]int{}
	for writer := range 7 {
		for number := range 90 {
			a, b := newTurn(3, writer, number), newTurn(3, writer, number)
			tx, err := a.transaction()
			if err != nil {
				t.Fatalf("writer %d, turn %d: %v", writer, number, err)
			}
			if a.requests.String() != b.requests.String() {
				t.Fatalf("writer %d, turn %d differs", writer, number)
			}
			for one := range tx.Appends() {
				key := fmt.Sprint(one.ID)
				if seen[key] {
					t.Fatalf("record %s is made twice", key)
				}
				seen[key] = true
			}
			for _, b := range a.batches {
				expected[b.expect]++
			}
		}
	}
	for _, e := range []expectation{admitted, doomed, contested} {
		if expected[e] == 0 {
			t.Errorf("no batch of kind %d", e)
		}
	}
}

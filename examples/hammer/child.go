package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// ordersVariable holds the orders of a process that hammer started.
const ordersVariable = "GITLEDGER_HAMMER_ORDERS"

// orders are what a process is to do, until its standard input ends or each of
// its writers is done.
type orders struct {
	Store    store
	Cache    string
	Seed     uint64
	Writers  []assignment // none: compact
	Turns    int          // each writer's; 0 for no end
	Patience time.Duration
}

// assignment is a writer and the turn from which it goes on.
type assignment struct{ Writer, From int }

// grace is how long a process may take for its last turn when it is to end.
const grace = 2 * time.Minute

// obey carries out orders, and returns the exit code.
func obey(text string) int {
	var o orders
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		fmt.Fprintln(os.Stderr, "hammer: the orders are unreadable")
		return exitUsage
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stop := make(chan struct{})
	go func() {
		io.Copy(io.Discard, os.Stdin)
		close(stop)
		time.AfterFunc(grace, cancel)
	}()
	s, err := o.Store.open(ctx, o.Cache)
	if err != nil {
		fmt.Fprintln(os.Stderr, "hammer:", err)
		return exitUnjudged
	}
	defer s.close()
	r := &reporter{out: json.NewEncoder(os.Stdout)}
	if len(o.Writers) == 0 {
		(&maintainer{store: s, reporter: r, patience: o.Patience}).run(ctx, stop)
		return exitKept
	}
	var writers sync.WaitGroup
	for _, a := range o.Writers {
		w := &writer{orders: o, store: s, reporter: r, number: a.Writer}
		writers.Go(func() { w.run(ctx, stop, a.From) })
	}
	writers.Wait()
	return exitKept
}

// reporter writes events to the parent.
type reporter struct {
	mu  sync.Mutex
	out *json.Encoder
}

func (r *reporter) report(e event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.out.Encode(e) != nil {
		os.Exit(exitUnjudged) // nobody listens any more
	}
}

func (r *reporter) broken(format string, args ...any) {
	r.report(event{Broken: fmt.Sprintf(format, args...)})
}

// pause waits, or returns false when the process is to end.
func pause(stop <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-stop:
		return false
	case <-timer.C:
		return true
	}
}

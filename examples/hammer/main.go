// Command hammer lets many processes write to the same ledgers at once, breaks
// what it can break on the way, and judges at the end whether the library kept
// its promises.
//
//	go run ./examples/hammer                                  # ten seconds on an HTTP server
//	go run ./examples/hammer -store local -for 10m            # ten minutes on a bare repository
//	go run ./examples/hammer -store dir -turns 100            # 100 transactions of each writer
//	go run ./examples/hammer -faults 0.1 -kill-every 20 -v    # a bad day
//
// Each process is this program, started again; each of its writers persists one
// transaction after the other on seven ledgers, one of each type and a raw one.
// Meanwhile other processes compact the ledgers, the server fails now and then
// in every way that it can, and writers are killed and started again.
//
// What each writer was told is recorded, and judged against the branches when
// all is done: every acknowledged record is there exactly once with its
// content, nothing that was rejected is, a batch is there as a whole or not at
// all, the records of a writer are in its order, every commit of the history
// passes ledger.Verify, and the state that replaying gives is the one that the
// acknowledged operations add up to. A directory has no history: of it the
// latest content is verified.
//
// On a terminal it shows live figures, else it prints the result only. When
// something is wrong, the store and everything that was recorded are kept, and
// the last line says where.
//
// Exit codes:
//
//	0  every promise was kept
//	1  a promise was broken
//	2  it could not be judged, or nothing was acknowledged
//	3  the command line is wrong
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
)

const (
	exitKept = iota
	exitBroken
	exitUnjudged
	exitUsage
)

func main() {
	if text, ok := os.LookupEnv(ordersVariable); ok {
		signal.Ignore(os.Interrupt) // of the terminal: the parent stops us
		os.Exit(obey(text))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run hammers and judges. When ctx ends it hammers no longer, and judges.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	o, err := parse(args, errs)
	if err != nil {
		return exitUsage
	}
	s := newScreen(out)
	h, err := newHammer(o, s)
	if err != nil {
		fmt.Fprintln(errs, "hammer:", err)
		return exitUnjudged
	}
	err = h.hammer(ctx)
	var v verdict
	if err == nil {
		v, err = h.judge(context.WithoutCancel(ctx))
	}
	s.result(h, v)
	broken := len(h.broken)+len(v.broken) > 0
	if err == nil && !broken && h.tally.acknowledged == 0 {
		err = errors.New("nothing was acknowledged, so there is nothing to judge")
	}
	keep := err != nil || broken
	closed := h.close(keep)
	switch {
	case keep:
		fmt.Fprintln(errs, "hammer: the store and what was recorded are kept in", h.dir)
	case closed != nil:
		err = closed
	}
	if err != nil {
		fmt.Fprintln(errs, "hammer:", err)
	}
	switch {
	case broken:
		return exitBroken
	case err != nil:
		return exitUnjudged
	}
	return exitKept
}

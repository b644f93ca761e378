// Lifecycle runs the whole life of a ledger: it starts a bare repository
// behind a real Git HTTP server on loopback, plays the runs of a workflow
// through all six jobs for each of its ledgers, compacts the branches, and
// shows that the state is the same as before and that no record was lost.
//
// It is the place to see how the six calls fit together: each job of the
// workflow is one function here, and is handed only what it may touch.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	var o options
	flag.StringVar(&o.dir, "dir", "", "keep the repository and the databases in this `directory`")
	flag.BoolVar(&o.local, "local", false, "use the bare repository itself, without a server")
	flag.StringVar(&o.workflow, "workflow", "", "take tools.ledger from this workflow `file`")
	flag.StringVar(&o.requests, "requests", "", "take the runs from this `file`: JSON lines, an empty line ends a run")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), "usage: lifecycle [flags]\n\nRuns the whole life of a ledger, each job of it once, and shows what happens.\n\nFlags:\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, newScreen(os.Stdout)); err != nil {
		fmt.Fprintln(os.Stderr, "lifecycle:", err)
		os.Exit(1)
	}
}

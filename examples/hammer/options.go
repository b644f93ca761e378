package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"time"
)

// options is the command line.
type options struct {
	store     string
	processes int
	writers   int
	maintain  int
	duration  time.Duration
	turns     int
	faults    float64
	killEvery int
	patience  time.Duration
	seed      uint64
	dir       string
	verbose   bool
}

const usage = `usage: hammer [flags]

Many processes write to the same ledgers at once, with maintenance, faults and
killed processes beside them; then everything that was acknowledged is judged.

What it writes to (-store):
  http   a Git server on loopback that fails for a share of the requests (-faults):
         500 before and after the work, resets, truncated answers, silence
  local  a bare Git repository on this machine
  dir    a directory for each ledger

It ends after -for, or when each writer has done -turns, whichever is first.
-kill-every kills a process after so many acknowledged transactions and starts
it again; not with -store local, where a killed writer can leave a lock behind
that only a person may remove.

-seed decides what is written, so two runs with one seed send the same
transactions; in which order they meet is up to the machine.

Exit codes: 0 every promise was kept, 1 one was broken, 2 it could not be
judged, 3 the command line is wrong.

`

func parse(args []string, errs io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("hammer", flag.ContinueOnError)
	flags.SetOutput(errs)
	flags.StringVar(&o.store, "store", string(httpStore), "what to write to: http, local or dir")
	flags.IntVar(&o.processes, "processes", 4, "how many processes write")
	flags.IntVar(&o.writers, "writers", 4, "how many writers, each a goroutine, a process has")
	flags.IntVar(&o.maintain, "maintain", 2, "how many processes compact the ledgers")
	flags.DurationVar(&o.duration, "for", 0, "end after this `time`; 10s when -turns is not given")
	flags.IntVar(&o.turns, "turns", 0, "end when each writer has done so many transactions")
	flags.Float64Var(&o.faults, "faults", 0.02, "the share of the server's requests that fail, with -store http")
	flags.IntVar(&o.killEvery, "kill-every", 0, "kill a process after each `n` acknowledged transactions")
	flags.DurationVar(&o.patience, "patience", 10*time.Second, "how long a writer waits at first before it persists again; doubles each time")
	flags.Uint64Var(&o.seed, "seed", 0, "what is written; 0 draws one and prints it")
	flags.StringVar(&o.dir, "dir", "", "an empty `directory` for the store and the records of the run, which is kept")
	flags.BoolVar(&o.verbose, "v", false, "print live figures even when this is no terminal")
	flags.Usage = func() {
		fmt.Fprint(errs, usage)
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if o.duration == 0 && o.turns == 0 {
		o.duration = 10 * time.Second
	}
	if wrong := o.wrong(flags.NArg()); wrong != "" {
		fmt.Fprintln(errs, "hammer:", wrong)
		return o, errors.New(wrong)
	}
	return o, nil
}

const most = 1000 // processes, and writers of one

// wrong says what is wrong with the options.
func (o options) wrong(arguments int) string {
	switch {
	case arguments > 0:
		return "there are flags only; see -h"
	case o.store != string(httpStore) && o.store != string(localStore) && o.store != string(dirStore):
		return "-store is http, local or dir"
	case o.processes < 1 || o.processes > most || o.writers < 1 || o.writers > most:
		return "there is at least one process with one writer, and at most 1000 of each"
	case o.maintain < 0 || o.maintain > most:
		return "-maintain is from 0 to 1000"
	case o.duration < 0 || o.turns < 0 || o.killEvery < 0 || o.patience <= 0:
		return "a time or count is negative"
	case o.faults < 0 || o.faults > 0.9:
		return "-faults is a share from 0 to 0.9"
	case o.killEvery > 0 && o.store == string(localStore):
		return "-kill-every cannot go with -store local: a killed writer can leave a lock behind"
	}
	return ""
}

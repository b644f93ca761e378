// Command verify checks ledger branches as a whole: every commit of their
// history, not only the latest.
//
//	go run ./examples/verify /path/to/repository.git tasks notes
//	GIT_TOKEN=… go run ./examples/verify https://github.com/owner/repository tasks
//	go run ./examples/verify -json repository.git tasks | jq .summary
//	go run ./examples/verify -config workflow.md -projection ledger.db repository.git tasks
//
// It prints a line for each finding and a summary for each ledger; with -json
// each line is an object with one member: finding, error or summary. It never
// changes the repository. The last form also rebuilds the ledger's projection
// and compares it with the one that is given.
//
// Exit codes:
//
//	0  everything was checked and is sound
//	1  something is bad
//	2  nothing is bad as far as was checked, but not everything could be
//	3  the command line is wrong
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/shard/gitbranch"
)

const (
	exitSound = iota
	exitBad
	exitUnchecked
	exitUsage
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// options is the command line.
type options struct {
	json       bool
	cache      string
	config     string
	projection string
	repository string
	ledgers    []string
}

func parse(args []string, errs io.Writer) (o options, ok bool) {
	flags := flag.NewFlagSet("verify", flag.ContinueOnError)
	flags.SetOutput(errs)
	flags.BoolVar(&o.json, "json", false, "print JSON lines")
	flags.StringVar(&o.cache, "cache", "", "keep what is fetched in this `directory`")
	flags.StringVar(&o.config, "config", "", "the workflow `file` that declares the ledger, for -projection")
	flags.StringVar(&o.projection, "projection", "", "compare this `database` with a rebuild")
	flags.Usage = func() {
		fmt.Fprintln(errs, "usage: verify [flags] repository ledger...")
		flags.PrintDefaults()
	}
	if flags.Parse(args) != nil {
		return o, false
	}
	if flags.NArg() < 2 || (o.projection != "") != (o.config != "") || o.projection != "" && flags.NArg() != 2 {
		flags.Usage()
		return o, false
	}
	o.repository, o.ledgers = flags.Arg(0), flags.Args()[1:]
	for _, name := range o.ledgers {
		if !ledger.ValidName(name) {
			fmt.Fprintf(errs, "verify: %q is no ledger's name\n", name)
			return o, false
		}
	}
	return o, true
}

func run(ctx context.Context, args []string, out, errs io.Writer) int {
	o, ok := parse(args, errs)
	if !ok {
		return exitUsage
	}
	p := printer{out: out, errs: errs, json: o.json}
	where := gitbranch.Options{URL: o.repository, Cache: o.cache}
	if token := os.Getenv("GIT_TOKEN"); token != "" {
		where.Credential = gitbranch.Token(token)
	}
	repository, err := gitbranch.Open(ctx, where)
	if err != nil {
		p.failed(err)
		return p.code()
	}
	defer repository.Close()
	for _, name := range o.ledgers {
		log, err := repository.Log(ledger.Config{Name: name}.Branch())
		if err != nil {
			p.failed(err)
			continue
		}
		v := ledger.Verifier{Log: log}
		for finding, err := range v.Verify(ctx) {
			if err != nil {
				p.failed(err)
			} else {
				p.found(finding)
			}
		}
		p.summary(v.Summary())
		if o.projection != "" {
			compareProjection(ctx, o, log, &p)
		}
	}
	return p.code()
}

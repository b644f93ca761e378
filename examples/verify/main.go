// Command verify checks ledger branches as a whole: every commit of their
// history, not only the latest; -h tells how to use it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/shard/gitbranch"
)

const usage = `usage: verify [flags] REPOSITORY LEDGER...

Checks ledger branches as a whole: every commit of their history, not only the
latest. It prints a line for each finding, and a summary for each ledger. With
-projection it also rebuilds the database of one ledger and compares the two; a
database that was prepared from an older head differs. It changes nothing.

Reads   the repository, by its path or URL, and GH_TOKEN if it needs one

  verify /srv/memory.git tasks notes
  GH_TOKEN=… verify https://github.com/owner/name tasks
  verify -json memory.git tasks | jq .summary
  verify -config workflow.md -projection ledger.db memory.git tasks

Flags:
`

const exits = `
Exit codes:
  0  everything was checked and is sound; a branch that is not there is, too
  1  something is bad
  2  nothing is bad as far as was checked, but not everything could be
  3  the command line is wrong
`

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
	help       bool // is all that was asked for
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
	flags.BoolVar(&o.json, "json", false, "print each line as an object with one member: finding, error, summary or projection")
	flags.StringVar(&o.cache, "cache", "", "keep what is fetched in this `directory`")
	flags.StringVar(&o.config, "config", "", "the workflow `file` that declares the ledger, for -projection")
	flags.StringVar(&o.projection, "projection", "", "compare this `database` with a rebuild")
	flags.Usage = func() {
		fmt.Fprint(errs, usage)
		flags.PrintDefaults()
		fmt.Fprint(errs, exits)
	}
	if err := flags.Parse(args); err != nil {
		o.help = errors.Is(err, flag.ErrHelp)
		return o, false
	}
	wrong := ""
	switch {
	case flags.NArg() < 2:
		wrong = "name a repository and one or more ledgers, behind the flags"
	case (o.projection != "") != (o.config != ""):
		wrong = "-projection and -config go together"
	case o.projection != "" && flags.NArg() != 2:
		wrong = "-projection is of one ledger"
	}
	if wrong != "" {
		fmt.Fprintf(errs, "verify: %s: see -h\n", wrong)
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
	switch {
	case o.help:
		return exitSound
	case !ok:
		return exitUsage
	}
	p := printer{out: out, errs: errs, json: o.json}
	where := gitbranch.Options{URL: o.repository, Cache: o.cache}
	if token := os.Getenv(ledger.EnvToken); token != "" {
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

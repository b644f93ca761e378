// Command explore shows a ledger to a person: in a terminal, or as one HTML page.
// -h tells how to use it.
package main

import (
	"context"
	"errors"
	"flag"

	"github.com/gitledger/gitledger/internal/actions"
	"github.com/gitledger/gitledger/internal/actions/repository"
	"github.com/gitledger/gitledger/ledger"
)

const usage = `usage: explore [flags]

Shows a ledger: its status and heads, the newest records, the state, and what
compaction did. It changes nothing. With -html it writes one page that needs no
network: state with a search, notes with their votes, the graph of the records,
shards over time, and compactions.

The ledger's type comes from -config, a workflow file or YAML with tools.ledger, or
from GH_AW_LEDGER_CONFIG_BASE64. Without either it is shown as raw records.

A malformed ledger is shown as far as it goes, with what is wrong; that is no failure.
However large the ledger is, what is shown is bounded, and says so where it is cut.
What a ledger holds was written by strangers. It is shown as text: what cannot be
seen, or would act on a terminal, is spelled out as \u001b. With -json, texts are as
they are stored, but cut.

Reads   GH_AW_LEDGER_CONFIG_BASE64, GITHUB_SERVER_URL, GITHUB_REPOSITORY, GH_TOKEN

  explore -repo /srv/memory.git -ledger findings -config workflow.md
  explore -repo https://github.com/owner/name -ledger findings -html findings.html
`

type options struct {
	repo, ledger, config, html string
	newest                     int
}

func main() {
	var o options
	actions.Main(actions.Program{
		Name:  "explore",
		Usage: usage,
		Flags: func(f *flag.FlagSet) {
			repository.Flag(f, &o.repo)
			f.StringVar(&o.ledger, "ledger", "", "the `name` of the ledger; may be left out when the configuration has one only")
			f.StringVar(&o.config, "config", "", "the workflow `file` that declares the ledger")
			f.StringVar(&o.html, "html", "", "write the page to this `file`")
			f.IntVar(&o.newest, "newest", 20, "how many `records` to show, at most 500")
		},
		Run: func(ctx context.Context, c *actions.Call) error { return explore(ctx, c, o) },
	})
}

func explore(ctx context.Context, c *actions.Call, o options) error {
	if len(c.All()) > 0 || o.newest < 1 || o.newest > 500 {
		return actions.Usage("there are no arguments, and -newest is from 1 to 500: see -h")
	}
	cfg, declared, err := declaration(c, o)
	if err != nil {
		return err
	}
	r, err := repository.Open(ctx, c, o.repo, "")
	if err != nil {
		return err
	}
	defer r.Close()
	log, err := r.Log(cfg.Branch())
	if err != nil {
		return err
	}
	c.Progress("reading %s", cfg.Branch())
	v, err := gather(ctx, log, cfg, o.newest)
	if err != nil {
		return err
	}
	v.Declared = declared
	if o.html != "" {
		if err := writePage(o.html, v); err != nil {
			return errors.New("the page cannot be written")
		}
		c.Print("wrote the page")
		return c.Result(v)
	}
	if c.JSON {
		return c.Result(v)
	}
	return show(c.Stdout, v)
}

// declaration returns the ledger's configuration, and whether there is one.
func declaration(c *actions.Call, o options) (cfg ledger.Config, declared bool, err error) {
	if o.config != "" || c.Getenv(ledger.EnvConfig) != "" {
		cfg, err = c.Declaration(o.config, o.ledger)
		return cfg, true, err
	}
	if !ledger.ValidName(o.ledger) {
		return cfg, false, actions.Usage("name a ledger with -ledger")
	}
	return ledger.NewConfig(o.ledger, ledger.Raw), false, nil
}

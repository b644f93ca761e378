// Command migrate turns a JSONL file into a ledger; -h tells how to use it.
package main

import (
	"context"
	"errors"
	"flag"
	"os"

	"github.com/gitledger/gitledger/internal/actions"
	"github.com/gitledger/gitledger/internal/actions/repository"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/shard/gitbranch"
	"github.com/gitledger/gitledger/txn"
)

const usage = `usage: migrate [flags] FILE

Turns a file with one JSON object a line, such as a repo memory, into records of a
ledger, through the same checks and limits as an agent's requests. What a line
becomes is the type's own operation:

  raw      the record itself          table    upsert of the line
  log      append of the line         map      put of the line, under its field -field
  set      add of the line            counter  increment of its name by its amount
  notes    a note of its subject, note, reason and citations

A line that does not fit is reported by its number and a reason. Then nothing is
written, unless -skip says to go on without such lines. Run it again after an
interruption, on a file that has grown, with other limits, or when a line that was
left out is mended: it finds what is there and writes the rest, after what is there.
A line that is changed after it was written is written again, with others around
it; so are all when -field or the type is another.

Reads   the file, -config or GH_AW_LEDGER_CONFIG_BASE64,
        GITHUB_SERVER_URL, GITHUB_REPOSITORY, GH_TOKEN
Writes  the ledger branch

  migrate -repo /srv/memory.git -config workflow.md -ledger history memory/runs.jsonl
`

type options struct {
	repo, config, ledger, field string
	skip, dry                   bool
}

func main() {
	var o options
	actions.Main(actions.Program{
		Name:  "migrate",
		Usage: usage,
		Flags: func(f *flag.FlagSet) {
			repository.Flag(f, &o.repo)
			f.StringVar(&o.config, "config", "", "the workflow `file` that declares the ledger")
			f.StringVar(&o.ledger, "ledger", "", "the `name` of the ledger; may be left out when there is one only")
			f.StringVar(&o.field, "field", "key", "the `field` whose text is the key in a map")
			f.BoolVar(&o.skip, "skip", false, "leave out lines that do not fit")
			f.BoolVar(&o.dry, "n", false, "check the file and write nothing")
		},
		Run: func(ctx context.Context, c *actions.Call) error { return migrate(ctx, c, o) },
	})
}

// outcome is what became of a file.
type outcome struct {
	Lines    int       `json:"lines"`
	New      int       `json:"new"`
	Present  int       `json:"present"`
	Commits  int       `json:"commits"`
	Unfit    int       `json:"unfit"`
	Problems []problem `json:"problems,omitempty"` // the first of them
}

var (
	errUnfit   = actions.Refused("lines do not fit the ledger, so nothing was written; correct them, or go on without them with -skip")
	errTooMuch = actions.Refused("the file is more than one ledger holds, so nothing was written; split it over several")
)

func migrate(ctx context.Context, c *actions.Call, o options) error {
	args := c.All()
	if len(args) != 1 {
		return actions.Usage("name one file: see -h")
	}
	cfg, err := c.Declaration(o.config, o.ledger)
	if err != nil {
		return err
	}
	f, err := os.Open(args[0])
	if err != nil {
		return actions.Usage("the file cannot be read")
	}
	defer f.Close()
	defer context.AfterFunc(ctx, func() { _ = f.Close() })() // a pipe may have nothing to read for long
	file, err := read(ctx, f, cfg, o.field)
	if err != nil {
		return err
	}
	result := outcome{Lines: len(file.requests) + file.unfit, Unfit: file.unfit, Problems: file.problems}
	for _, p := range result.Problems {
		c.Print("line %d: %s", p.Line, p.Reason)
	}
	if hidden := file.unfit - len(file.problems); hidden > 0 {
		c.Print("and %d lines more", hidden)
	}
	if file.unfit > 0 && !o.skip {
		return errors.Join(errUnfit, c.Result(result))
	}
	if !o.dry {
		err = write(ctx, c, cfg, o.repo, file, &result)
	}
	c.Print("%d lines: %d new, %d present, %d do not fit; %d commits", result.Lines, result.New, result.Present, result.Unfit, result.Commits)
	return errors.Join(err, c.Result(result))
}

// write persists the batches that are not there, one after the other.
func write(ctx context.Context, c *actions.Call, cfg ledger.Config, repo string, file *content, result *outcome) error {
	r, err := repository.Open(ctx, c, repo, "")
	if err != nil {
		return err
	}
	defer r.Close()
	history, err := repository.History(ctx, r, cfg)
	if err != nil {
		return err
	}
	queue := newBatches(cfg, file, history)
	for done := 0; done < len(file.requests); {
		next, err := queue.next(done)
		if err != nil {
			return err
		}
		if next.tx == nil {
			result.Present += next.n
		} else if err := persist(ctx, r, queue.configs, next.tx, result); err != nil {
			return err
		}
		done += next.n
		c.Progress("%d of %d", done, len(file.requests))
	}
	return nil
}

func persist(ctx context.Context, r *gitbranch.Repository, configs ledger.Configs, tx *txn.Transaction, result *outcome) error {
	artifact, err := tx.MarshalJSON()
	if err != nil {
		return err
	}
	branches := repository.Branches(r)
	got, err := txn.Persist(ctx, branches, configs, artifact, txn.Options{})
	if got != nil {
		for _, l := range got.Ledgers {
			result.New += l.Persisted
			result.Present += l.AlreadyPresent
			if l.Status == txn.Persisted {
				result.Commits++
			}
		}
	}
	return err
}

// Command prepare is the job that makes an agent's databases; -h tells how to
// use it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/gitledger/gitledger/internal/actions"
	"github.com/gitledger/gitledger/internal/actions/repository"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay/sqlite"
)

const usage = `usage: prepare [flags] [LEDGER DATABASE]

Reads ledger branches, verifies every record, and makes the read-only SQLite
databases that an agent may query. Run it before the agent, in the same job, with
a token that may only read. A ledger that is malformed or too large fails the
job, and no database is put in its place.

Without arguments every configured ledger is prepared, at
/tmp/gh-aw/ledgers/<name>/ledger.db.

Reads   GH_AW_LEDGER_CONFIG_BASE64, GITHUB_SERVER_URL, GITHUB_REPOSITORY, GH_TOKEN
Writes  the databases, and the step's summary

  GH_TOKEN=… prepare
  prepare -repo /srv/memory.git findings findings.db
  prepare -config "$(bin/jobs -base64 workflow.md)" -repo /srv/memory.git -databases db
`

func main() {
	var repo, cache, databases string
	actions.Main(actions.Program{
		Name:     "prepare",
		Usage:    usage,
		Settings: []actions.Setting{actions.Ledgers()},
		Flags: func(f *flag.FlagSet) {
			repository.Flag(f, &repo)
			f.StringVar(&cache, "cache", "", "keep what is fetched in this `folder`, so that the next run fetches what is new")
			f.StringVar(&databases, "databases", "", "put the databases into this `folder`, as <name>/ledger.db")
		},
		Run: func(ctx context.Context, c *actions.Call) error { return prepare(ctx, c, repo, cache, databases) },
	})
}

func prepare(ctx context.Context, c *actions.Call, repo, cache, databases string) error {
	configs, err := c.Configs(ledger.EnvConfig)
	if err != nil {
		return err
	}
	args, err := c.Args("LEDGER", "DATABASE")
	if err != nil {
		return err
	}
	path := ledger.Config.DatabasePath
	if databases != "" {
		path = func(cfg ledger.Config) string { return filepath.Join(databases, cfg.Name, "ledger.db") }
	}
	if args != nil {
		cfg, err := actions.Config(configs, args[0])
		if err != nil {
			return err
		}
		configs, path = ledger.Configs{cfg}, func(ledger.Config) string { return args[1] }
	}
	r, err := repository.Open(ctx, c, repo, cache)
	if err != nil {
		return err
	}
	defer r.Close()

	reports := []sqlite.Report{}
	var rows [][]string
	var graphs string
	for _, cfg := range configs {
		c.Progress("reading %s", cfg.Branch())
		h, err := repository.History(ctx, r, cfg)
		if err != nil {
			return fmt.Errorf("ledger %s: %w", cfg.Name, err)
		}
		report, err := sqlite.Write(ctx, h, cfg, path(cfg), sqlite.Options{Seal: true})
		if err != nil {
			return stored(cfg, err)
		}
		reports = append(reports, report)
		rows = append(rows, []string{cfg.Name, cfg.Type.String(), fmt.Sprint(report.Records), fmt.Sprint(report.Shards), fmt.Sprint(len(h.Heads()))})
		if len(reports) <= actions.MaxGraphs {
			graphs += actions.Graph(cfg.Name, h)
		}
		c.Print("%s: %d records in %d shards", cfg.Name, report.Records, report.Shards)
	}
	if err := c.Result(reports); err != nil {
		return err
	}
	return c.Summary("### Ledgers of this run\n\n" + actions.Table([]string{"ledger", "type", "records", "shards", "heads"}, rows) + graphs)
}

// stored tells a place where no database can be put from a failure that may pass,
// such as a full disk.
func stored(cfg ledger.Config, err error) error {
	if errors.Is(err, sqlite.ErrStorage) && (errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist)) {
		return actions.Usage("ledger " + cfg.Name + ": the database cannot be put there: name a folder that this user may write to")
	}
	return err
}

// Command persist is the job that makes a transaction durable; -h tells how to
// use it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"

	"github.com/gitledger/gitledger/internal/actions"
	"github.com/gitledger/gitledger/internal/actions/repository"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/shard/gitbranch"
	"github.com/gitledger/gitledger/txn"
)

const usage = `usage: persist [flags] [ARTIFACT]

Makes the transaction of a run durable: it believes nothing of the artifact,
validates it again with the latest state of each ledger, and pushes. It is the one
job of a run that holds a token which may write contents. Run again, for whatever
reason, it finds what is there already and stores nothing twice.

Without an artifact there is nothing to do, and that is a warning. One that is
named as an argument must be there.

Reads   GH_AW_LEDGER_CONFIG_BASE64, GH_AW_LEDGER_TRANSACTIONS (ARTIFACT),
        GITHUB_SERVER_URL, GITHUB_REPOSITORY, GH_TOKEN
Writes  the ledger branches, the output ledger_result, and the step's summary

  GH_TOKEN=… persist
  persist -repo /srv/memory.git transactions.json
`

func main() {
	var repo, audit string
	actions.Main(actions.Program{
		Name:     "persist",
		Usage:    usage,
		Settings: []actions.Setting{actions.Ledgers()},
		Flags: func(f *flag.FlagSet) {
			repository.Flag(f, &repo)
			f.StringVar(&audit, "audit", "", "append an entry for each ledger to this `file`: hashes and identifiers")
		},
		Run: func(ctx context.Context, c *actions.Call) error { return persist(ctx, c, repo, audit) },
	})
}

func persist(ctx context.Context, c *actions.Call, repo, audit string) error {
	configs, err := c.Configs(ledger.EnvConfig)
	if err != nil {
		return err
	}
	args, err := c.Args("ARTIFACT")
	if err != nil {
		return err
	}
	path := c.Setting(ledger.EnvTransactions, ledger.TransactionsPath)
	if args != nil {
		path = args[0]
	}
	artifact, err := txn.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && args == nil {
		c.Warning("there is no artifact, so nothing was persisted: the safe-outputs job made none, or it was not downloaded")
		return report(c, &txn.Result{Ledgers: []txn.LedgerResult{}}, "")
	}
	if err != nil {
		return err
	}
	r, err := repository.Open(ctx, c, repo, "")
	if err != nil {
		return err
	}
	defer r.Close()
	c.Progress("persisting")
	result, err := txn.Persist(ctx, repository.Branches(r), configs, artifact, txn.Options{AuditFile: audit})
	if result == nil {
		return err
	}
	return errors.Join(err, report(c, result, graphs(ctx, c, r, configs, result)))
}

// graphs draws the ledgers as they are now. They are an extra: what cannot be read
// is left out.
func graphs(ctx context.Context, c *actions.Call, r *gitbranch.Repository, configs ledger.Configs, result *txn.Result) (text string) {
	if !c.Summarised() {
		return ""
	}
	for _, l := range result.Ledgers[:min(len(result.Ledgers), actions.MaxGraphs)] {
		cfg, ok := configs.Lookup(l.Ledger)
		if !ok || !l.Status.Durable() {
			continue
		}
		if h, err := repository.History(ctx, r, cfg); err == nil {
			text += actions.Graph(cfg.Name, h)
		}
	}
	return text
}

func report(c *actions.Call, result *txn.Result, graphs string) error {
	if result.AuditFailed {
		c.Warning("an audit entry could not be written")
	}
	var rows [][]string
	for _, l := range result.Ledgers {
		rows = append(rows, []string{l.Ledger, string(l.Status), string(l.Code), fmt.Sprint(l.Requested), fmt.Sprint(l.Persisted),
			fmt.Sprint(l.AlreadyPresent), fmt.Sprint(l.Rejected), actions.Short(string(l.Commit))})
		c.Print("%s: %s, %d new, %d present, %d rejected", l.Ledger, l.Status, l.Persisted, l.AlreadyPresent, l.Rejected)
	}
	text, err := json.Marshal(result)
	if err != nil {
		return err
	}
	columns := []string{"ledger", "status", "why", "requested", "new", "present", "rejected", "commit"}
	return errors.Join(
		c.Result(result),
		c.Output(ledger.OutputResult, string(text)),
		c.Summary("### Ledgers persisted\n\n"+actions.Table(columns, rows)+graphs),
	)
}

// Command safeoutputs is the job that turns an agent's requests into a
// transaction; -h tells how to use it.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/compact/dispatch"
	"github.com/gitledger/gitledger/internal/actions"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/txn"
)

const usage = `usage: safeoutputs [flags] [REQUESTS ARTIFACT]

Validates what the agent asked for, all of it together, and writes the transaction
artifact that the persist job takes. It touches no ledger and needs no token for
one. REQUESTS is the safe-output file: lines of other tools are passed over. One
bad request refuses them all, with every reason at once, and no artifact is made.

A request for compaction starts the maintenance workflow, at most once a run,
with a token that may write actions; without a token it is only reported.

Reads   GH_AW_LEDGER_CONFIG_BASE64, GH_AW_SAFE_OUTPUTS (REQUESTS),
        GH_AW_LEDGER_TRANSACTIONS (ARTIFACT), GITHUB_RUN_ID, GITHUB_RUN_ATTEMPT,
        GITHUB_REPOSITORY, GITHUB_API_URL, GH_TOKEN
Writes  the artifact, and the step's summary

  safeoutputs
  safeoutputs -transaction run-1 requests.jsonl transactions.json
`

func main() {
	var transaction, ref string
	actions.Main(actions.Program{
		Name:  "safeoutputs",
		Usage: usage,
		Settings: []actions.Setting{
			actions.Ledgers(),
			{Variable: "GITHUB_REPOSITORY", Flag: "repository", About: "the `owner/name` whose maintenance a request for compaction starts"},
			{Variable: "GITHUB_API_URL", Flag: "api", About: "the `URL` of GitHub's API"},
		},
		Flags: func(f *flag.FlagSet) {
			f.StringVar(&ref, "ref", "", "the `branch` whose maintenance workflow is started; the default branch if it is not given")
			f.StringVar(&transaction, "transaction", "", "the transaction's `ID`, instead of the run's and its attempt")
		},
		Run: func(ctx context.Context, c *actions.Call) error { return validate(ctx, c, transaction, ref) },
	})
}

func validate(ctx context.Context, c *actions.Call, transaction, ref string) error {
	configs, err := c.Configs(ledger.EnvConfig)
	if err != nil {
		return err
	}
	args, err := c.Args("REQUESTS", "ARTIFACT")
	if err != nil {
		return err
	}
	requests, artifact := c.Setting("GH_AW_SAFE_OUTPUTS", ledger.RequestsPath), c.Setting(ledger.EnvTransactions, ledger.TransactionsPath)
	if args != nil {
		requests, artifact = args[0], args[1]
	}
	if transaction == "" {
		transaction = c.Getenv(ledger.EnvTransactionID)
	}
	if transaction == "" && c.Getenv("GITHUB_RUN_ID") != "" {
		transaction = c.Getenv("GITHUB_RUN_ID") + ":" + c.Setting("GITHUB_RUN_ATTEMPT", "1")
	}
	if transaction == "" {
		return actions.Usage("no transaction ID: use -transaction, or set GITHUB_RUN_ID")
	}
	found, err := read(requests)
	if err != nil {
		return err
	}
	if found.absent {
		c.Warning("there is no file of requests: the agent asked for nothing, or its artifact was not downloaded")
	}
	tx, err := txn.Normalize(configs, transaction, bytes.NewReader(found.appends))
	if err != nil {
		return found.placed(err)
	}
	if err := actions.Folder(artifact); err != nil {
		return err
	}
	if err := txn.WriteFile(artifact, tx); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return actions.Usage("the artifact exists already: remove it, or name another file")
		}
		return errors.New("the artifact cannot be written")
	}
	return report(c, tx, found, dispatchAll(ctx, c, configs, ref, found.compactions))
}

func report(c *actions.Call, tx *txn.Transaction, found *requestLines, asked []string) error {
	type accepted struct {
		TransactionID string   `json:"transaction_id"`
		Records       int      `json:"records"`
		Ledgers       []string `json:"ledgers"`
		Others        int      `json:"other_lines"`
		Compactions   []string `json:"compactions_requested"` // ledgers
	}
	names := append([]string{}, tx.Ledgers()...)
	c.Print("accepted %d requests for %d ledgers; %d lines of other tools", tx.Len(), len(names), found.others)
	counts := map[string]int{}
	for a := range tx.Appends() {
		counts[a.Ledger]++
	}
	var rows [][]string
	for _, name := range names {
		rows = append(rows, []string{name, fmt.Sprint(counts[name])})
	}
	text := "### Ledger requests\n\nAccepted, and durable once the persist job says so.\n\n" + actions.Table([]string{"ledger", "requests"}, rows)
	for _, name := range asked {
		text += "\nMaintenance was asked to consider " + actions.Markdown(name) + ".\n"
		c.Print("maintenance was asked to consider %s", name)
	}
	return errors.Join(c.Result(accepted{tx.ID(), tx.Len(), names, found.others, asked}), c.Summary(text))
}

// dispatchAll asks for maintenance and returns the ledgers for which it did. That
// it fails stops nothing: compaction is never in the way of what the agent has to
// say.
func dispatchAll(ctx context.Context, c *actions.Call, configs ledger.Configs, ref string, requests [][]byte) []string {
	asked := []string{}
	token := c.Getenv(ledger.EnvToken)
	if len(requests) > 0 && token == "" {
		c.Warning("compaction was requested, and there is no %s to start it with", ledger.EnvToken)
		return asked
	}
	handler := compact.Requests{Ledgers: configs, Dispatcher: &dispatch.GitHub{
		Repository: c.Setting("GITHUB_REPOSITORY", ""), Token: token, BaseURL: c.Setting("GITHUB_API_URL", ""), Ref: ref,
	}}
	refused := 0
	for _, request := range requests {
		switch result, err := handler.Handle(ctx, request); {
		case err != nil && refused == 0:
			c.Warning("compaction was requested and not started: %v", err)
			refused++
		case err != nil:
			refused++
		case !result.Repeated:
			asked = append(asked, result.Ledger)
		}
	}
	if refused > 1 {
		c.Warning("%d more requests for compaction were not met", refused-1)
	}
	return asked
}

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
	"os"

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

  safeoutputs requests.jsonl transactions.json
`

func main() {
	var transaction string
	actions.Main(actions.Program{
		Name:  "safeoutputs",
		Usage: usage,
		Flags: func(f *flag.FlagSet) {
			f.StringVar(&transaction, "transaction", "", "the transaction's `ID`, instead of the run's and its attempt")
		},
		Run: func(ctx context.Context, c *actions.Call) error { return validate(ctx, c, transaction) },
	})
}

func validate(ctx context.Context, c *actions.Call, transaction string) error {
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
	tx, err := txn.Normalize(configs, transaction, bytes.NewReader(found.appends))
	if err != nil {
		return err
	}
	if err := txn.WriteFile(artifact, tx); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return actions.Usage("the artifact exists already")
		}
		return errors.New("the artifact cannot be written")
	}
	requested := dispatchAll(ctx, c, configs, found.compactions)

	type accepted struct {
		TransactionID string   `json:"transaction_id"`
		Records       int      `json:"records"`
		Ledgers       []string `json:"ledgers"`
		Others        int      `json:"other_lines"`
		Compactions   int      `json:"compactions_requested"`
	}
	result := accepted{tx.ID(), tx.Len(), append([]string{}, tx.Ledgers()...), found.others, requested}
	if err := c.Result(result); err != nil {
		return err
	}
	c.Print("accepted %d requests for %d ledgers; %d lines of other tools", tx.Len(), len(tx.Ledgers()), found.others)
	counts := map[string]int{}
	for a := range tx.Appends() {
		counts[a.Ledger]++
	}
	var rows [][]string
	for _, name := range tx.Ledgers() {
		rows = append(rows, []string{name, fmt.Sprint(counts[name])})
	}
	return c.Summary("### Ledger requests\n\nAccepted, and durable once the persist job says so.\n\n" + actions.Table([]string{"ledger", "requests"}, rows))
}

// dispatchAll asks for maintenance. That it fails stops nothing: compaction is
// never in the way of what the agent has to say.
func dispatchAll(ctx context.Context, c *actions.Call, configs ledger.Configs, requests [][]byte) (done int) {
	token := c.Getenv(ledger.EnvToken)
	handler := compact.Requests{Ledgers: configs, Dispatcher: &dispatch.GitHub{
		Repository: c.Getenv("GITHUB_REPOSITORY"), Token: token, BaseURL: c.Getenv("GITHUB_API_URL"),
	}}
	for _, request := range requests {
		if token == "" {
			c.Warning("compaction was requested, and there is no token to start it with")
			return done
		}
		if _, err := handler.Handle(ctx, request); err != nil {
			c.Warning("compaction was requested and not started: %v", err)
			continue
		}
		done++
	}
	return done
}

func read(path string) (*requestLines, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &requestLines{}, nil // the agent asked for nothing
	}
	if err != nil {
		return nil, errors.New("the requests cannot be read")
	}
	defer f.Close()
	return split(f)
}

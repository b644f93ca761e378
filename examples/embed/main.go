// Command embed is the smallest program that keeps a ledger: one fact is made
// durable on a branch of a Git repository, and all of them are read back.
//
//	git init --bare memory.git && go run ./examples/embed memory.git
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay/sqlite"
	"github.com/gitledger/gitledger/shard"
	"github.com/gitledger/gitledger/shard/gitbranch"
	"github.com/gitledger/gitledger/txn"
)

func main() {
	ctx := context.Background()
	configs := must(ledger.ParseYAMLValue([]byte(`seen: { type: set }`)))
	repo := must(gitbranch.Open(ctx, gitbranch.Options{URL: os.Args[1]}))
	branches := func(_ context.Context, cfg ledger.Config) (shard.Branch, error) { return repo.Branch(cfg.Branch()) }
	tx := must(txn.Normalize(configs, "run-1", strings.NewReader(`{"type":"ledger_append","operation":"add","value":"octo/web#7"}`)))
	must(txn.Persist(ctx, branches, configs, must(tx.MarshalJSON()), txn.Options{}))
	must(sqlite.Prepare(ctx, must(repo.Reader("ledgers/seen")), configs[0], "seen.db", sqlite.Options{}))
	db := must(sqlite.Open(ctx, "seen.db", sqlite.Limits{}))
	fmt.Println(must(db.Query(ctx, "SELECT value FROM state")).Rows)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

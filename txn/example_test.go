//go:build cgo

package txn_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/shard"
	"github.com/gitledger/gitledger/shard/gitbranch"
	"github.com/gitledger/gitledger/txn"
)

// To persist an artifact again, as a job that is run a second time does, stores
// nothing twice.
func ExamplePersist() {
	path, err := os.MkdirTemp("", "example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(path)
	if err := gittest.InitBare(path); err != nil { // git init --bare
		log.Fatal(err)
	}
	ctx := context.Background()
	repo, err := gitbranch.Open(ctx, gitbranch.Options{URL: path})
	if err != nil {
		log.Fatal(err)
	}
	defer repo.Close()

	configs := ledger.Configs{ledger.NewConfig("metrics", ledger.Counter)}
	tx, err := txn.Normalize(configs, "42:1", strings.NewReader(
		`{"type":"ledger_append","operation":"increment","name":"reviews","amount":2}`))
	if err != nil {
		log.Fatal(err)
	}
	artifact, err := json.Marshal(tx) // travels as a file: txn.WriteFile, txn.ReadFile
	if err != nil {
		log.Fatal(err)
	}

	branches := func(_ context.Context, cfg ledger.Config) (shard.Branch, error) {
		return repo.Branch(cfg.Branch())
	}
	for range 2 {
		result, err := txn.Persist(ctx, branches, configs, artifact, txn.Options{})
		if err != nil {
			log.Fatal(err) // errors.Is tells why: txn.ErrRejected, shard.ErrUnavailable …
		}
		for _, l := range result.Ledgers {
			fmt.Println(l.Ledger, l.Status, l.Persisted, l.AlreadyPresent)
		}
	}
	// Output:
	// metrics persisted 1 0
	// metrics already_present 0 1
}

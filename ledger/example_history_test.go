//go:build cgo

package ledger_test

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

// A directory that holds ledger files, such as a checkout of the branch, is read
// without Git. A malformed line disturbs nothing but itself.
func ExampleReconstruct() {
	dir, err := shard.OpenDir("testdata/example")
	if err != nil {
		log.Fatal(err)
	}
	defer dir.Close()
	ctx := context.Background()
	snap, err := dir.Snapshot(ctx, shard.ProjectionLimits())
	if err != nil {
		log.Fatal(err)
	}
	history, err := ledger.Reconstruct(ctx, snap)
	if err != nil {
		log.Fatal(err)
	}
	for i, r := range history.Records() {
		fmt.Println(i, r.Timestamp(), string(r.Payload()))
	}
	fmt.Println("heads:", len(history.Heads()))
	fmt.Println(history.Err())
	// Output:
	// 0 2026-01-02T03:04:00.000Z {"operation":"append","value":"opened"}
	// 1 2026-01-02T03:04:02.000Z {"operation":"append","value":"labelled"}
	// 2 2026-01-02T03:04:01.000Z {"operation":"append","value":"triaged"}
	// heads: 2
	// ledger: malformed history: 1 invalid-json
}

// Each commit of a branch is checked, not only the latest: a record that was
// ever lost is a finding that names the commit.
func ExampleVerify() {
	path, err := os.MkdirTemp("", "example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(path)
	if err := gittest.InitBare(path); err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	repo, err := gitbranch.Open(ctx, gitbranch.Options{URL: path})
	if err != nil {
		log.Fatal(err)
	}
	defer repo.Close()
	persistTwice(ctx, repo)

	history, err := repo.Log("ledgers/seen")
	if err != nil {
		log.Fatal(err)
	}
	verifier := ledger.Verifier{Log: history} // ledger.Verify(ctx, history) when no summary is wanted
	for finding, err := range verifier.Verify(ctx) {
		if err != nil {
			fmt.Println("not checked:", err)
			continue
		}
		fmt.Println(finding.Commit, finding.Kind)
	}
	summary := verifier.Summary()
	fmt.Println("commits:", summary.Commits, "records:", summary.Records, "sound:", summary.Sound())
	// Output:
	// commits: 2 records: 3 sound: true
}

// persistTwice plays two workflow runs that write to the ledger seen.
func persistTwice(ctx context.Context, repo *gitbranch.Repository) {
	configs := ledger.Configs{ledger.NewConfig("seen", ledger.Set)}
	branches := func(_ context.Context, cfg ledger.Config) (shard.Branch, error) { return repo.Branch(cfg.Branch()) }
	for run, values := range [][]string{{"a", "b"}, {"c"}} {
		var requests strings.Builder
		for _, v := range values {
			fmt.Fprintf(&requests, `{"type":"ledger_append","operation":"add","value":%q}`+"\n", v)
		}
		tx, err := txn.Normalize(configs, fmt.Sprintf("%d:1", run), strings.NewReader(requests.String()))
		if err != nil {
			log.Fatal(err)
		}
		artifact, err := json.Marshal(tx)
		if err != nil {
			log.Fatal(err)
		}
		if _, err := txn.Persist(ctx, branches, configs, artifact, txn.Options{}); err != nil {
			log.Fatal(err)
		}
	}
}

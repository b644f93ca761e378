package shard_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// A ledger in a directory: read it, add a shard whose record follows the
// heads, and read it again.
func ExampleDir() {
	path, err := os.MkdirTemp("", "example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(path)
	dir, err := shard.OpenDir(path)
	if err != nil {
		log.Fatal(err)
	}
	defer dir.Close()

	ctx := context.Background()
	for index, payload := range []string{`{"value":"first"}`, `{"value":"second"}`} {
		snap, err := dir.Snapshot(ctx, shard.ProjectionLimits())
		if err != nil {
			log.Fatal(err)
		}
		history, err := ledger.Reconstruct(ctx, snap)
		if err != nil {
			log.Fatal(err)
		}
		r, err := record.Seal(record.Draft{
			ID:      record.DeterministicID("run-42", index),
			Type:    "ledger_append",
			Time:    time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
			Parents: history.Heads(),
			Payload: []byte(payload),
		})
		if err != nil {
			log.Fatal(err)
		}
		id, err := shard.NewID()
		if err != nil {
			log.Fatal(err)
		}
		change := shard.Change{Add: []shard.Addition{{ID: id, Data: append(r.Line(), '\n')}}}
		// ErrHeadMoved would mean that somebody was faster: read and try again.
		if _, err := dir.Commit(ctx, snap.Head, change); err != nil {
			log.Fatal(err)
		}
	}

	snap, err := dir.Snapshot(ctx, shard.ProjectionLimits())
	if err != nil {
		log.Fatal(err)
	}
	history, err := ledger.Reconstruct(ctx, snap)
	if err != nil {
		log.Fatal(err)
	}
	for i, r := range history.Records() {
		fmt.Printf("%d %s\n", i, r.Payload())
	}
	fmt.Println(len(snap.Shards), "shards,", history.Err())
	// Output:
	// 0 {"value":"first"}
	// 1 {"value":"second"}
	// 2 shards, <nil>
}

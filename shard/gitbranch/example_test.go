package gitbranch_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/shard"
	"github.com/gitledger/gitledger/shard/gitbranch"
)

// A commit names the head it was made for. Whoever is overtaken is told so, and
// nothing is overwritten.
func Example() {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "repository.git")
	if err := gittest.InitBare(path); err != nil {
		fmt.Println(err)
		return
	}

	ctx := context.Background()
	repo, err := gitbranch.Open(ctx, gitbranch.Options{URL: path})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer repo.Close()
	branch, err := repo.Branch("ledgers/tasks")
	if err != nil {
		fmt.Println(err)
		return
	}

	before, err := branch.Snapshot(ctx, shard.ProjectionLimits())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("absent branch: head %q, %d shards\n", before.Head, len(before.Shards))

	id, _ := shard.ParseID("41bf13ca-279d-4e6b-ae10-4d463d777db7")
	change := shard.Change{Add: []shard.Addition{{ID: id, Data: []byte("a record\n")}}, Message: "Add 1 record"}
	_, err = branch.Commit(ctx, before.Head, change)
	fmt.Println("first commit:", err)

	_, err = branch.Commit(ctx, before.Head, change)
	fmt.Println("the same head again:", errors.Is(err, shard.ErrHeadMoved))

	after, err := branch.Snapshot(ctx, shard.ProjectionLimits())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range after.Shards {
		fmt.Printf("%s: %s", s.Name, s.Data)
	}
	// Output:
	// absent branch: head "", 0 shards
	// first commit: <nil>
	// the same head again: true
	// 41bf13ca-279d-4e6b-ae10-4d463d777db7.jsonl: a record
}

// A job that must not write is handed a Reader, which has no Commit method.
func ExampleRepository_Reader() {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := gittest.InitBare(dir); err != nil {
		fmt.Println(err)
		return
	}
	repo, err := gitbranch.Open(context.Background(), gitbranch.Options{URL: "file://" + dir})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer repo.Close()
	reader, err := repo.Reader("ledgers/tasks")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, writes := reader.(shard.Branch)
	fmt.Println("can write:", writes)
	// Output:
	// can write: false
}

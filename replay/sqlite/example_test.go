package sqlite_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/replay/sqlite"
	"github.com/gitledger/gitledger/shard"
)

// branch is a ledger branch with one shard.
type branch struct{ shard shard.Shard }

func (b branch) Snapshot(context.Context, shard.Limits) (*shard.Snapshot, error) {
	return &shard.Snapshot{Head: "example", Shards: []shard.Shard{b.shard}}, nil
}

func exampleBranch() (branch, error) {
	r, err := record.Seal(record.Draft{
		ID: record.DeterministicID("run 1", 0), Type: "ledger_append", Time: time.Unix(1767323045, 0),
		Payload: []byte(`{"operation":"put","key":"octo/repo","value":{"stars":7}}`),
	})
	if err != nil {
		return branch{}, err
	}
	id, err := shard.NewID()
	data := append(r.Line(), '\n')
	return branch{shard.Shard{Name: id.FileName(), ID: id, Size: int64(len(data)), Data: data}}, err
}

// The trusted job prepares the database; the agent opens it and asks.
func Example() {
	if err := example(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// prepared 1 record
	// {"columns":["key","stars"],"rows":[["octo/repo",7]],"truncated":false}
	// sqlite: query: statement is not allowed
}

func example(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "projection")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "ledger.db")

	reader, err := exampleBranch()
	if err != nil {
		return err
	}
	report, err := sqlite.Prepare(ctx, reader, ledger.NewConfig("repositories", ledger.Map), path, sqlite.Options{})
	if err != nil {
		return err
	}
	fmt.Println("prepared", report.Records, "record")

	db, err := sqlite.Open(ctx, path, sqlite.Limits{})
	if err != nil {
		return err
	}
	defer db.Close()
	result, err := db.Query(ctx, "SELECT key, json_extract(value, '$.stars') AS stars FROM state WHERE key LIKE ?", "octo/%")
	if err != nil {
		return err
	}
	text, err := json.Marshal(result)
	if err != nil {
		return err
	}
	fmt.Println(string(text))

	_, err = db.Query(ctx, "DELETE FROM state")
	fmt.Println(err)
	return nil
}

package sqlite_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/replay/sqlite"
	"github.com/gitledger/gitledger/shard"
)

// The notes of a ledger, ranked by their votes, as the specification does it.
// Text of notes is what strangers wrote: a hint to be checked, not a fact.
func ExampleDB_Query() {
	db, remove := openProjection(ledger.NewConfig("knowledge", ledger.Notes),
		`{"citations":[{"path":"Makefile","type":"repository"}],"note":"make test sets up what is missing","operation":"note","reason":"its first line","subject":"Tests"}`,
		`{"citations":[{"path":"api/retry.go","type":"repository"}],"note":"the client tries three times","operation":"note","reason":"the constant","subject":"Retries"}`,
		`{"note_id":"`+noteID(1)+`","operation":"vote","vote":"up"}`,
		`{"note_id":"`+noteID(0)+`","operation":"vote","reason":"no longer so","vote":"down"}`,
	)
	defer remove()

	ranked, err := db.Query(context.Background(), `
		SELECT n.subject, s.net_votes, s.upvotes, s.downvotes
		FROM notes n JOIN note_state s ON s.note_id = n.id
		ORDER BY s.net_votes DESC, n.created_at DESC LIMIT 20`)
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range ranked.Rows {
		fmt.Println(row...)
	}
	// Output:
	// Retries 1 1 0
	// Tests -1 0 1
}

// Records of any ledger are found without SQL, page by page.
func ExampleDB_Records() {
	db, remove := openProjection(ledger.NewConfig("audit", ledger.Raw),
		`{"status":"started","run":1}`, `{"status":"finished","run":1}`, `{"status":"started","run":2}`)
	defer remove()

	query := sqlite.RecordQuery{Limit: 1, Filters: []sqlite.Filter{
		{Path: "status", Op: "eq", Value: json.RawMessage(`"started"`)},
		{Path: "run", Op: "gte", Value: json.RawMessage(`1`)},
	}}
	for {
		page, err := db.Records(context.Background(), query)
		if err != nil {
			log.Fatal(err)
		}
		for _, r := range page.Records {
			fmt.Println(string(r.Payload))
		}
		if !page.HasMore {
			break
		}
		query.Cursor = page.NextCursor
	}
	// Unordered output:
	// {"run":1,"status":"started"}
	// {"run":2,"status":"started"}
}

func noteID(i int) string { return record.DeterministicID("example", i).String() }

// openProjection prepares a ledger that holds the payloads, and opens it.
func openProjection(cfg ledger.Config, payloads ...string) (db *sqlite.DB, remove func()) {
	var lines []byte
	for i, payload := range payloads {
		r, err := record.Seal(record.Draft{
			ID: record.DeterministicID("example", i), Type: "ledger_append",
			Time: time.Date(2026, 1, 2, 3, 4, i, 0, time.UTC), Payload: []byte(payload),
		})
		if err != nil {
			log.Fatal(err)
		}
		lines = append(append(lines, r.Line()...), '\n')
	}
	id, err := shard.NewID()
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		log.Fatal(err)
	}
	path := filepath.Join(dir, "ledger.db")
	reader := branch{shard.Shard{Name: id.FileName(), ID: id, Size: int64(len(lines)), Data: lines}}
	ctx := context.Background()
	if _, err := sqlite.Prepare(ctx, reader, cfg, path, sqlite.Options{}); err != nil {
		log.Fatal(err)
	}
	if db, err = sqlite.Open(ctx, path, sqlite.Limits{}); err != nil {
		log.Fatal(err)
	}
	return db, func() { _ = db.Close(); _ = os.RemoveAll(dir) }
}

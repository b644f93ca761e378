package sqlite_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// memory is a branch that a test holds: records in shards, in any layout.
type memory struct {
	shards  []shard.Shard
	parents []record.Hash
	n       int
	err     error
}

func (m *memory) Snapshot(ctx context.Context, limits shard.Limits) (*shard.Snapshot, error) {
	if m.err != nil {
		return nil, m.err
	}
	if len(m.shards) > limits.Files {
		return nil, &shard.LimitError{What: "files", Limit: int64(limits.Files)}
	}
	return &shard.Snapshot{Head: shard.Head(fmt.Sprintf("head-%d", m.n)), Shards: m.shards}, ctx.Err()
}

// add appends payloads as a chain after the heads, in one new shard.
func (m *memory) add(tb testing.TB, payloads ...string) []record.ID {
	tb.Helper()
	var data []byte
	var ids []record.ID
	for _, p := range payloads {
		r := m.seal(tb, p, m.parents)
		m.parents = []record.Hash{r.SHA()}
		data = append(append(data, r.Line()...), '\n')
		ids = append(ids, r.ID())
	}
	m.addShard(tb, data)
	return ids
}

func (m *memory) seal(tb testing.TB, payload string, parents []record.Hash) record.Record {
	tb.Helper()
	r, err := record.Seal(record.Draft{
		ID: record.DeterministicID("tested", m.n), Type: "ledger_append",
		Time:    time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Add(time.Duration(m.n) * time.Millisecond),
		Parents: parents, Payload: []byte(payload),
	})
	if err != nil {
		tb.Fatal(err)
	}
	m.n++
	return r
}

func (m *memory) addShard(tb testing.TB, data []byte) {
	tb.Helper()
	id := shard.ID(record.FoldUUID(record.Sum(data)))
	m.shards = append(m.shards, shard.Shard{Name: id.FileName(), ID: id, Size: int64(len(data)), Data: data})
	sortShards(m.shards)
}

func sortShards(shards []shard.Shard) {
	for i := len(shards) - 1; i > 0 && shards[i].Name < shards[i-1].Name; i-- {
		shards[i], shards[i-1] = shards[i-1], shards[i]
	}
}

func config(t ledger.Type) ledger.Config {
	cfg := ledger.NewConfig("tested", t)
	if t == ledger.Table {
		cfg.Key = "id"
	}
	return cfg
}

func note(i int) string {
	return fmt.Sprintf(`{"operation":"note","subject":"subject %d","note":"what was seen %d","reason":"because","citations":[{"type":"repository","path":"docs/%d.md","start_line":1,"end_line":3}]}`, i, i, i)
}

func vote(on record.ID, direction string) string {
	return fmt.Sprintf(`{"operation":"vote","note_id":%q,"vote":%q}`, on, direction)
}

// operation is the i-th operation of a growing ledger of the type.
func operation(t ledger.Type, i int, r *rand.Rand) string {
	filler := strings.Repeat("x", 40)
	switch t {
	case ledger.Log:
		return fmt.Sprintf(`{"operation":"append","value":"%d%s"}`, i, filler)
	case ledger.Set:
		return fmt.Sprintf(`{"operation":"add","value":[%d,"%s"]}`, i, filler)
	case ledger.Map:
		return fmt.Sprintf(`{"operation":"put","key":"key-%d","value":"%s"}`, r.IntN(i+1), filler)
	case ledger.Table:
		return fmt.Sprintf(`{"operation":"upsert","value":{"id":"row-%d","v":"%s"}}`, r.IntN(i+1), filler)
	case ledger.Counter:
		return fmt.Sprintf(`{"operation":"increment","name":"counter-%d","amount":%d}`, r.IntN(i+1), i)
	case ledger.Notes:
		if i%11 == 0 {
			return note(i)
		}
		return vote(record.DeterministicID("tested", i/11*11), []string{"up", "down"}[i%2])
	}
	return fmt.Sprintf(`{"record_type":"audit","run_id":%d,"status":"%s"}`, i, filler)
}

// grown is a branch with n records of the type in at most 1000 shards.
func grown(tb testing.TB, t ledger.Type, n int) *memory {
	tb.Helper()
	m := &memory{}
	r := rand.New(rand.NewPCG(1, uint64(n)))
	for m.n < n {
		var batch []string
		for i := m.n; i < n && len(batch) < max(100, n/1000); i++ {
			batch = append(batch, operation(t, i, r))
		}
		m.add(tb, batch...)
	}
	return m
}

// plainOpen opens a database without any of the package's guards.
func plainOpen(tb testing.TB, path string) *sql.DB {
	tb.Helper()
	db, err := sql.Open("sqlite3", (&url.URL{Scheme: "file", Path: path, RawQuery: "mode=ro&immutable=1"}).String())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { db.Close() })
	return db
}

// rowsOf returns everything that a query gives, as text.
func rowsOf(tb testing.TB, db *sql.DB, query string) []string {
	tb.Helper()
	rows, err := db.Query(query)
	if err != nil {
		tb.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		tb.Fatal(err)
	}
	var out []string
	for rows.Next() {
		values := make([]any, len(columns))
		into := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			tb.Fatal(err)
		}
		for i, v := range values {
			if s, ok := v.(string); ok {
				values[i] = fmt.Sprintf("%q", s)
			}
		}
		out = append(out, fmt.Sprint(values))
	}
	if err := rows.Err(); err != nil {
		tb.Fatal(err)
	}
	return out
}

// dump writes a whole database down: its objects, and all rows in their order.
func dump(tb testing.TB, path string) string {
	tb.Helper()
	db := plainOpen(tb, path)
	var b strings.Builder
	for _, o := range rowsOf(tb, db, "SELECT type, name, sql FROM sqlite_schema ORDER BY name") {
		b.WriteString(o + "\n")
	}
	names, err := db.Query("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name")
	if err != nil {
		tb.Fatal(err)
	}
	defer names.Close()
	for names.Next() {
		var name string
		if err := names.Scan(&name); err != nil {
			tb.Fatal(err)
		}
		b.WriteString(name + "\n")
		for _, row := range rowsOf(tb, db, "SELECT * FROM "+name) {
			b.WriteString("\t" + row + "\n")
		}
	}
	for _, row := range rowsOf(tb, db, "PRAGMA integrity_check") {
		b.WriteString("integrity " + row + "\n")
	}
	return b.String()
}

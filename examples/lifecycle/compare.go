package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"time"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay/sqlite"
)

// state is what must survive maintenance: the records in replay order with
// their parents, and the tables derived from them.
type state struct {
	records int64
	digest  [sha256.Size]byte // of every row
}

// inspect reads the state of every ledger through its projection.
func (l *lifecycle) inspect(ctx context.Context, when string) (map[string]state, error) {
	states := map[string]state{}
	for _, cfg := range l.configs {
		path := l.database(when, cfg)
		queries := []string{
			"SELECT ordinal, id, sha, type, timestamp, payload FROM records ORDER BY ordinal",
			"SELECT child_sha, parent_sha FROM parents ORDER BY 1, 2",
		}
		for _, table := range ledger.Tables(cfg.Type) {
			queries = append(queries, "SELECT * FROM "+table.Name+" ORDER BY 1, 2")
		}
		var st state
		rows := sha256.New()
		for i, sql := range queries {
			n, err := digest(ctx, path, sql, rows)
			if err != nil {
				return nil, err
			}
			if i == 0 {
				st.records = n
			}
		}
		rows.Sum(st.digest[:0])
		states[cfg.Name] = st
	}
	return states, nil
}

// compare shows that maintenance changed nothing but the layout.
func (l *lifecycle) compare(before, after map[string]state) error {
	s := l.screen
	s.printf("\n%s\n", s.style("1", "Before and after compaction"))
	var rows [][]string
	same := true
	for _, cfg := range l.configs {
		b, a := before[cfg.Name], after[cfg.Name]
		verdict := "identical"
		if a != b {
			verdict, same = "DIFFERENT", false
		}
		rows = append(rows, []string{cfg.Name, fmt.Sprintf("%d → %d", b.records, a.records),
			fmt.Sprintf("%x → %x", b.digest[:6], a.digest[:6]), verdict})
	}
	s.table([]string{"ledger", "records", "digest of all rows", "state"}, rows, len(rows))
	if !same {
		return errors.New("the state after compaction is not the state before")
	}
	s.line("no record was lost; every row is the same")
	return nil
}

// digest adds the rows of a query to the hash and counts them.
func digest(ctx context.Context, path, sql string, into hash.Hash) (rows int64, err error) {
	// A whole projection; an agent's limits are smaller.
	db, err := sqlite.Open(ctx, path, sqlite.Limits{Rows: 1 << 20, Bytes: 1 << 30, Time: time.Minute})
	if err != nil {
		return 0, err
	}
	defer db.Close()
	result, err := db.Stream(ctx, sql)
	if err != nil {
		return 0, err
	}
	for row, err := range result.All() {
		if err != nil {
			return rows, err
		}
		rows++
		fmt.Fprintf(into, "%q\n", row)
	}
	if result.Truncated() {
		return rows, errors.New("a projection is larger than this example reads")
	}
	return rows, nil
}

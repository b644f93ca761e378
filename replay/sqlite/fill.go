package sqlite

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/replay"
)

// Versions of the tables, as replay_metadata states them.
const (
	projectionVersion = 1
	outputVersion     = 1
)

// cancelStride is how many rows are written between two looks at the context.
const cancelStride = 1024

// contents is what a database is made of.
type contents struct {
	cfg     *ledger.Config
	history *ledger.History
	state   *replay.State
}

// fill writes everything into an empty database.
func (c *contents) fill(ctx context.Context, conn *connection) error {
	for _, o := range append(commonTables(), typeTables(c.cfg.Type)...) {
		if err := conn.exec(o.sql); err != nil {
			return err
		}
	}
	for _, step := range []func(context.Context, *connection) error{c.records, c.shards, c.tables, c.metadata} {
		if err := step(ctx, conn); err != nil {
			return err
		}
	}
	for _, o := range afterRows(c.cfg.Type) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := conn.exec(o.sql); err != nil {
			return err
		}
	}
	return nil
}

func (c *contents) records(ctx context.Context, conn *connection) error {
	records := newInserter(conn, recordsTable, 8)
	parents := newInserter(conn, parentsTable, 2)
	order := newOrderSum()
	for i, r := range c.history.Records() {
		if i%cancelStride == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		at := c.history.Location(i)
		order.add(r, at)
		if err := addRecord(records, parents, i, r, at); err != nil {
			return err
		}
	}
	for _, in := range []*inserter{records, parents} {
		if err := in.finish(); err != nil {
			return err
		}
	}
	return c.source(conn, order.sum())
}

func addRecord(records, parents *inserter, i int, r *record.Record, at ledger.Location) error {
	sha := r.SHA().String()
	for p := range r.Parents() {
		if err := parents.add(sha, p.String()); err != nil {
			return err
		}
	}
	return records.add(int64(i), r.ID().String(), sha, r.Type(), r.Timestamp(), string(r.Payload()), at.Shard, at.Offset)
}

func (c *contents) source(conn *connection, order record.Hash) error {
	in := newInserter(conn, sourceTable, 4)
	err := in.add(string(c.history.Head()), configSum(c.cfg).String(), int64(c.history.Len()), order.String())
	if err != nil {
		return err
	}
	return in.finish()
}

func (c *contents) shards(_ context.Context, conn *connection) error {
	in := newInserter(conn, shardsTable, 2)
	for name, size := range c.history.Shards() {
		if err := in.add(name, size); err != nil {
			return err
		}
	}
	return in.finish()
}

func (c *contents) tables(ctx context.Context, conn *connection) error {
	for _, t := range c.state.Tables() {
		if t.Rows == nil {
			continue
		}
		in, n := newInserter(conn, t.Name, len(t.Columns)), 0
		for row := range t.Rows {
			if n++; n%cancelStride == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if err := in.add(row...); err != nil {
				return err
			}
		}
		if err := in.finish(); err != nil {
			return err
		}
	}
	return nil
}

// metadata describes the derived tables to whoever queries them.
func (c *contents) metadata(_ context.Context, conn *connection) error {
	in := newInserter(conn, metadataTable, 7)
	layouts := replay.Layout(c.cfg.Type)
	if len(layouts) == 0 {
		layouts = []replay.Table{{}}
	}
	for _, t := range layouts {
		err := in.add(c.cfg.Name, int64(projectionVersion), int64(c.history.Len()), scriptSum(c.cfg.Type),
			int64(outputVersion), t.Name, columnsJSON(t.Columns))
		if err != nil {
			return err
		}
	}
	return in.finish()
}

// scriptSum names the built-in reducer in the place where the digest of a
// replay script was.
func scriptSum(t ledger.Type) string {
	sum := sha256.Sum256([]byte("builtin:" + string(t)))
	return hex.EncodeToString(sum[:])
}

func columnsJSON(columns []replay.Column) string {
	b := []byte{'{'}
	for i, c := range columns {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(canonical.AppendQuoted(b, c.Name), ':')
		b = canonical.AppendQuoted(b, string(c.Kind))
	}
	return string(append(b, '}'))
}

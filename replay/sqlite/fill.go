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
	draft   *draft
	cancel  context.CancelCauseFunc // of the context of it all
}

// fill writes everything into an empty database.
func (c *contents) fill(ctx context.Context, conn *connection) error {
	replayed := c.replayed(ctx) // while the records are written
	if err := conn.create(ctx, tables(c.cfg.Type)); err != nil {
		return err
	}
	if err := write(conn, func(w *writer) error { return c.addRecords(ctx, w, 0) }); err != nil {
		return err
	}
	c.draft.writeOut()
	state, err := replayed()
	if err != nil {
		return err
	}
	err = write(conn, func(w *writer) error {
		_, order := orderSums(c.history, 0)
		c.addSummary(w, order, state.Resumable())
		return addTables(ctx, w, state.Tables())
	})
	if err != nil {
		return err
	}
	for _, o := range afterRows(c.cfg.Type) {
		c.draft.writeOut()
		if err := conn.create(ctx, []object{o}); err != nil {
			return err
		}
	}
	return nil
}

// create makes objects.
func (c *connection) create(ctx context.Context, objects []object) error {
	for _, o := range objects {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.exec(o.sql); err != nil {
			return err
		}
	}
	return nil
}

// addRecords adds the records from the given one on.
func (c *contents) addRecords(ctx context.Context, w *writer, from int) error {
	records, parents := w.into("records", 8), w.into("parents", 2)
	var sha, parent, id []byte
	for i := from; i < c.history.Len(); i++ {
		if i%cancelStride == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		r, at := c.history.Record(i), c.history.Location(i)
		sha, id = r.SHA().AppendText(sha[:0]), r.ID().AppendText(id[:0])
		for n := range r.NumParents() {
			parent = r.Parent(n).AppendText(parent[:0])
			parents.values = appendText(appendText(parents.values, sha), parent)
			parents.end()
		}
		v := appendInteger(records.values, int64(i))
		v = appendText(appendText(v, id), sha)
		v = appendText(appendText(v, r.Type()), r.Timestamp())
		v = appendText(appendText(v, []byte(r.Payload())), at.Shard)
		records.values = appendInteger(v, at.Offset)
		records.end()
	}
	return nil
}

// addSummary adds what is said about the whole: source, shards and metadata.
func (c *contents) addSummary(w *writer, order record.Hash, resumable bool) {
	w.into(sourceTable, 5).add(string(c.history.Head()), configSum(c.cfg).String(), int64(c.history.Len()), order.String(), flag(resumable))
	shards := w.into("shards", 2)
	for name, size := range c.history.Shards() {
		shards.add(name, size)
	}
	c.addMetadata(w.into("replay_metadata", 7))
}

// addTables adds the rows of derived tables.
func addTables(ctx context.Context, w *writer, tables []replay.Table) error {
	for _, t := range tables {
		if t.Rows == nil {
			continue
		}
		in, n := w.intoTable(t.TableSpec), 0
		for row := range t.Rows {
			if n++; n%cancelStride == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			in.add(row...)
		}
		in.flush() // each table's rows in one piece
	}
	return nil
}

// addMetadata describes the derived tables to whoever queries them.
func (c *contents) addMetadata(in *inserter) {
	derived := ledger.Tables(c.cfg.Type)
	if len(derived) == 0 {
		derived = []ledger.TableSpec{{}} // a raw ledger has one row, of no table
	}
	for _, t := range derived {
		in.add(c.cfg.Name, int64(projectionVersion), int64(c.history.Len()), scriptSum(c.cfg.Type),
			int64(outputVersion), t.Name, columnsJSON(t.Columns))
	}
}

// scriptSum names the built-in reducer in the place where the digest of a
// replay script was.
func scriptSum(t ledger.Type) string {
	sum := sha256.Sum256([]byte("builtin:" + string(t)))
	return hex.EncodeToString(sum[:])
}

func columnsJSON(columns []ledger.Column) string {
	b := []byte{'{'}
	for i, c := range columns {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(canonical.AppendQuoted(b, c.Name), ':')
		b = canonical.AppendQuoted(b, string(c.Type))
	}
	return string(append(b, '}'))
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

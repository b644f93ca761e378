package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/replay"
)

// errNotExtensible: the database at the path is none to build on.
var errNotExtensible = errors.New("not extensible")

// worthExtending is how many new records are added to a database of so many.
// More of them are faster to insert into a new one, in order.
func worthExtending(records int) int { return 1000 + records/8 }

// extend makes the draft of the database that is at its place, which was
// copied, and returns how many records that had. After an error the draft is in no known state.
func (c *contents) extend(ctx context.Context) (kept int, err error) {
	d := c.draft
	if err := d.previous(); err != nil {
		return 0, err
	}
	// Of the copy: what is at the path may be another one by now.
	base, err := readSource(ctx, d.temp)
	if err != nil {
		return 0, err
	}
	added := c.history.Len() - base.records
	if !base.extensible(c.cfg) || added < 0 || added > worthExtending(base.records) {
		return 0, errNotExtensible
	}
	first, all := orderSums(c.history, base.records)
	if base.order != first {
		return 0, errNotExtensible
	}
	return base.records, build(ctx, d.temp, func(ctx context.Context, conn *connection) error {
		return c.grow(ctx, conn, base.records, all)
	})
}

// readSource reads what a projection was built from.
func readSource(ctx context.Context, path string) (source, error) {
	s, _, err := openSession(ctx, path)
	if err != nil {
		return source{}, err
	}
	defer s.close()
	found := source{records: -1}
	err = s.conn.values("SELECT head, config_sha256, record_count, order_sha256, resumable FROM "+sourceTable, nil, func(row []driver.Value) error {
		var text [5]string
		for i, v := range row {
			text[i], _ = v.(string)
		}
		n, _ := row[2].(int64)
		found.head, found.records = text[0], int(n)
		found.resumable = row[4] == int64(1)
		var err [2]error
		found.config, err[0] = record.ParseHash(text[1])
		found.order, err[1] = record.ParseHash(text[3])
		return errors.Join(err[:]...)
	})
	if err == nil && found.records < 0 {
		err = errNotExtensible
	}
	return found, err
}

// grow adds the records after the first n, and what they change. The rows of
// every table stay in the order that a new database would have.
func (c *contents) grow(ctx context.Context, conn *connection, n int, order record.Hash) error {
	k := &keyed{conn: conn}
	defer k.close()
	if len(ledger.Tables(c.cfg.Type)) > 0 {
		k.state = ledger.Tables(c.cfg.Type)[0]
	}
	delta, err := replay.Resume(ctx, c.history, *c.cfg, n, k)
	if err != nil {
		return err
	}
	for _, name := range []string{sourceTable, "shards", "replay_metadata"} {
		if err := conn.exec("DELETE FROM " + name); err != nil {
			return err
		}
	}
	if isSpaced(k.state) {
		if err := k.change(delta); err != nil {
			return err
		}
		delta.Tables = nil
	}
	return write(conn, func(w *writer) error {
		if err := c.addRecords(ctx, w, n); err != nil {
			return err
		}
		c.addSummary(w, order, true)
		return addTables(ctx, w, delta.Tables)
	})
}

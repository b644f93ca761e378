package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
)

// errNotExtensible: the database at the path is none to build on.
var errNotExtensible = errors.New("not extensible")

// extend makes the draft of the database that is at its place, and returns how
// many records that had. After an error the draft is in no known state.
func (c *contents) extend(ctx context.Context, d *draft) (kept int, err error) {
	base, err := readSource(ctx, d.path)
	if err != nil {
		return 0, err
	}
	if base.config != configSum(c.cfg) || base.records > c.history.Len() {
		return 0, errNotExtensible
	}
	first, all := orderSums(c.history, base.records)
	if base.order != first {
		return 0, errNotExtensible
	}
	if err := d.copyPrevious(); err != nil {
		return 0, err
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
	err = s.conn.values("SELECT head, config_sha256, record_count, order_sha256 FROM "+sourceTable, nil, func(row []driver.Value) error {
		var text [4]string
		for i, v := range row {
			text[i], _ = v.(string)
		}
		n, _ := row[2].(int64)
		found.head, found.records = text[0], int(n)
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

// grow adds the records after the first n, and rewrites what they change. The
// rows of every table stay in the order that a new database would have.
func (c *contents) grow(ctx context.Context, conn *connection, n int, order record.Hash) error {
	rewritten := []string{sourceTable, "shards", "replay_metadata"}
	skip := 0
	if c.cfg.Type == ledger.Log {
		skip = n // a log only grows at its end
	} else {
		for _, spec := range ledger.Tables(c.cfg.Type) {
			if !spec.View {
				rewritten = append(rewritten, spec.Name)
			}
		}
	}
	for _, name := range rewritten {
		if err := conn.exec("DELETE FROM " + name); err != nil {
			return err
		}
	}
	err := write(conn, func(w *writer) error {
		if err := c.addRecords(ctx, w, n); err != nil {
			return err
		}
		c.addSummary(w, order)
		return nil
	})
	if err != nil {
		return err
	}
	state, err := c.state()
	if err != nil {
		return err
	}
	return write(conn, func(w *writer) error { return addTables(ctx, w, state.Tables(), skip) })
}

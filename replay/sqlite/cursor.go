package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
)

// cursor runs one statement on a session. Whoever runs it owns all of it, so
// that a call which does not come back can be left behind with it.
type cursor struct {
	session   *session
	stmt      driver.Stmt
	rows      driver.Rows
	columns   []string
	left      struct{ rows, bytes int }
	batch     [][]any // fetched and not yet given
	ended     bool    // nothing is left to fetch
	truncated bool    // because of the limits
}

// start compiles the statement and runs it up to its first row.
func (c *cursor) start(query string, args []driver.NamedValue) error {
	if err := c.session.check(query); err != nil {
		return err
	}
	var err error
	if c.stmt, err = c.session.conn.raw.PrepareContext(context.Background(), query); err != nil {
		return translate("query", err)
	}
	queryer, ok := c.stmt.(driver.StmtQueryContext)
	if !ok || c.stmt.NumInput() != len(args) {
		return fail("query", ErrStatement)
	}
	if c.rows, err = queryer.QueryContext(context.Background(), args); err != nil {
		return c.session.explain(err)
	}
	c.columns = c.rows.Columns()
	for _, name := range c.columns {
		c.left.bytes -= len(name)
	}
	if c.left.bytes < 0 {
		return fail("query", ErrTooLarge)
	}
	return nil
}

// batchRows is how many rows are fetched at a time.
const batchRows = 64

// fetch fills the batch.
func (c *cursor) fetch() error {
	dest := make([]driver.Value, len(c.columns))
	for len(c.batch) < batchRows {
		if err := c.rows.Next(dest); errors.Is(err, io.EOF) {
			c.ended = true
			return nil
		} else if err != nil {
			return c.session.explain(err)
		}
		row, size := make([]any, len(dest)), 0
		for i, v := range dest {
			row[i] = v
			size += sizeOf(v)
		}
		if c.left.rows == 0 || c.left.bytes < size {
			c.ended, c.truncated = true, true
			return nil
		}
		c.left.rows--
		c.left.bytes -= size
		c.batch = append(c.batch, row)
	}
	return nil
}

// close ends the statement; the session stays open.
func (c *cursor) close() {
	if c.rows != nil {
		_ = c.rows.Close()
	}
	if c.stmt != nil {
		_ = c.stmt.Close()
	}
}

// sizeOf is what a value counts towards [Limits.Bytes].
func sizeOf(v driver.Value) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case []byte:
		return len(v)
	}
	return 8
}

package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/mattn/go-sqlite3"
)

// connection is a connection to one database file. It is used through the
// driver itself: nothing is pooled or registered.
type connection struct {
	raw   *sqlite3.SQLiteConn
	guard *guard // holds the handle that the driver keeps to itself; nil for a query's connection, whose session has it
}

// connect opens a database file with URI parameters.
func connect(path string, parameters url.Values) (*connection, error) {
	absolute, err := filepath.Abs(path)
	if err != nil || strings.ContainsRune(path, 0) {
		return nil, fail("open", ErrStorage)
	}
	location := filepath.ToSlash(absolute)
	if !strings.HasPrefix(location, "/") {
		location = "/" + location // a Windows drive
	}
	name := url.URL{Scheme: "file", Path: location, RawQuery: parameters.Encode()}
	opened, err := (&sqlite3.SQLiteDriver{}).Open(name.String())
	if err != nil {
		return nil, translate("open", err)
	}
	raw, ok := opened.(*sqlite3.SQLiteConn)
	if !ok {
		return nil, errors.Join(fail("open", ErrStorage), opened.Close())
	}
	return &connection{raw: raw}, nil
}

func (c *connection) close() error { return translate("close", c.raw.Close()) }

// exec runs statements without arguments.
func (c *connection) exec(statements ...string) error {
	for _, s := range statements {
		if _, err := c.raw.ExecContext(context.Background(), s, nil); err != nil {
			return translate("execute", err)
		}
	}
	return nil
}

// each runs a prepared statement, whose rows have so many columns.
func each(stmt driver.StmtQueryContext, args []driver.NamedValue, columns int, row func([]driver.Value) error) error {
	rows, err := stmt.QueryContext(context.Background(), args)
	if err != nil {
		return translate("execute", err)
	}
	dest := make([]driver.Value, columns)
	for err == nil {
		if err = rows.Next(dest); err == nil {
			err = row(dest)
		}
	}
	closing := rows.Close()
	if !errors.Is(err, io.EOF) {
		return translate("execute", err)
	}
	return translate("execute", closing)
}

// named numbers the arguments of a statement.
func named(args []any) []driver.NamedValue {
	out := make([]driver.NamedValue, len(args))
	for i, a := range args {
		out[i] = driver.NamedValue{Ordinal: i + 1, Value: a}
	}
	return out
}

// values runs a query of the package's own and calls row for each row.
func (c *connection) values(query string, args []any, row func([]driver.Value) error) error {
	rows, err := c.raw.QueryContext(context.Background(), query, named(args))
	if err != nil {
		return translate("read", err)
	}
	defer rows.Close()
	dest := make([]driver.Value, len(rows.Columns()))
	for {
		if err := rows.Next(dest); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return translate("read", err)
		}
		if err := row(dest); err != nil {
			return err
		}
	}
}

package sqlite

import (
	"context"
	"database/sql/driver"
	"strings"
)

// rowsPerInsert is how many rows one statement inserts.
const rowsPerInsert = 100

// inserter inserts rows into one table, many with each statement.
type inserter struct {
	conn    *connection
	table   string
	columns int
	full    driver.Stmt
	args    []driver.NamedValue
}

func newInserter(conn *connection, table string, columns int) *inserter {
	return &inserter{conn: conn, table: table, columns: columns, args: make([]driver.NamedValue, 0, rowsPerInsert*columns)}
}

// add takes one row; it may be written later.
func (in *inserter) add(row ...any) error {
	for _, v := range row {
		in.args = append(in.args, driver.NamedValue{Ordinal: len(in.args) + 1, Value: v})
	}
	if len(in.args) < rowsPerInsert*in.columns {
		return nil
	}
	if in.full == nil {
		var err error
		if in.full, err = in.prepare(rowsPerInsert); err != nil {
			return err
		}
	}
	return in.write(in.full)
}

// finish writes what is left.
func (in *inserter) finish() error {
	if in.full != nil {
		defer in.full.Close()
	}
	if len(in.args) == 0 {
		return nil
	}
	rest, err := in.prepare(len(in.args) / in.columns)
	if err != nil {
		return err
	}
	defer rest.Close()
	return in.write(rest)
}

func (in *inserter) prepare(rows int) (driver.Stmt, error) {
	row := "(?" + strings.Repeat(",?", in.columns-1) + ")"
	stmt, err := in.conn.raw.PrepareContext(context.Background(),
		"INSERT INTO "+in.table+" VALUES "+row+strings.Repeat(","+row, rows-1))
	return stmt, translate("execute", err)
}

func (in *inserter) write(stmt driver.Stmt) error {
	queryer, ok := stmt.(driver.StmtQueryContext)
	if !ok {
		return fail("execute", ErrStorage)
	}
	err := run(queryer, in.args)
	in.args = in.args[:0]
	return err
}

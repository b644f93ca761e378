package sqlite

import (
	"context"
	"database/sql/driver"
	"strings"

	"github.com/gitledger/gitledger/ledger"
)

// rowsPerInsert is how many rows one statement inserts.
const rowsPerInsert = 100

// writer inserts rows into tables of one connection. The statements run on a
// goroutine of their own, so that the next rows are made meanwhile. Nothing
// else may use the connection meanwhile.
type writer struct {
	conn *connection
	jobs chan job
	free chan []driver.NamedValue
	done chan struct{}
	err  error // of the goroutine; read after done

	inserters []*inserter
}

// job is a statement's worth of rows.
type job struct {
	into *inserter
	args []driver.NamedValue
}

// jobsAhead is how many statements may wait to be run.
const jobsAhead = 4

// write calls fill with a writer. When write returns nil, all rows that fill
// added are in their tables.
func write(conn *connection, fill func(*writer) error) error {
	w := &writer{conn: conn, jobs: make(chan job, jobsAhead), free: make(chan []driver.NamedValue, jobsAhead), done: make(chan struct{})}
	go w.run()
	err := fill(w)
	for _, in := range w.inserters {
		if err == nil {
			in.flush()
		}
	}
	close(w.jobs)
	<-w.done
	for _, in := range w.inserters {
		in.close()
	}
	if err != nil {
		return err
	}
	return w.err
}

func (w *writer) run() {
	defer close(w.done)
	for j := range w.jobs {
		if w.err == nil {
			w.err = j.into.insert(j.args)
		}
		select {
		case w.free <- j.args[:0]:
		default:
		}
	}
}

// inserter collects rows of one table.
type inserter struct {
	writer  *writer
	table   string
	columns int
	names   string      // of the columns, when rows have a rowid of their own
	gap     int64       // between those rowids; 0 leaves them to SQLite
	last    int64       // of those rowids
	full    driver.Stmt // inserts rowsPerInsert rows; used by the writer's goroutine
	args    []driver.NamedValue
}

func (w *writer) into(table string, columns int) *inserter {
	in := &inserter{writer: w, table: table, columns: columns}
	w.inserters = append(w.inserters, in)
	return in
}

// space gives rows a rowid of their own, each so far from the one before.
func (in *inserter) space(t ledger.TableSpec, gap int64) {
	in.names, in.gap = "rowid, "+t.Columns[0].Name+", "+t.Columns[1].Name, gap
}

// add takes one row. Errors show when write returns.
func (in *inserter) add(row ...any) {
	if in.args == nil {
		in.args = in.buffer()
	}
	if in.gap > 0 {
		in.last += in.gap
		in.bind(in.last)
	}
	for _, v := range row {
		in.bind(v)
	}
	if len(in.args) == rowsPerInsert*in.width() {
		in.flush()
	}
}

func (in *inserter) bind(v any) {
	in.args = append(in.args, driver.NamedValue{Ordinal: len(in.args) + 1, Value: v})
}

// width is the number of arguments of one row.
func (in *inserter) width() int {
	if in.gap > 0 {
		return in.columns + 1
	}
	return in.columns
}

// flush sends off what has been collected.
func (in *inserter) flush() {
	if len(in.args) > 0 {
		in.writer.jobs <- job{in, in.args}
		in.args = nil
	}
}

func (in *inserter) buffer() []driver.NamedValue {
	select {
	case b := <-in.writer.free:
		return b
	default:
		return make([]driver.NamedValue, 0, rowsPerInsert*in.width())
	}
}

func (in *inserter) insert(args []driver.NamedValue) error {
	rows := len(args) / in.width()
	stmt, err := in.statement(rows)
	if err != nil {
		return err
	}
	if rows < rowsPerInsert {
		defer stmt.Close()
	}
	queryer, ok := stmt.(driver.StmtQueryContext)
	if !ok {
		return fail("execute", ErrStorage)
	}
	return run(queryer, args)
}

// statement returns the statement that inserts so many rows. The one for a
// full batch is kept until the connection closes.
func (in *inserter) statement(rows int) (driver.Stmt, error) {
	if rows == rowsPerInsert && in.full != nil {
		return in.full, nil
	}
	into := in.table
	if in.gap > 0 {
		into += " (" + in.names + ")"
	}
	row := "(?" + strings.Repeat(",?", in.width()-1) + ")"
	stmt, err := in.writer.conn.raw.PrepareContext(context.Background(),
		"INSERT INTO "+into+" VALUES "+row+strings.Repeat(","+row, rows-1))
	if err != nil {
		return nil, translate("execute", err)
	}
	if rows == rowsPerInsert {
		in.full = stmt
	}
	return stmt, nil
}

// close frees the kept statement, when the goroutine has ended.
func (in *inserter) close() {
	if in.full != nil {
		_ = in.full.Close()
	}
}

package sqlite

import (
	"strings"

	"github.com/gitledger/gitledger/ledger"
)

// batchBytes is from what size on rows are inserted.
const batchBytes = 64 << 10

// writer inserts rows into tables of one connection. The statements run on a
// goroutine of their own, so that the next rows are made meanwhile. Nothing
// else may use the connection meanwhile.
type writer struct {
	conn *connection
	jobs chan job
	free chan []byte
	done chan struct{}
	err  error // of the goroutine; read after done

	inserters []*inserter
}

// job is a batch of rows.
type job struct {
	into   *inserter
	values []byte
	rows   int
}

// jobsAhead is how many batches may wait to be inserted.
const jobsAhead = 4

// write calls fill with a writer. When write returns nil, all rows that fill
// added are in their tables.
func write(conn *connection, fill func(*writer) error) error {
	w := &writer{conn: conn, jobs: make(chan job, jobsAhead), free: make(chan []byte, jobsAhead), done: make(chan struct{})}
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
			w.err = j.into.insert(j)
		}
		select {
		case w.free <- j.values[:0]:
		default:
		}
	}
}

// inserter collects rows of one table.
type inserter struct {
	writer  *writer
	target  string // the table, and columns unless they are all of it
	columns int
	gap     int64 // between the rowids of its rows; 0 leaves them to SQLite
	last    int64 // rowid
	stmt    *bulk // used by the writer's goroutine

	values []byte // of rows that are complete, and of one in the making
	rows   int
}

func (w *writer) into(table string, columns int) *inserter {
	in := &inserter{writer: w, target: table, columns: columns}
	w.inserters = append(w.inserters, in)
	return in
}

// intoTable is into for a table of the ledger's type.
func (w *writer) intoTable(t ledger.TableSpec) *inserter {
	in := w.into(t.Name, len(t.Columns))
	if isSpaced(t) {
		in.target += " (rowid, " + t.Columns[0].Name + ", " + t.Columns[1].Name + ")"
		in.columns++
		in.gap = rowGap
	}
	return in
}

// add takes one row of strings, integers and nil. Errors show when write returns.
func (in *inserter) add(row ...any) {
	if in.gap > 0 {
		in.last += in.gap
		in.values = appendInteger(in.values, in.last)
	}
	for _, v := range row {
		switch v := v.(type) {
		case string:
			in.values = appendText(in.values, v)
		case int64:
			in.values = appendInteger(in.values, v)
		default:
			in.values = appendNull(in.values)
		}
	}
	in.end()
}

// end completes a row whose values were appended.
func (in *inserter) end() {
	in.rows++
	if len(in.values) >= batchBytes {
		in.flush()
	}
}

// flush sends off the rows that have been collected.
func (in *inserter) flush() {
	if in.rows == 0 {
		return
	}
	in.writer.jobs <- job{in, in.values, in.rows}
	in.rows = 0
	select {
	case in.values = <-in.writer.free:
	default:
		in.values = make([]byte, 0, batchBytes+batchBytes/8)
	}
}

func (in *inserter) insert(j job) (err error) {
	if in.stmt == nil {
		in.stmt, err = in.writer.conn.bulk("INSERT INTO "+in.target+" VALUES (?"+strings.Repeat(",?", in.columns-1)+")", in.columns)
		if err != nil {
			return err
		}
	}
	return in.stmt.run(j.values, j.rows)
}

// close frees the statement, when the goroutine has ended.
func (in *inserter) close() {
	if in.stmt != nil {
		in.stmt.close()
	}
}

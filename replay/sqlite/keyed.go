package sqlite

import (
	"context"
	"database/sql/driver"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay"
)

// keyed reads and changes single rows of a database that is being extended.
type keyed struct {
	conn       *connection
	state      ledger.TableSpec
	statements map[string]driver.Stmt
	rowids     map[string]int64 // of the rows of state that were read, by key
}

var _ replay.Stored = (*keyed)(nil)

// Row implements [replay.Stored].
func (k *keyed) Row(key string) (value any, ok bool, err error) {
	name := k.state.Columns
	row, err := k.one("SELECT rowid, "+name[1].Name+" FROM state WHERE "+name[0].Name+" = ?", 2, key)
	if err != nil || row == nil {
		return nil, false, err
	}
	if k.rowids == nil {
		k.rowids = map[string]int64{}
	}
	k.rowids[key], _ = row[0].(int64)
	return row[1], true, nil
}

// HasNote implements [replay.Stored].
func (k *keyed) HasNote(id string) (bool, error) {
	row, err := k.one("SELECT 1 FROM notes WHERE id = ?", 1, id)
	return row != nil, err
}

// change removes, changes and adds rows of state.
func (k *keyed) change(delta replay.Delta) error {
	name := k.state.Columns
	for _, key := range delta.Removed {
		if _, err := k.one("DELETE FROM state WHERE rowid = ?", 0, k.rowids[key]); err != nil {
			return err
		}
	}
	var added []newRow
	for row := range delta.Tables[0].Rows {
		key, _ := row[0].(string)
		rowid, exists := k.rowids[key]
		if !exists {
			added = append(added, newRow{key: key, value: row[1]})
			continue
		}
		if _, err := k.one("UPDATE state SET "+name[1].Name+" = ? WHERE rowid = ?", 0, row[1], rowid); err != nil {
			return err
		}
	}
	return k.add(added)
}

// newRow is a row to insert, and the rowids between which it belongs.
type newRow struct {
	key           string
	value         any
	before, after int64 // after is 0 at the end of the table
}

// add inserts rows, which are in their order, between those that are there.
func (k *keyed) add(rows []newRow) error {
	for i := range rows {
		if err := k.place(&rows[i]); err != nil {
			return err
		}
	}
	into := "INSERT INTO state (rowid, " + k.state.Columns[0].Name + ", " + k.state.Columns[1].Name + ") VALUES (?, ?, ?)"
	for len(rows) > 0 {
		n := 1 // rows that share a gap
		for n < len(rows) && rows[n].before == rows[0].before {
			n++
		}
		step := stepIn(rows[0].before, rows[0].after, n)
		if step == 0 {
			return errNotExtensible
		}
		for i, row := range rows[:n] {
			if _, err := k.one(into, 0, row.before+int64(i+1)*step, row.key, row.value); err != nil {
				return err
			}
		}
		rows = rows[n:]
	}
	return nil
}

// place looks for the neighbours of a row.
func (k *keyed) place(r *newRow) error {
	name := k.state.Columns[0].Name
	row, err := k.one("SELECT (SELECT rowid FROM state WHERE "+name+" < ?1 ORDER BY "+name+" DESC LIMIT 1),"+
		" (SELECT rowid FROM state WHERE "+name+" > ?1 ORDER BY "+name+" LIMIT 1)", 2, r.key)
	if err != nil {
		return err
	}
	r.before, _ = row[0].(int64)
	r.after, _ = row[1].(int64)
	return nil
}

// stepIn is how far apart n new rowids are between two others; 0 when there is
// no room. The most of a gap is left for what comes after them later, since
// keys often ascend.
func stepIn(before, after int64, n int) int64 {
	if after == 0 {
		if before > maxRowid-rowGap*int64(n) {
			return 0
		}
		return rowGap
	}
	const parts = 64
	gap := after - before
	if step := gap / parts; step > 0 && n < parts {
		return step
	}
	return gap / int64(n+1)
}

const maxRowid = 1<<63 - 1

// one runs a statement of at most one row of so many columns; nil is none.
func (k *keyed) one(query string, columns int, args ...any) ([]driver.Value, error) {
	stmt := k.statements[query]
	if stmt == nil {
		var err error
		if stmt, err = k.conn.raw.PrepareContext(context.Background(), query); err != nil {
			return nil, translate("execute", err)
		}
		if k.statements == nil {
			k.statements = map[string]driver.Stmt{}
		}
		k.statements[query] = stmt
	}
	queryer, ok := stmt.(driver.StmtQueryContext)
	if !ok {
		return nil, fail("execute", ErrStorage)
	}
	var first []driver.Value
	err := each(queryer, named(args), columns, func(row []driver.Value) error {
		first = row
		return nil
	})
	return first, err
}

func (k *keyed) close() {
	for _, s := range k.statements {
		_ = s.Close()
	}
}

package sqlite

import (
	"bytes"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
)

// bulkTable is a table of two columns, and how to insert into it.
func bulkTable(tb testing.TB) (*connection, *bulk) {
	tb.Helper()
	g, err := newGuard()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(g.free)
	conn, err := g.capture(func() (*connection, error) {
		return connect(filepath.Join(tb.TempDir(), "x.db"), url.Values{"mode": {"rwc"}, "_journal_mode": {"OFF"}, "_synchronous": {"OFF"}})
	})
	if err != nil {
		tb.Fatal(err)
	}
	conn.guard = g
	tb.Cleanup(func() {
		if err := conn.close(); err != nil {
			tb.Error(err)
		}
	})
	if err := conn.exec("CREATE TABLE t (a, b)"); err != nil {
		tb.Fatal(err)
	}
	stmt, err := conn.bulk("INSERT INTO t VALUES (?,?)", 2)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(stmt.close)
	return conn, stmt
}

// rowsOfT reads the table, empties it, and gives its rows as text with types.
func (c *connection) rowsOfT(tb testing.TB) (rows []string) {
	tb.Helper()
	err := c.values("SELECT typeof(a), a, length(CAST(a AS BLOB)), typeof(b), b FROM t ORDER BY rowid", nil, func(row []driver.Value) error {
		rows = append(rows, fmt.Sprintf("%s %#v %v %s %v", row[0], row[1], row[2], row[3], row[4]))
		return nil
	})
	if err := errors.Join(err, c.exec("DELETE FROM t")); err != nil {
		tb.Fatal(err)
	}
	return rows
}

// Whatever a text holds, it is the same in the database; and a buffer that is
// cut short, or has something else after it, is an error.
func FuzzBulk(f *testing.F) {
	for _, text := range []string{"", "a", "\x00", "a\x00b", "\xff\xfe", "\xed\xa0\x80", "é"} {
		f.Add([]byte(text), uint16(1), int64(1), uint8(1))
		f.Add([]byte(text), uint16(64<<10-1), int64(1), uint8(1))
	}
	f.Add([]byte("\x02\xff\xff\xff\xff\xff\xff\xff\xff"), uint16(1), int64(math.MinInt64), uint8(3))
	conn, stmt := bulkTable(f)
	f.Fuzz(func(t *testing.T, text []byte, times uint16, n int64, rows uint8) {
		text = bytes.Repeat(text[:min(len(text), 64)], int(times))
		text = text[:min(len(text), 70_000)]
		var values []byte
		var want []string
		for range rows % 4 {
			values = appendInteger(appendText(values, text), n)
			values = appendText(appendNull(values), text)
			want = append(want, fmt.Sprintf("text %#v %d integer %d", string(text), len(text), n),
				fmt.Sprintf("null <nil> <nil> text %s", text))
		}
		if err := stmt.run(values, len(want)); err != nil {
			t.Fatal(err)
		}
		if got := conn.rowsOfT(t); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got  %.300q\nwant %.300q", got, want)
		}
		if len(want) == 0 {
			return
		}
		for _, cut := range []int{0, 1, 5, len(values) / 2, len(values) - 1} {
			if err := stmt.run(bytes.Clone(values[:cut]), len(want)); err == nil {
				t.Errorf("%d bytes of %d were accepted", cut, len(values))
			}
			for i, row := range conn.rowsOfT(t) {
				if i == len(want)-1 || row != want[i] {
					t.Errorf("%d bytes of %d have %.300q", cut, len(values), row)
				}
			}
		}
		if err := stmt.run(append(values, 0), len(want)); err == nil {
			t.Error("a byte after the rows was accepted")
		}
		// Any bytes at all: an error or rows, and never a read behind them.
		var code *Error
		if err := stmt.run(append([]byte(nil), text...), 1); err != nil && !errors.As(err, &code) {
			t.Errorf("%T", err)
		}
		conn.rowsOfT(t)
	})
}

func TestBulkErrors(t *testing.T) {
	conn, _ := bulkTable(t)
	if _, err := conn.bulk("INSERT INTO nothing VALUES (?)", 1); err == nil {
		t.Error("a table that does not exist was accepted")
	}
	if err := conn.exec("CREATE TABLE u (a UNIQUE)"); err != nil {
		t.Fatal(err)
	}
	stmt, err := conn.bulk("INSERT INTO u VALUES (?)", 1)
	if err != nil {
		t.Fatal(err)
	}
	defer stmt.close()
	if err := stmt.run(appendInteger(appendInteger(nil, 1), 1), 2); err == nil || strings.Contains(err.Error(), "UNIQUE") {
		t.Errorf("twice the same: %v", err)
	}
	if err := stmt.run(appendInteger(nil, 2), 1); err != nil {
		t.Errorf("after an error: %v", err)
	}
}

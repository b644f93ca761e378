package sqlite_test

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay/sqlite"
)

// forgery is a database file that is put together page by page.
type forgery struct{ data []byte }

const pageBytes = 4096

func (f *forgery) pages() uint32 { return uint32(len(f.data) / pageBytes) }

// at is a page by its number, from 1.
func (f *forgery) at(page uint32) []byte { return f.data[(page-1)*pageBytes:][:pageBytes] }

// add appends a page and keeps the number of pages in the header right.
func (f *forgery) add(page []byte) uint32 {
	f.data = append(f.data, page...)
	f.data = append(f.data, make([]byte, pageBytes-len(page))...)
	binary.BigEndian.PutUint32(f.data[28:], f.pages())
	return f.pages()
}

// interior is a page of a table's tree with one child over and over, whose
// header is after what else is on the page.
func interior(header int, first, again uint32, children int) []byte {
	page := make([]byte, pageBytes)
	h := page[header:]
	h[0] = 5
	end := pageBytes
	for i := range children {
		end -= 5
		child := again
		if i == 0 {
			child = first
		}
		binary.BigEndian.PutUint32(page[end:], child)
		page[end+4] = byte(i) // rowid
		binary.BigEndian.PutUint16(h[12+2*i:], uint16(end))
	}
	binary.BigEndian.PutUint16(h[3:], uint16(children))
	binary.BigEndian.PutUint16(h[5:], uint16(end))
	binary.BigEndian.PutUint32(h[8:], again)
	return page
}

// leaf is a page with one cell over and over.
func leaf(cell []byte, times int) []byte {
	page := make([]byte, pageBytes)
	end := pageBytes - len(cell)
	copy(page[end:], cell)
	page[0] = 13
	binary.BigEndian.PutUint16(page[3:], uint16(times))
	binary.BigEndian.PutUint16(page[5:], uint16(end))
	for i := range times {
		binary.BigEndian.PutUint16(page[8+2*i:], uint16(end))
	}
	return page
}

// tower puts levels of pages over one, each with 120 times the one below.
func (f *forgery) tower(below uint32, levels int) uint32 {
	for range levels {
		below = f.add(interior(0, below, below, 120))
	}
	return below
}

// rootOf is the root page of a table.
func rootOf(tb testing.TB, path, table string) (root uint32) {
	tb.Helper()
	if err := plainOpen(tb, path).QueryRow("SELECT rootpage FROM sqlite_schema WHERE name = ?", table).Scan(&root); err != nil {
		tb.Fatal(err)
	}
	return root
}

func write(tb testing.TB, path string, data []byte) {
	tb.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		tb.Fatal(err)
	}
}

// A schema that repeats a harmless row without end is read before anything
// can be asked, by the driver already.
func TestEndlessSchema(t *testing.T) {
	f := &forgery{sample(t, ledger.Map)}
	first := f.at(1)
	if first[100] != 13 {
		t.Fatal("the schema does not fit its first page")
	}
	path := filepath.Join(t.TempDir(), "ledger.db")
	write(t, path, f.data)
	root := rootOf(t, path, "sqlite_autoindex_state_1")

	// A page that is not the first has its header at its start, and its cells
	// where they were.
	cells := 2 * int(binary.BigEndian.Uint16(first[103:]))
	real := make([]byte, pageBytes)
	copy(real, first[100:][:8+cells])
	content := int(binary.BigEndian.Uint16(first[105:]))
	copy(real[content:], first[content:])
	row := append([]byte{6, 23, 61, 23, 1, 0}, "indexsqlite_autoindex_state_1state"...)
	row = append(row, byte(root))
	schema := f.add(real)
	again := f.tower(f.add(leaf(append([]byte{byte(len(row)), 100}, row...), 100)), 9)
	copy(f.at(1)[100:], interior(100, schema, again, 20)[100:])

	write(t, path, f.data)
	start := time.Now()
	_, err := sqlite.Open(t.Context(), path, sqlite.Limits{Time: 200 * time.Millisecond})
	if !errors.Is(err, sqlite.ErrTimeout) {
		t.Errorf("after %v: %v", time.Since(start), err)
	}
}

// A table with more rows than there are atoms is never done. Counting them is
// one step of SQLite's machine, which has to end all the same: each session is
// there again afterwards.
func TestEndlessTable(t *testing.T) {
	f := &forgery{sample(t, ledger.Log)}
	path := filepath.Join(t.TempDir(), "ledger.db")
	write(t, path, f.data)
	root := rootOf(t, path, "records")
	top := f.tower(f.add(leaf([]byte{9, 1, 9, 0, 13, 13, 13, 13, 13, 13, 8}, 100)), 9)
	copy(f.at(root), f.at(top))
	write(t, path, f.data)
	db := open(t, path, sqlite.Limits{Time: 50 * time.Millisecond})
	for range 10 {
		for _, query := range []string{"SELECT count(*) FROM records NOT INDEXED", "SELECT max(length(payload)) FROM records"} {
			if _, err := db.Query(t.Context(), query); !errors.Is(err, sqlite.ErrTimeout) {
				t.Fatalf("%s: %v", query, err)
			}
		}
	}
	if _, err := db.Query(t.Context(), "SELECT count(*) FROM state"); err != nil {
		t.Error(err)
	}
}

// Trees that lead back to themselves, rows that are longer than the file, and
// headers that promise something else.
func TestForgedTrees(t *testing.T) {
	data := sample(t, ledger.Log)
	path := filepath.Join(t.TempDir(), "ledger.db")
	write(t, path, data)
	records, state := rootOf(t, path, "records"), rootOf(t, path, "state")
	for name, forge := range map[string]func(*forgery){
		"a page is its own child": func(f *forgery) {
			copy(f.at(records), interior(0, records, records, 50))
		},
		"two pages are each other's children": func(f *forgery) {
			other := f.add(interior(0, records, records, 50))
			copy(f.at(records), interior(0, other, other, 50))
		},
		"a child beyond the file": func(f *forgery) {
			copy(f.at(records), interior(0, 1<<31, 1<<30, 50))
		},
		"a row of a gigabyte": func(f *forgery) {
			// Its length is 2^30, its record has a text of 2^30 - 20 bytes.
			cell := []byte{0x84, 0x80, 0x80, 0x80, 0x00, 1, 8, 0, 0x88, 0x80, 0x80, 0x80, 0x01}
			cell = append(cell, make([]byte, 1000)...)
			copy(f.at(state), leaf(cell, 1))
			binary.BigEndian.PutUint32(f.data[28:], 1<<20)
		},
		"cells that overlap the header": func(f *forgery) {
			binary.BigEndian.PutUint16(f.at(records)[8:], 2)
		},
		"more cells than fit": func(f *forgery) {
			binary.BigEndian.PutUint16(f.at(records)[3:], 0xffff)
		},
		"a free list that is a circle": func(f *forgery) {
			binary.BigEndian.PutUint32(f.data[32:], 2)
			binary.BigEndian.PutUint32(f.data[36:], 1<<30)
		},
		"tables that share a root": func(f *forgery) {
			copy(f.at(state), f.at(records))
		},
		"UTF-16":                  func(f *forgery) { f.data[59] = 2 },
		"no encoding":             func(f *forgery) { f.data[59] = 9 },
		"write-ahead log":         func(f *forgery) { f.data[18], f.data[19] = 2, 2 },
		"a later format":          func(f *forgery) { f.data[18], f.data[19] = 9, 9 },
		"a page size of 1":        func(f *forgery) { f.data[16], f.data[17] = 0, 1 },
		"nearly all is reserved":  func(f *forgery) { f.data[20] = 255 },
		"a schema format of 2^31": func(f *forgery) { f.data[44] = 0x80 },
	} {
		t.Run(name, func(t *testing.T) {
			f := &forgery{append([]byte(nil), data...)}
			forge(f)
			path := filepath.Join(t.TempDir(), "ledger.db")
			write(t, path, f.data)
			if name == "a row of a gigabyte" {
				if err := os.Truncate(path, 1<<32); err != nil {
					t.Fatal(err)
				}
			}
			db, err := sqlite.Open(t.Context(), path, sqlite.Limits{Time: 100 * time.Millisecond})
			if err != nil {
				mustBeDocumented(t, err)
				return
			}
			defer db.Close()
			for _, query := range []string{
				"SELECT count(*), max(length(payload)) FROM records NOT INDEXED",
				"SELECT count(*) FROM records NOT INDEXED",
				"SELECT sum(length(value)), max(value) FROM state",
				"SELECT * FROM records ORDER BY payload",
			} {
				if _, err := db.Query(t.Context(), query); err != nil {
					mustBeDocumented(t, err)
				}
			}
			for page, q := 0, (sqlite.RecordQuery{Limit: sqlite.MaxPage}); page < 1000; page++ {
				got, err := db.Records(t.Context(), q)
				if err != nil {
					mustBeDocumented(t, err)
					return
				}
				if !got.HasMore {
					return
				}
				q.Cursor = got.NextCursor
			}
			t.Error("pages without end")
		})
	}
}

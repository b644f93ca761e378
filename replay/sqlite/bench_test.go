package sqlite_test

import (
	"database/sql"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay/sqlite"
)

func BenchmarkPrepare(b *testing.B) {
	for _, t := range append(ledger.Types(), ledger.Raw) {
		for _, n := range []int{1_000, 10_000, 100_000} {
			b.Run(fmt.Sprintf("%s/%d", t, n), func(b *testing.B) {
				m := grown(b, t, n)
				path := filepath.Join(b.TempDir(), "ledger.db")
				b.ReportAllocs()
				for b.Loop() {
					if _, err := sqlite.Prepare(b.Context(), m, config(t), path, sqlite.Options{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkGrowth prepares 1,000 and 100,000 records in turns. The metric
// exponent is x in: the time grows with the number of records to the power of x.
func BenchmarkGrowth(b *testing.B) {
	const few, many = 1_000, 100_000
	for _, t := range append(ledger.Types(), ledger.Raw) {
		b.Run(string(t), func(b *testing.B) {
			small, large := grown(b, t, few), grown(b, t, many)
			path := filepath.Join(b.TempDir(), "ledger.db")
			timed := func(m *memory) time.Duration {
				start := time.Now()
				prepare(b, m, config(t), path)
				return time.Since(start)
			}
			var first, second time.Duration
			for b.Loop() {
				first += timed(small)
				second += timed(large)
			}
			b.ReportMetric(math.Log(float64(second)/float64(first))/math.Log(many/few), "exponent")
		})
	}
}

// BenchmarkRawInsert inserts the rows of a projection into a new database and
// builds its indexes, by hand: what preparing is measured against. The metric
// prepare/raw is the ratio of the two, taken in turns so that both meet the
// same machine. Preparing also makes the file durable.
func BenchmarkRawInsert(b *testing.B) {
	for _, t := range append(ledger.Types(), ledger.Raw) {
		b.Run(fmt.Sprintf("%s/100000", t), func(b *testing.B) {
			dir := b.TempDir()
			source, path := filepath.Join(dir, "source.db"), filepath.Join(dir, "ledger.db")
			m := grown(b, t, 100_000)
			prepare(b, m, config(t), source)
			content := readContent(b, source)
			var raw, prepared time.Duration
			for b.Loop() {
				if err := os.RemoveAll(path); err != nil {
					b.Fatal(err)
				}
				start := time.Now()
				content.insert(b, path)
				raw += time.Since(start)
				b.StopTimer()
				start = time.Now()
				prepare(b, m, config(t), source)
				prepared += time.Since(start)
				b.StartTimer()
			}
			b.ReportMetric(float64(prepared)/float64(raw), "prepare/raw")
		})
	}
}

// content is all of a database: statements that make tables, rows, and
// statements that make the rest.
type content struct {
	before, after []string
	tables        []string
	columns       map[string]int
	rows          map[string][]any // values one after another
}

func readContent(b *testing.B, path string) *content {
	b.Helper()
	db := plainOpen(b, path)
	c := &content{columns: map[string]int{}, rows: map[string][]any{}}
	objects, err := db.Query("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
	if err != nil {
		b.Fatal(err)
	}
	for objects.Next() {
		var kind, name, text string
		if err := objects.Scan(&kind, &name, &text); err != nil {
			b.Fatal(err)
		}
		if kind != "table" {
			c.after = append(c.after, text)
			continue
		}
		c.before = append(c.before, text)
		c.tables = append(c.tables, name)
	}
	if err := objects.Err(); err != nil {
		b.Fatal(err)
	}
	for _, name := range c.tables {
		rows, err := db.Query("SELECT * FROM " + name)
		if err != nil {
			b.Fatal(err)
		}
		names, err := rows.Columns()
		if err != nil {
			b.Fatal(err)
		}
		c.columns[name] = len(names)
		for rows.Next() {
			values := make([]any, len(names))
			into := make([]any, len(names))
			for i := range values {
				into[i] = &values[i]
			}
			if err := rows.Scan(into...); err != nil {
				b.Fatal(err)
			}
			c.rows[name] = append(c.rows[name], values...)
		}
		if err := rows.Err(); err != nil {
			b.Fatal(err)
		}
	}
	return c
}

func (c *content) insert(b *testing.B, path string) {
	db, err := sql.Open("sqlite3", path+"?_journal_mode=OFF&_synchronous=OFF&_locking_mode=EXCLUSIVE")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	tx, err := db.Begin()
	if err != nil {
		b.Fatal(err)
	}
	execute := func(statements []string) {
		for _, s := range statements {
			if _, err := tx.Exec(s); err != nil {
				b.Fatal(err)
			}
		}
	}
	execute(c.before)
	for _, name := range c.tables {
		width := c.columns[name]
		row := "(?" + strings.Repeat(",?", width-1) + ")"
		for at := 0; at < len(c.rows[name]); {
			n := min(100, (len(c.rows[name])-at)/width)
			stmt, err := tx.Prepare("INSERT INTO " + name + " VALUES " + row + strings.Repeat(","+row, n-1))
			if err != nil {
				b.Fatal(err)
			}
			for ; len(c.rows[name])-at >= n*width && n > 0; at += n * width {
				if _, err := stmt.Exec(c.rows[name][at : at+n*width]...); err != nil {
					b.Fatal(err)
				}
			}
			if err := stmt.Close(); err != nil {
				b.Fatal(err)
			}
		}
	}
	execute(c.after)
	if err := tx.Commit(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkRanking is the specification's query for notes, on 10,000 notes and
// 100,000 votes.
func BenchmarkRanking(b *testing.B) {
	m := grown(b, ledger.Notes, 110_000)
	path := filepath.Join(b.TempDir(), "ledger.db")
	prepare(b, m, config(ledger.Notes), path)
	db := open(b, path, sqlite.Limits{})
	for b.Loop() {
		r, err := db.Query(b.Context(), `SELECT c.*, s.net_votes, s.last_positive_vote_at
			FROM notes c JOIN note_state s ON s.note_id = c.id
			ORDER BY s.net_votes DESC, c.created_at DESC LIMIT 20`)
		if err != nil || len(r.Rows) != 20 {
			b.Fatal(r, err)
		}
	}
}

// BenchmarkExtend prepares one new run of ten records on 100,000. The metric
// extend/full is its time against that of preparing the same from nothing,
// taken in turns so that both meet the same machine.
func BenchmarkExtend(b *testing.B) {
	for _, t := range append(ledger.Types(), ledger.Raw) {
		b.Run(string(t)+"/100000", func(b *testing.B) {
			m := grown(b, t, 100_000)
			dir := b.TempDir()
			path, fresh := filepath.Join(dir, "ledger.db"), filepath.Join(dir, "fresh.db")
			prepare(b, m, config(t), path)
			r := rand.New(rand.NewPCG(1, 1))
			var extended, full time.Duration
			for b.Loop() {
				b.StopTimer()
				var batch []string
				for i := range 10 {
					batch = append(batch, operation(t, m.n+i, r))
				}
				m.add(b, batch...)
				start := time.Now()
				prepare(b, m, config(t), fresh)
				full += time.Since(start)
				b.StartTimer()
				start = time.Now()
				report, err := sqlite.Prepare(b.Context(), m, config(t), path, sqlite.Options{Extend: true})
				extended += time.Since(start)
				if err != nil || report.Kept != m.n-10 {
					b.Fatal(report, err)
				}
			}
			b.ReportMetric(float64(extended)/float64(full), "extend/full")
			b.ReportMetric(float64(full.Milliseconds())/float64(b.N), "full-ms/op")
		})
	}
}

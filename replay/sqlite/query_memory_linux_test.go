package sqlite_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay/sqlite"
)

// openFiles are the files that the process has open.
func openFiles(tb testing.TB) map[string]bool {
	tb.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		tb.Fatal(err)
	}
	files := map[string]bool{}
	for _, e := range entries {
		name, err := os.Readlink(filepath.Join("/proc/self/fd", e.Name()))
		if err == nil && strings.HasPrefix(name, "/") && !strings.HasPrefix(name, "/proc/") {
			files[name] = true
		}
	}
	return files
}

// What is sorted or collected stays in memory, and that is bounded: a query
// writes nothing to a disk, not even to a temporary file.
func TestNothingOnDisk(t *testing.T) {
	db := prepared(t, ledger.Notes, 2000, sqlite.Limits{Rows: math.MaxInt, Bytes: math.MaxInt, Time: time.Minute})
	before := openFiles(t)
	for _, query := range []string{
		"SELECT a.ordinal, a.payload || b.id FROM records AS a, records AS b WHERE a.ordinal < 40 ORDER BY 2",
		"SELECT DISTINCT a.ordinal % 7, a.payload || b.id FROM records AS a, records AS b WHERE a.ordinal < 40",
		"SELECT p, count(*) FROM (SELECT a.payload || b.id AS p FROM records AS a, records AS b WHERE a.ordinal < 40) GROUP BY p",
		"SELECT first_value(a.payload) OVER (PARTITION BY b.ordinal % 2) FROM records AS a, records AS b WHERE a.ordinal < 40",
	} {
		rows, err := db.Stream(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		for file := range openFiles(t) {
			if !before[file] {
				t.Fatalf("%s: opened %s", query, file)
			}
		}
		rows.Close()
	}
	for _, query := range []string{
		"WITH RECURSIVE n(i, s) AS (VALUES (1, zeroblob(200000)) UNION ALL SELECT i + 1, s FROM n) SELECT i FROM n ORDER BY s, i",
		"SELECT a.payload || b.payload || c.payload FROM records AS a, records AS b, records AS c ORDER BY 1",
	} {
		if _, err := db.Query(t.Context(), query); !errors.Is(err, sqlite.ErrTooLarge) {
			t.Errorf("%s: %v", query, err)
		}
	}
}

// The arguments of one function call can ask for a lot, and nothing looks at
// memory while it works.
func TestMemoryOfOneStep(t *testing.T) {
	db := prepared(t, ledger.Log, 10, sqlite.Limits{Time: 500 * time.Millisecond})
	deep := "replace(hex(zeroblob(450)), '0', '[') || replace(hex(zeroblob(450)), '0', ']')"
	long := strings.TrimSuffix(strings.Repeat("hex(zeroblob(131072)), ", 99), ", ")
	for _, query := range []string{
		"SELECT json_pretty(" + deep + ", hex(zeroblob(2000)))",
		"SELECT json_array(" + long + ")",
		"SELECT concat(" + long + ")",
		"SELECT concat_ws(" + long + ")",
		"SELECT format('" + strings.Repeat("%s", 98) + "', " + strings.TrimSuffix(long, ", hex(zeroblob(131072))") + ")",
		"SELECT char(" + strings.TrimSuffix(strings.Repeat("65, ", 101), ", ") + ")",
		"SELECT json_set('[]'" + strings.Repeat(", '$[#]', hex(zeroblob(131072))", 49) + ")",
		"SELECT length(x.v) FROM (SELECT json_group_array(hex(zeroblob(131072))) AS v FROM records) AS x",
		"SELECT json_quote(replace(hex(zeroblob(131072)), '0', char(1)))",
	} {
		start := highest(t)
		if r, err := db.Query(t.Context(), query); err == nil {
			t.Errorf("%.50s: %.50v", query, r.Rows)
		}
		if grown := highest(t) - start; grown > 100<<10 {
			t.Errorf("%.50s: %d KiB of memory", query, grown)
		}
	}
}

// highest is the most memory that the process has had, in KiB.
func highest(tb testing.TB) (kib int64) {
	tb.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		tb.Fatal(err)
	}
	return usage.Maxrss
}

// Names of columns are part of a result.
func TestLongNames(t *testing.T) {
	db := prepared(t, ledger.Log, 1, sqlite.Limits{Bytes: 10_008})
	for length, want := range map[int]error{2502: nil, 2503: sqlite.ErrTooLarge} {
		query := fmt.Sprintf("WITH a AS (SELECT NULL AS %s) SELECT *, *, *, * FROM a WHERE 0", strings.Repeat("n", length))
		if _, err := db.Query(t.Context(), query); !errors.Is(err, want) {
			t.Errorf("%d: %v", length, err)
		}
	}
}

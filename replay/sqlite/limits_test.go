package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay/sqlite"
)

// A result that is exactly as large as the limits is whole; one more row, or
// one more byte, is cut off.
func TestLimitsToTheByte(t *testing.T) {
	const rows = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT i, 'four' AS b FROM n"
	db := prepared(t, ledger.Log, 1, sqlite.Limits{Rows: 130, Bytes: 2 + 130*12})
	for n, whole := range map[int]bool{0: true, 63: true, 64: true, 65: true, 129: true, 130: true, 131: false, 1000: false} {
		r, err := db.Query(t.Context(), rows, n)
		if err != nil || r.Truncated == whole || len(r.Rows) != min(max(n, 1), 130) {
			t.Errorf("%d rows: %d, truncated %v, %v", n, len(r.Rows), r.Truncated, err)
		}
	}
	for length, whole := range map[int]bool{1560: true, 1561: true, 1562: false, 200_000: false} {
		r, err := db.Query(t.Context(), "SELECT substr(hex(zeroblob(100000)), 1, ?) AS a", length)
		if err != nil || r.Truncated == whole || len(r.Rows) == 0 == whole {
			t.Errorf("%d bytes: truncated %v, %v", length, r.Truncated, err)
		}
	}
}

func TestArguments(t *testing.T) {
	db := prepared(t, ledger.Log, 1, sqlite.Limits{})
	for _, tc := range []struct {
		arg  any
		want string
	}{
		{nil, "<nil> null"}, {int64(math.MinInt64), "-9223372036854775808 integer"}, {int64(math.MaxInt64), "9223372036854775807 integer"},
		{math.NaN(), "<nil> null"}, {math.Inf(-1), "-Inf real"}, {true, "1 integer"}, {"a\x00b", "a\x00b text"}, {"\xff", "\xff text"},
		{[]byte{0, 1}, "[0 1] blob"}, {[]byte{}, "[] blob"}, {"", " text"}, {uint8(3), "3 integer"}, {float32(0.5), "0.5 real"},
	} {
		r, err := db.Query(t.Context(), "SELECT ?1, typeof(?1)", tc.arg)
		if err != nil || fmt.Sprint(r.Rows[0]...) != strings.Replace(tc.want, " ", "", 1) && fmt.Sprintf("%v %v", r.Rows[0]...) != tc.want {
			t.Errorf("%v: %v, %v", tc.arg, r, err)
		}
	}
	for _, arg := range []any{uint64(math.MaxUint64), struct{}{}, []int{1}, map[string]int{}, func() {}, make(chan int), complex(1, 1)} {
		if _, err := db.Query(t.Context(), "SELECT ?", arg); !errors.Is(err, sqlite.ErrStatement) {
			t.Errorf("%T: %v", arg, err)
		}
	}
	if _, err := db.Query(t.Context(), "SELECT ?", strings.Repeat("x", 300<<10)); !errors.Is(err, sqlite.ErrTooLarge) {
		t.Error(err)
	}
	if _, err := db.Query(t.Context(), "SELECT 1", make([]any, 2000)...); !errors.Is(err, sqlite.ErrTooLarge) {
		t.Error(err)
	}
}

// What ended a context is what the error says, whatever cause came with it.
func TestCauseOfContext(t *testing.T) {
	db := prepared(t, ledger.Log, 1, sqlite.Limits{})
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("a secret"))
	if _, err := db.Query(ctx, "SELECT 1"); !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
}

// Many ask at the same time, more than there are sessions, in all ways that a
// query can end; whoever asks properly gets the right answer.
func TestManyAtOnce(t *testing.T) {
	db := prepared(t, ledger.Log, 300, sqlite.Limits{Time: time.Minute})
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for j := range 20 {
				n := i*20 + j
				if r, err := db.Query(t.Context(), "SELECT ordinal FROM records WHERE ordinal < ?", n%300); err != nil || len(r.Rows) != n%300 {
					t.Errorf("%d: %v", n, err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(j)*100*time.Microsecond)
				if _, err := db.Query(ctx, endless()["recursion"]); !errors.Is(err, context.DeadlineExceeded) {
					t.Error(err)
				}
				cancel()
				if _, err := db.Query(t.Context(), "DELETE FROM records"); !errors.Is(err, sqlite.ErrDenied) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	db.Close()
	if _, err := db.Records(t.Context(), sqlite.RecordQuery{}); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
}

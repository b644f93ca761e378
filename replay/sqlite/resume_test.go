package sqlite_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay/sqlite"
)

// churn is an operation on few keys, so that rows come, change and go. Some of
// the keys sort in UTF-16 otherwise than in UTF-8 when even is false.
func churn(t ledger.Type, even bool, r *rand.Rand) string {
	keys := []string{"a", "B", "", "10", "9", "é", `\n`, `\"`, `\u0000`, "\u2028", "\ud7ff", "😀", "😀b", "𝄞"}
	if !even {
		keys = append(keys, "\ue000", "\ufffd", `\ud800`, `\udc00`, "\uffff")
	}
	key := keys[r.IntN(len(keys))] + keys[r.IntN(14)]
	if strings.HasPrefix(key, `\ud`) {
		key = key[:6] // nothing after a lone surrogate, so that no two make a pair
	}
	gone := r.IntN(3) == 0
	switch {
	case t == ledger.Set && gone:
		return fmt.Sprintf(`{"operation":"remove","value":"%s"}`, key)
	case t == ledger.Set:
		return fmt.Sprintf(`{"operation":"add","value":"%s"}`, key)
	case t == ledger.Map && gone, t == ledger.Table && gone:
		return fmt.Sprintf(`{"key":"%s","operation":"delete"}`, key)
	case t == ledger.Map:
		return fmt.Sprintf(`{"key":"%s","operation":"put","value":%d}`, key, r.IntN(3))
	case t == ledger.Table:
		return fmt.Sprintf(`{"operation":"upsert","value":{"id":"%s","n":%d}}`, key, r.IntN(3))
	}
	return fmt.Sprintf(`{"amount":%d,"name":"%s","operation":"%s"}`, r.IntN(3), key+"n", []string{"increment", "decrement"}[r.IntN(2)])
}

// Keys that come, change and go between others stand where a new database has them.
func TestExtendKeepsTheOrderOfKeys(t *testing.T) {
	r := random(t)
	dir := t.TempDir()
	path, fresh := filepath.Join(dir, "grown.db"), filepath.Join(dir, "fresh.db")
	for _, typ := range []ledger.Type{ledger.Set, ledger.Map, ledger.Table, ledger.Counter} {
		for _, even := range []bool{true, false} {
			m, kept := &memory{}, 0
			for step := range 8 {
				var batch []string
				for range 1 + r.IntN(15) {
					batch = append(batch, churn(typ, even, r))
				}
				m.add(t, batch...)
				report, freshErr := sqlite.Prepare(t.Context(), m, config(typ), path, sqlite.Options{Extend: true})
				_, err := sqlite.Prepare(t.Context(), m, config(typ), fresh, sqlite.Options{})
				if fmt.Sprint(err) != fmt.Sprint(freshErr) {
					t.Fatalf("%s: extended %v, new %v", typ, freshErr, err)
				}
				if err != nil {
					break // two keys that text cannot tell apart
				}
				if report.Kept > 0 {
					kept++
				} else if even && step > 0 {
					t.Errorf("%s, step %d: rebuilt", typ, step)
				}
				if got, want := dump(t, path), dump(t, fresh); got != want {
					t.Fatalf("%s, step %d: extended\n%s\nnew\n%s", typ, step, got, want)
				}
			}
			if even && kept == 0 {
				t.Errorf("%s: never extended", typ)
			}
		}
	}
}

// A gap between two keys that is used up gives a new database, not a wrong order.
func TestExtendWithoutRoom(t *testing.T) {
	dir := t.TempDir()
	path, fresh := filepath.Join(dir, "grown.db"), filepath.Join(dir, "fresh.db")
	m, rebuilt := &memory{}, 0
	m.add(t, `{"key":"a","operation":"put","value":1}`, `{"key":"z","operation":"put","value":1}`)
	for i := range 12 { // each before the one before
		m.add(t, fmt.Sprintf(`{"key":"k-%02d","operation":"put","value":1}`, 99-i))
		report, err := sqlite.Prepare(t.Context(), m, config(ledger.Map), path, sqlite.Options{Extend: true})
		if err != nil {
			t.Fatal(err)
		}
		if report.Kept == 0 && i > 0 {
			rebuilt++
		}
		prepare(t, m, config(ledger.Map), fresh)
		if got, want := dump(t, path), dump(t, fresh); got != want {
			t.Fatalf("step %d: extended\n%s\nnew\n%s", i, got, want)
		}
	}
	if rebuilt == 0 || rebuilt > 4 {
		t.Errorf("rebuilt %d times", rebuilt)
	}
}

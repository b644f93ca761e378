package sqlite_test

import (
	"fmt"
	"path/filepath"
	"testing"

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

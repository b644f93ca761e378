//go:build cgo

package txn_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
	"github.com/gitledger/gitledger/shard/gitbranch"
	"github.com/gitledger/gitledger/txn"
)

// BenchmarkPersist persists 10 records onto a branch with so many commits,
// over HTTP with a warm object cache.
func BenchmarkPersist(b *testing.B) {
	for _, commits := range []int{100, 1_000, 8_000} {
		b.Run(fmt.Sprintf("commits=%d", commits), func(b *testing.B) {
			s, configs := newSite(b, true), oneLog()
			s.grow(b, commits)
			branches := s.open(b, gitbranch.Options{Cache: b.TempDir()})
			persist := func(id string) {
				mine := artifact(b, configs, id, strings.Split(strings.Repeat(entry+"\n", 10), "\n")...)
				if _, err := txn.Persist(b.Context(), branches, configs, mine, txn.Options{}); err != nil {
					b.Fatal(err)
				}
			}
			persist("warm")
			s.server.ResetStats()
			n := 0
			for b.Loop() {
				n++
				persist(fmt.Sprint("run ", n))
			}
			stats := s.server.Stats()
			b.ReportMetric(float64(stats.Requests)/float64(n), "requests/op")
			b.ReportMetric(float64(stats.In)/float64(n), "bytes-sent/op")
			b.ReportMetric(float64(stats.Out)/float64(n), "bytes-received/op")
		})
	}
}

// grow gives the branch a history of so many commits, each of which appends a
// record; every hundredth merges the shards of those before it, as compaction
// would.
func (s *site) grow(t testing.TB, commits int) {
	t.Helper()
	var in bytes.Buffer
	var parents []record.Hash
	var loose []shard.ID
	var merged []byte
	for i := range commits {
		r, err := record.Seal(record.Draft{ID: record.DeterministicID("grow", i), Type: "ledger_append", Parents: parents,
			Payload: fmt.Appendf(nil, `{"operation":"append","value":"entry %d %s"}`, i, strings.Repeat("x", 150))})
		if err != nil {
			t.Fatal(err)
		}
		parents = []record.Hash{r.SHA()}
		id := shard.ID(record.FoldUUID(r.SHA()))
		line := append(bytes.Clone(r.Line()), '\n')
		merged = append(merged, line...)
		fmt.Fprintf(&in, "commit %s\ncommitter test <test@localhost> %d +0000\ndata 0\n", branchRef, 1_700_000_000+i)
		if loose = append(loose, id); len(loose) == 100 {
			for _, old := range loose[:99] {
				fmt.Fprintf(&in, "D %s\n", old.Path())
			}
			line, loose, merged = merged, nil, nil
		}
		fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", id.Path(), len(line), line)
	}
	cmd := exec.Command("git", "-C", s.path, "fast-import", "--quiet")
	cmd.Env, cmd.Stdin = gittest.Environ(), &in
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git fast-import: %v: %s", err, out)
	}
}

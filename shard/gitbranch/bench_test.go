package gitbranch

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gitledger/gitledger/shard"
)

// importHistory gives the branch so many commits: each adds a shard of ten
// lines, and each fiftieth merges the last fifty into one, as compaction does.
func (b *box) importHistory(t testing.TB, commits int) {
	t.Helper()
	var script, merged strings.Builder
	var recent []string
	for i := range commits {
		name, data := benchShard(t, i)
		fmt.Fprintf(&script, "commit %s\nmark :%d\ncommitter test <test@localhost> %d +0000\ndata 4\nadd\n\n", testRef, i+1, 1700000000+i)
		if i > 0 {
			fmt.Fprintf(&script, "from :%d\n", i)
		}
		merged.WriteString(data)
		recent = append(recent, name)
		if len(recent) == 50 {
			for _, old := range recent[:len(recent)-1] {
				fmt.Fprintf(&script, "D %s/%s\n", shard.Folder, old)
			}
			data = merged.String()
			merged.Reset()
			recent = nil
		}
		fmt.Fprintf(&script, "M 100644 inline %s/%s\ndata %d\n%s\n", shard.Folder, name, len(data), data)
	}
	b.must(t, script.String(), "fast-import", "--quiet")
}

func benchShard(t testing.TB, n int) (name, data string) {
	id, err := shard.NewID()
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for i := range 10 {
		fmt.Fprintf(&lines, `{"id":"ldg-%s","payload":{"n":%d,"i":%d,"text":"%s"},"version":1}`+"\n", id, n, i, strings.Repeat("word ", 40))
	}
	return id.FileName(), lines.String()
}

// BenchmarkPersist is what a persist without contention asks of this package: a
// snapshot and a commit of ten lines. "quiet" has nothing to fetch; in "busy"
// another writer has committed meanwhile.
func BenchmarkPersist(b *testing.B) {
	for _, commits := range []int{100, 1000, 8000} {
		server := serve(b)
		box := newBox(b, server)
		box.importHistory(b, commits)
		mine := benchBranch(b, box)
		theirs := benchBranch(b, box)
		for _, busy := range []bool{false, true} {
			name := fmt.Sprintf("commits=%d/quiet", commits)
			if busy {
				name = fmt.Sprintf("commits=%d/busy", commits)
			}
			b.Run(name, func(b *testing.B) {
				persistOnce(b, mine, 0)
				var requests int
				var up, down int64
				var spent time.Duration
				for i := 0; b.Loop(); i++ {
					if busy {
						persistOnce(b, theirs, i)
					}
					server.ResetStats()
					start := time.Now()
					persistOnce(b, mine, i)
					spent += time.Since(start)
					s := server.Stats()
					requests += s.Requests
					up += s.In
					down += s.Out
				}
				b.ReportMetric(float64(requests)/float64(b.N), "requests/op")
				b.ReportMetric(float64(up)/float64(b.N), "sent-bytes/op")
				b.ReportMetric(float64(down)/float64(b.N), "received-bytes/op")
				b.ReportMetric(float64(spent.Milliseconds())/float64(b.N), "ms/op")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

func benchBranch(b *testing.B, box *box) shard.Branch {
	r, err := box.repository(Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { r.Close() })
	branch, err := r.Branch(testBranch)
	if err != nil {
		b.Fatal(err)
	}
	return branch
}

func persistOnce(b *testing.B, branch shard.Branch, n int) {
	b.Helper()
	snap, err := branch.Snapshot(b.Context(), shard.ProjectionLimits())
	if err != nil {
		b.Fatal(err)
	}
	name, data := benchShard(b, n)
	id, _ := shard.FileID(name)
	if _, err := branch.Commit(b.Context(), snap.Head, adding(id, data)); err != nil {
		b.Fatal(err)
	}
}

func adding(id shard.ID, data string) shard.Change {
	return shard.Change{Add: []shard.Addition{{ID: id, Data: []byte(data)}}, Message: "add"}
}

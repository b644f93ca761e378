package main

import (
	"bytes"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"testing"

	"github.com/gitledger/gitledger/internal/compaction"
	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// stream is a history for git fast-import.
type stream struct {
	testing.TB
	bytes.Buffer
	parents []record.Hash
	small   map[shard.ID][]byte // shards that were not compacted yet
	commits int
	records int
}

func (s *stream) commit(message string) {
	s.commits++
	fmt.Fprintf(s, "commit refs/heads/ledgers/tasks\ncommitter test <test@localhost> 1700000000 +0000\ndata %d\n%s\n", len(message), message)
}

func (s *stream) file(path string, data []byte) {
	fmt.Fprintf(s, "M 100644 inline %s\ndata %d\n%s\n", path, len(data), data)
}

// append adds a shard with one record of about 400 bytes.
func (s *stream) append() {
	r, err := record.Seal(record.Draft{
		ID: record.DeterministicID("bench", s.records), Type: "ledger_append", Time: noon(), Parents: s.parents,
		Payload: fmt.Appendf(nil, `{"operation":"append","value":"%064d"}`, s.records),
	})
	if err != nil {
		s.Fatal(err)
	}
	s.records++
	s.parents = []record.Hash{r.SHA()}
	data := append(slices.Clone(r.Line()), '\n')
	id := shard.ID(record.FoldUUID(record.Sum(data)))
	s.small[id] = data
	s.commit("append")
	s.file(id.Path(), data)
}

// compact merges what was appended since the last time.
func (s *stream) compact() {
	var all []*record.Record
	var sources []compaction.Identity
	for _, id := range slices.SortedFunc(maps.Keys(s.small), func(a, b shard.ID) int { return bytes.Compare(a[:], b[:]) }) {
		for line := range record.Lines(s.small[id]) {
			all = append(all, &line.Record)
		}
		sources = append(sources, compaction.Identity{ID: id, SHA256: record.Sum(s.small[id])})
	}
	to, err := shard.Replacement(all, []byte(compaction.ReplacementMetadata))
	if err != nil {
		s.Fatal(err)
	}
	plan := compaction.PlanID("tasks", "ledgers/tasks", sources, compaction.Identity{ID: to.ID, SHA256: record.Sum(to.Data)})
	s.commit("compact")
	for _, from := range sources {
		fmt.Fprintf(s, "D %s\n", from.ID.Path())
	}
	s.file(to.ID.Path(), to.Data)
	s.file(shard.StatePath, fmt.Appendf(nil, `{"last_applied_at":"2026-03-01T12:00:00.000Z","last_plan_id":"%s","last_trigger":"scheduled","ledger":"tasks","recent_plan_ids":["%[1]s"],"version":"%s"}`+"\n", plan, compaction.StateVersion))
	clear(s.small)
}

// long makes a packed repository with that many commits, where the shards are
// compacted after every so many appends.
func long(t testing.TB, commits, every int) *stream {
	t.Helper()
	s := &stream{TB: t, small: map[shard.ID][]byte{}}
	for s.commits < commits {
		if len(s.small) == every {
			s.compact()
		} else {
			s.append()
		}
	}
	path := t.TempDir()
	if err := (gittest.Loose{Path: path}).Init(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git", "-C", path, "fast-import", "--quiet", "--done")
	s.WriteString("done\n")
	cmd.Env, cmd.Stdin = gittest.Environ(), bytes.NewReader(s.Bytes())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s.Reset()
	s.WriteString(path)
	return s
}

// BenchmarkVerify is 8,000 commits of one record each.
func BenchmarkVerify(b *testing.B) {
	for _, every := range []int{128, 1000} {
		b.Run(fmt.Sprintf("compacted every %d", every), func(b *testing.B) {
			s := long(b, 8000, every)
			b.ReportAllocs()
			for b.Loop() {
				found, sum, errs := verifyAt(b.Context(), b, s.String())
				if len(found)+len(errs) > 0 || !sum.Sound() || sum.Commits != 8000 || sum.Records != s.records {
					b.Fatal(found, errs, sum)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/8000, "ns/commit")
		})
	}
}

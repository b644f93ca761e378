package compact_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/internal/membranch"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func clock(at time.Time) func() time.Time { return func() time.Time { return at } }

// configure returns a ledger that is compacted from min shards on.
func configure(min, max int, segmentBytes int64) ledger.Config {
	cfg := ledger.NewConfig("findings", "")
	cfg.Limits.SegmentBytes = segmentBytes
	cfg.Compaction = ledger.Compaction{Schedule: ledger.Daily, MinSegments: min, MaxSegments: max}
	return cfg
}

// seal returns the i-th record of a family.
func seal(tb testing.TB, family string, i int, payload string, parents ...record.Hash) record.Record {
	tb.Helper()
	r, err := record.Seal(record.Draft{
		ID: record.DeterministicID(family, i), Type: "ledger_append", Time: noon.Add(time.Duration(i) * time.Second),
		Parents: parents, Payload: []byte(payload),
	})
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// pack returns the bytes of a shard with those records.
func pack(records ...record.Record) (data []byte) {
	for i := range records {
		data = append(append(data, records[i].Line()...), '\n')
	}
	return data
}

// file is a shard's path and bytes, under an ID that follows from the bytes.
func file(data []byte) (shard.ID, string) {
	id := shard.ID(record.FoldUUID(record.Sum(data)))
	return id, id.Path()
}

// populate returns a branch of n shards with per records each, in one chain.
func populate(tb testing.TB, family string, n, per int) *membranch.Branch {
	tb.Helper()
	files := map[string][]byte{}
	var parents []record.Hash
	for s := range n {
		var records []record.Record
		for i := range per {
			r := seal(tb, family, s*per+i, fmt.Sprintf(`{"n":%d}`, s*per+i), parents...)
			parents = []record.Hash{r.SHA()}
			records = append(records, r)
		}
		data := pack(records...)
		_, path := file(data)
		files[path] = data
	}
	return membranch.New(files)
}

// tree returns a branch's files by path.
func tree(b *membranch.Branch) map[string]string {
	out := map[string]string{}
	for path, f := range b.Files() {
		out[path] = string(f.Data)
		if f.Irregular {
			out[path] = "irregular: " + out[path]
		}
	}
	return out
}

// order returns the replay order of everything on the branch.
func order(tb testing.TB, r shard.Reader) []record.Hash {
	tb.Helper()
	snap, err := r.Snapshot(tb.Context(), shard.MaintenanceLimits())
	if err != nil {
		tb.Fatal(err)
	}
	h, err := ledger.Reconstruct(tb.Context(), snap)
	if err != nil {
		tb.Fatal(err)
	}
	var out []record.Hash
	for _, r := range h.Records() {
		out = append(out, r.SHA())
	}
	return out
}

// mustPropose returns a proposal that has a plan, and the plan's bytes.
func mustPropose(tb testing.TB, r shard.Reader, cfg ledger.Config) (*compact.Proposal, []byte) {
	tb.Helper()
	p, err := compact.Propose(tb.Context(), r, cfg, compact.ProposeOptions{Trigger: compact.Requested, Now: clock(noon)})
	if err != nil {
		tb.Fatal(err)
	}
	if p.Plan == nil {
		tb.Fatalf("no plan: %s", p.Reason)
	}
	return p, p.Plan.Append(nil)
}

// mustApply applies a plan and fails unless it has that status.
func mustApply(tb testing.TB, b shard.Branch, cfg ledger.Config, plan []byte, want compact.Status) *compact.Outcome {
	tb.Helper()
	out, err := compact.Apply(tb.Context(), b, cfg, plan, compact.ApplyOptions{Now: clock(noon.Add(time.Minute))})
	if out == nil {
		tb.Fatalf("no outcome: %v", err)
	}
	if out.Status != want {
		tb.Fatalf("%s (%s), want %s", out.Status, out.Reason, want)
	}
	return out
}

// unchanged runs f and fails when the branch is another afterwards.
func unchanged(tb testing.TB, b *membranch.Branch, f func()) {
	tb.Helper()
	head, before := b.Head(), tree(b)
	f()
	if b.Head() != head || !maps.Equal(tree(b), before) {
		tb.Error("the branch changed")
	}
}

// random returns a source of randomness and prints its seed, which
// LEDGER_SEED sets.
func random(tb testing.TB) (*rand.Rand, uint64) {
	tb.Helper()
	seed := rand.Uint64()
	if text := os.Getenv("LEDGER_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			tb.Fatalf("LEDGER_SEED: %v", err)
		}
	}
	tb.Logf("LEDGER_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 1)), seed
}

func sorted(hashes []record.Hash) []record.Hash {
	out := slices.Clone(hashes)
	slices.SortFunc(out, record.Hash.Compare)
	return out
}

package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/internal/membranch"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

type compactionConfig struct {
	Name, Branch    string
	MaxSegmentBytes int64 `json:"max_segment_bytes"`
	MinSegments     int   `json:"min_segments"`
	MaxSegments     int   `json:"max_segments"`
	Schedule        ledger.Schedule
}

type compactionStats struct {
	SourceSegments, SourceRecords, ReplacementRecords int
	BytesBefore, BytesAfter                           int64
	UnrelatedSegments                                 int
}

type compactionExpect struct {
	Config          compactionConfig
	Now             time.Time
	ApplyAt         time.Time `json:"apply_at"`
	Trigger         compact.Trigger
	BaseCommit      string `json:"base_commit"`
	Selected        []shard.ID
	InvalidSegments int `json:"invalid_segments"`
	Plan            json.RawMessage
	Status          compact.Status
	Stats           compactionStats
	After           map[string]record.Hash
	State           json.RawMessage
	Reapply         compact.Status
}

func (c compactionConfig) ledger(t *testing.T) ledger.Config {
	t.Helper()
	cfg := ledger.NewConfig(c.Name, "")
	cfg.Limits.SegmentBytes = c.MaxSegmentBytes
	cfg.Compaction = ledger.Compaction{Schedule: c.Schedule, MinSegments: c.MinSegments, MaxSegments: c.MaxSegments}
	if cfg.Branch() != c.Branch {
		t.Fatalf("branch %s, want %s", cfg.Branch(), c.Branch)
	}
	return cfg
}

func at(now time.Time) func() time.Time { return func() time.Time { return now } }

// treeOf returns the digests of a branch's files by path.
func treeOf(b *membranch.Branch) map[string]record.Hash {
	tree := map[string]record.Hash{}
	for name, f := range b.Files() {
		tree[name] = record.Sum(f.Data)
	}
	return tree
}

func TestCompaction(t *testing.T) {
	eachFolder(t, "compaction", func(t *testing.T, dir string) {
		var want compactionExpect
		readExpect(t, dir, &want)
		cfg := want.Config.ledger(t)
		b := membranch.New(readTree(t, filepath.Join(dir, "before")))
		untouched := treeOf(b)

		p, err := compact.Propose(t.Context(), b, cfg, compact.ProposeOptions{Trigger: want.Trigger, Now: at(want.Now), BaseCommit: want.BaseCommit})
		if err != nil {
			t.Fatal(err)
		}
		if !p.Due || !slices.Equal(p.Selected, want.Selected) || p.Invalid != want.InvalidSegments {
			t.Errorf("due %t (%s), selected %v, %d invalid; want %v, %d", p.Due, p.Reason, p.Selected, p.Invalid, want.Selected, want.InvalidSegments)
		}
		if string(want.Plan) == "null" {
			if p.Plan != nil {
				t.Errorf("planned %s", p.Plan.Append(nil))
			}
			return
		}
		if p.Plan == nil {
			t.Fatalf("no plan: %s", p.Reason)
		}
		plan := p.Plan.Append(nil)
		if wanted := canonicalOf(t, want.Plan); !bytes.Equal(plan, wanted) {
			t.Fatalf("plan\n%s\nwant\n%s", plan, wanted)
		}

		o := compact.ApplyOptions{Now: at(want.ApplyAt)}
		out, err := compact.Check(t.Context(), b, cfg, plan, o)
		if err != nil || out.Status != want.Status {
			t.Fatalf("check: %+v, %v; want %s", out, err, want.Status)
		}
		if !maps.Equal(treeOf(b), untouched) {
			t.Error("planning and checking changed the branch")
		}
		out, err = compact.Apply(t.Context(), b, cfg, plan, o)
		if err != nil || out.Status != compact.Applied {
			t.Fatalf("apply: %+v, %v", out, err)
		}
		if got := compactionStats(out.Stats); got != want.Stats || p.Stats != out.Stats {
			t.Errorf("stats %+v, proposed %+v, want %+v", got, p.Stats, want.Stats)
		}
		if got := treeOf(b); !maps.Equal(got, want.After) {
			t.Errorf("files %v, want %v", got, want.After)
		}
		if got, wanted := b.Files()[shard.StatePath].Data, append(canonicalOf(t, want.State), '\n'); !bytes.Equal(got, wanted) {
			t.Errorf("state %s, want %s", got, wanted)
		}
		if out, err = compact.Apply(t.Context(), b, cfg, plan, o); err != nil || out.Status != want.Reapply {
			t.Errorf("apply again: %+v, %v; want %s", out, err, want.Reapply)
		}
		if got := treeOf(b); !maps.Equal(got, want.After) {
			t.Errorf("applying again changed the branch to %v", got)
		}
	})
}

func canonicalOf(t *testing.T, text []byte) []byte {
	t.Helper()
	out, err := record.Canonicalize(nil, text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestHostilePlans(t *testing.T) {
	var basic compactionExpect
	dir := filepath.Join(vectorDir(), "compaction", "basic")
	readExpect(t, dir, &basic)
	cfg := basic.Config.ledger(t)
	type row struct {
		Name, Plan, Note string
		Result           compact.Status
	}
	eachRow(t, "hostile_plans.jsonl", func(t *testing.T, v row) {
		b := membranch.New(readTree(t, filepath.Join(dir, "before")))
		untouched := treeOf(b)
		out, err := compact.Apply(t.Context(), b, cfg, []byte(v.Plan), compact.ApplyOptions{Now: at(basic.ApplyAt)})
		if out == nil || out.Status != v.Result {
			t.Fatalf("%+v, %v; want %s", out, err, v.Result)
		}
		if rejected := v.Result == compact.Rejected; errors.Is(err, compact.ErrRejected) != rejected || err != nil && !rejected {
			t.Errorf("%s with error %v", out.Status, err)
		}
		if changed := !maps.Equal(treeOf(b), untouched); changed != (v.Result == compact.Applied) {
			t.Errorf("%s: branch changed: %t", out.Status, changed)
		}
	})
}

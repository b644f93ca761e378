package compact_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/internal/membranch"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

const (
	interleavings = 1000
	writers       = 3
	appends       = 3 // of each writer
	plannings     = 4
)

// race is one ledger with two appliers, one planner and three writers.
type race struct {
	t       *testing.T
	cfg     ledger.Config
	branch  *membranch.Branch
	family  string
	acked   []record.Hash // of records whose append was acknowledged
	given   []record.Hash // of all records that were ever sent
	plans   [][]byte      // what the planner wrote so far
	planned bool          // the planner is done
	verdict map[record.Hash][]compact.Status
}

// newRace returns a race on a branch with a few shards.
func newRace(t *testing.T, family string) *race {
	r := &race{t: t, cfg: configure(2, 3, 64<<10), branch: populate(t, family, 3, 1), family: family, verdict: map[record.Hash][]compact.Status{}}
	r.acked = order(t, r.branch)
	r.given = slices.Clone(r.acked)
	return r
}

// writer appends records, each in a shard of its own, until each is
// acknowledged.
func (r *race) writer(b shard.Branch, w int) {
	for i := range appends {
		var parents []record.Hash
		for acked := false; !acked; {
			snap, err := b.Snapshot(context.Background(), shard.ProjectionLimits())
			if err != nil {
				r.t.Error(err)
				return
			}
			h, err := ledger.Reconstruct(context.Background(), snap)
			if err != nil {
				r.t.Error(err)
				return
			}
			if parents == nil {
				parents = h.Heads()
			}
			rec := seal(r.t, fmt.Sprintf("%s writer %d", r.family, w), i, fmt.Sprintf(`{"w":%d}`, w), parents...)
			r.given = append(r.given, rec.SHA())
			id, _ := file(pack(rec))
			_, err = b.Commit(context.Background(), snap.Head, shard.Change{Add: []shard.Addition{{ID: id, Data: pack(rec)}}})
			switch {
			case err == nil:
				acked = true
				r.acked = append(r.acked, rec.SHA())
			case !errors.Is(err, shard.ErrHeadMoved):
				r.t.Error(err)
				return
			}
		}
	}
}

func (r *race) planner(b shard.Reader) {
	defer func() { r.planned = true }()
	for range plannings {
		p, err := compact.Propose(context.Background(), b, r.cfg, compact.ProposeOptions{Trigger: compact.Requested, Now: clock(noon)})
		if err != nil {
			r.t.Error(err)
			return
		}
		if p.Plan != nil {
			r.plans = append(r.plans, p.Plan.Append(nil))
		}
	}
}

// applier applies every plan that the planner writes. Each move of the head is
// somebody's progress, so there is a bound on how often it can happen.
func (r *race) applier(b shard.Branch, yield func(byte)) {
	o := compact.ApplyOptions{Now: clock(noon), Attempts: writers*appends + 2*plannings + 1, Backoff: func(context.Context, int) error { yield('w'); return nil }}
	for done := 0; !r.planned || done < len(r.plans); {
		if done == len(r.plans) {
			yield('i')
			continue
		}
		out, err := compact.Apply(context.Background(), b, r.cfg, r.plans[done], o)
		done++
		if err != nil {
			r.t.Errorf("apply: %v", err)
			continue
		}
		r.verdict[out.PlanID] = append(r.verdict[out.PlanID], out.Status)
	}
}

// judge checks what is left when all actors have ended.
func (r *race) judge() (merged int) {
	have := sorted(order(r.t, r.branch))
	for _, sha := range r.acked {
		if _, ok := slices.BinarySearchFunc(have, sha, record.Hash.Compare); !ok {
			r.t.Errorf("an acknowledged record is lost: %s", sha)
		}
	}
	for _, sha := range have {
		if !slices.Contains(r.given, sha) {
			r.t.Errorf("a record came from nowhere: %s", sha)
		}
	}
	for id, statuses := range r.verdict {
		applied := 0
		for _, s := range statuses {
			if s == compact.Rejected {
				r.t.Errorf("plan %s was rejected", id)
			}
			if s == compact.Applied {
				applied++
			}
		}
		if applied > 1 {
			r.t.Errorf("plan %s was applied %d times", id, applied)
		}
		merged += applied
	}
	// Maintenance comes to an end, and the ledger reads the same.
	before := order(r.t, r.branch)
	for rounds := 0; ; rounds++ {
		p, err := compact.Propose(r.t.Context(), r.branch, r.cfg, compact.ProposeOptions{Trigger: compact.Requested, Now: clock(noon)})
		if err != nil {
			r.t.Fatal(err)
		}
		if p.Plan == nil {
			break
		}
		mustApply(r.t, r.branch, r.cfg, p.Plan.Append(nil), compact.Applied)
		if rounds > len(r.given) {
			r.t.Fatal("maintenance does not end")
		}
	}
	if !slices.Equal(order(r.t, r.branch), before) {
		r.t.Error("other records, or another order")
	}
	return merged
}

// TestRaces: two appliers, a planner and three writers in many interleavings,
// with answers that get lost. No acknowledged record is lost, each plan is
// applied once at most, and all of it ends.
func TestRaces(t *testing.T) {
	_, seed := random(t)
	traces := map[string]bool{}
	merged := 0
	runs := interleavings
	if testing.Short() {
		runs /= 5
	}
	for run := range runs {
		rng := rand.New(rand.NewPCG(seed, uint64(run)))
		s := &scheduler{rng: rng}
		r := newRace(t, "race")
		for w := range writers {
			s.start(byte('1'+w), func(yield func(byte)) { r.writer(stepped{r.branch, yield, nil}, w) })
		}
		s.start('P', func(yield func(byte)) { r.planner(stepped{r.branch, yield, nil}) })
		for a := range 2 {
			s.start(byte('A'+a), func(yield func(byte)) {
				r.applier(stepped{r.branch, yield, func() bool { return rng.IntN(8) == 0 }}, yield)
			})
		}
		if !s.run(10_000) {
			t.Fatalf("run %d does not end: %s", run, s.trace)
		}
		merged += r.judge()
		traces[string(s.trace)] = true
		if t.Failed() {
			t.Fatalf("run %d: %s", run, s.trace)
		}
	}
	t.Logf("%d interleavings, %d plans applied", len(traces), merged)
	if len(traces) < runs*9/10 || merged < runs {
		t.Errorf("too little happened: %d interleavings, %d plans applied", len(traces), merged)
	}
}

// TestIdenticalReplacementsConverge: two planners that read different branches
// with the same sources make the same replacement, and the same plan.
func TestIdenticalReplacementsConverge(t *testing.T) {
	cfg := configure(2, 3, 64<<10)
	a, b := populate(t, "converge", 3, 2), populate(t, "converge", 3, 2)
	b.Edit(func(files map[string]membranch.File) { files["README.md"] = membranch.File{Data: []byte("other")} })
	p, plan := mustPropose(t, a, cfg)
	q, err := compact.Propose(t.Context(), b, cfg, compact.ProposeOptions{Now: clock(noon.AddDate(0, 0, 1))})
	if err != nil || q.Plan == nil || q.Plan.ID() != p.Plan.ID() || q.Plan.Replacement.ID != p.Plan.Replacement.ID {
		t.Fatalf("%+v, %v", q, err)
	}
	mustApply(t, a, cfg, q.Plan.Append(nil), compact.Applied)
	mustApply(t, a, cfg, plan, compact.AlreadyApplied)
	mustApply(t, b, cfg, plan, compact.Applied)
	if tree(a)[p.Plan.Replacement.ID.Path()] != tree(b)[p.Plan.Replacement.ID.Path()] {
		t.Error("the replacements differ")
	}
}

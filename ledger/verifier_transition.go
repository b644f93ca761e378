package ledger

import (
	"maps"
	"slices"

	"github.com/gitledger/gitledger/internal/compaction"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// transition says what a commit with one parent is by what it did, and checks
// it as that: an append, or a compaction, which is the only way for a shard to
// go (S5.4).
func (a *audit) transition(d *difference) {
	t := transition{state: d.state}
	for _, f := range d.deleted {
		if !slices.ContainsFunc(d.rewritten, func(r file) bool { return r.name == f.name }) {
			t.sources = append(t.sources, f)
		}
	}
	for _, f := range d.added {
		if !slices.ContainsFunc(d.rewritten, func(r file) bool { return r.name == f.name }) {
			t.added = append(t.added, f)
		}
	}
	switch {
	case len(t.sources) == 0 && d.stateChanged:
		a.find(Finding{Kind: StateUnexplained})
	case len(t.sources) == 0:
		a.count(d)
	case len(t.added) > 1 || !d.stateChanged:
		a.find(Finding{Kind: ShardsDeleted, Count: len(t.sources), Detail: "not by a compaction"})
	default:
		a.summary.Compactions++
		a.compaction(t)
	}
}

// transition is a commit that may be a compaction.
type transition struct {
	sources []file            // deleted
	added   []file            // the replacement, unless it was there already
	state   *compaction.State // nil when it is not sound
}

func (a *audit) compaction(t transition) {
	union := map[int32]struct{}{}
	for _, f := range t.sources {
		c := a.content(f)
		if !c.whole {
			a.find(Finding{Kind: ShardsDeleted, File: f.name, Object: f.object, Count: 1, Detail: "it is malformed, and so never a source"})
		}
		for _, i := range c.records {
			union[i] = struct{}{}
		}
	}
	if len(t.added) == 0 {
		a.merged(t, union)
		return
	}
	to := t.added[0]
	a.exact(union, to)
	a.forged(to)
	if t.state != nil && !t.state.Names(a.plan(t, to)) {
		a.find(Finding{Kind: StateMismatch, File: to.name, Detail: "its last plan is not this transition"})
	}
}

// exact reports a replacement that holds other records than the sources.
func (a *audit) exact(union map[int32]struct{}, to file) {
	f := Finding{Kind: UnionInexact, File: to.name, Object: to.object}
	held := a.content(to).records
	rest := maps.Clone(union)
	for _, i := range held {
		if _, ok := rest[i]; !ok {
			a.name(&f, i)
		}
		delete(rest, i)
	}
	for _, i := range slices.Sorted(maps.Keys(rest)) {
		a.name(&f, i)
	}
	if f.Count > 0 {
		a.find(f)
	}
}

// forged rebuilds a replacement from its own records (S6-03).
func (a *audit) forged(to file) {
	if !a.content(to).whole {
		return // which was reported
	}
	data, err := a.log.File(a.ctx, to.object, shard.MaintenanceLimits().FileBytes)
	if err != nil {
		a.damaged(err)
		return
	}
	var all []*record.Record
	for line, err := range record.Lines(data) {
		if err == nil {
			all = append(all, &line.Record)
		}
	}
	add, err := shard.Replacement(all, []byte(compaction.ReplacementMetadata))
	if err != nil || add.ID != to.id || string(add.Data) != string(data) {
		a.find(Finding{Kind: ReplacementForged, File: to.name, Object: to.object})
	}
}

// merged checks a compaction whose replacement was on the branch before: it is
// the shard that makes the transition the plan of the state file, and it holds
// what the sources held.
func (a *audit) merged(t transition, union map[int32]struct{}) {
	there, ok := a.compare("", a.at, false)
	if !ok {
		return
	}
	for _, to := range there.added {
		if t.state != nil && t.state.Names(a.plan(t, to)) {
			a.covers(union, to)
			return
		}
	}
	if t.state != nil {
		a.find(Finding{Kind: StateMismatch, Detail: "its last plan is not this transition"})
	}
	if !slices.ContainsFunc(there.added, func(to file) bool { return len(a.missing(union, to)) == 0 }) {
		a.find(Finding{Kind: UnionInexact, Count: len(t.sources), Detail: "no shard holds the sources' records"})
	}
}

func (a *audit) covers(union map[int32]struct{}, to file) {
	f := Finding{Kind: UnionInexact, File: to.name, Object: to.object}
	for _, i := range a.missing(union, to) {
		a.name(&f, i)
	}
	if f.Count > 0 {
		a.find(f)
	}
}

// missing returns the records of a union that a shard does not hold.
func (a *audit) missing(union map[int32]struct{}, in file) (missing []int32) {
	held := a.content(in).records
	for i := range union {
		if _, ok := slices.BinarySearch(held, i); !ok {
			missing = append(missing, i)
		}
	}
	slices.Sort(missing)
	return missing
}

// plan returns the ID of the plan whose transition this would be.
func (a *audit) plan(t transition, to file) record.Hash {
	sources := make([]compaction.Identity, len(t.sources))
	for i, f := range t.sources { // in the order of names, which is that of IDs
		sources[i] = compaction.Identity{ID: f.id, SHA256: a.content(f).sum}
	}
	cfg := Config{Name: t.state.Ledger}
	return compaction.PlanID(cfg.Name, cfg.Branch(), sources, compaction.Identity{ID: to.id, SHA256: a.content(to).sum})
}

package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/gitledger/gitledger/shard"
)

// audit is one verification on its way. It holds the ledger's content at one
// commit and moves it from commit to commit by what differs.
type audit struct {
	ctx     context.Context
	log     shard.Log
	summary *Summary
	yield   func(Finding, error) bool
	stopped bool // the caller has enough, or it cannot go on

	records  records
	contents map[shard.Object]*content // of shards, by object
	folders  folderCache               // entries of folders read last
	present  map[shard.Object]struct{} // objects beside the ledger that were checked
	bases    map[shard.Head]base       // what to compare a commit's children with
	at       shard.Object              // the tree that records reflects
	commit   shard.Head                // being checked
}

// base is what the children of a commit are compared with.
type base struct {
	tree  shard.Object // "" is an empty branch
	exact bool         // the tree is the commit's own; else the last one before that could be read
}

func newAudit(ctx context.Context, log shard.Log, s *Summary, yield func(Finding, error) bool) *audit {
	return &audit{
		ctx: ctx, log: log, summary: s, yield: yield,
		contents: map[shard.Object]*content{},
		present:  map[shard.Object]struct{}{},
		bases:    map[shard.Head]base{},
	}
}

// over reports whether to stop, for the caller or the context.
func (a *audit) over() bool {
	if !a.stopped && a.ctx.Err() != nil {
		a.fail(a.ctx.Err())
	}
	return a.stopped
}

// find reports a finding in the commit at hand.
func (a *audit) find(f Finding) {
	if a.stopped {
		return
	}
	f.Commit = a.commit
	a.summary.Findings[f.Kind]++
	if !a.yield(f, nil) {
		a.stopped = true
	}
}

// fail reports what could not be checked.
func (a *audit) fail(err error) {
	if a.stopped {
		return
	}
	a.summary.Errors++
	where := quoted(a.summary.Branch)
	if a.commit != "" {
		where += " at " + quoted(string(a.commit))
	}
	goOn := a.yield(Finding{}, fmt.Errorf("ledger: verify %s: %w", where, err))
	// A single object that is too large leaves the others to be checked.
	if !goOn || !errors.Is(err, shard.ErrTooLarge) {
		a.stopped = true
	}
}

// damaged reports an error of reading an object: a finding when the object is
// bad, else an error.
func (a *audit) damaged(err error) {
	d, ok := errors.AsType[*shard.DamagedError](err)
	if !ok {
		a.fail(err)
		return
	}
	kind := ObjectDamaged
	if d.Damage == shard.DamageMissing {
		kind = ObjectMissing
	}
	a.find(Finding{Kind: kind, Object: d.Object, Detail: string(d.Damage)})
}

// history checks every commit.
func (a *audit) history() {
	for c, err := range a.log.Commits(a.ctx) {
		if a.over() {
			return
		}
		a.commit = c.ID
		if _, ok := errors.AsType[*shard.DamagedError](err); err != nil && !ok {
			a.fail(err)
			a.stopped = true
			return
		}
		a.summary.Commits++
		a.summary.Head = c.ID
		if err != nil {
			a.damaged(err)
			a.bases[c.ID] = base{}
			continue
		}
		a.check(c)
	}
	a.over()
}

// check checks one commit against its parents.
func (a *audit) check(c shard.Commit) {
	from := base{exact: true} // before a root there is an empty branch
	if len(c.Parents) > 0 {
		from = a.bases[c.Parents[0]]
	}
	a.bases[c.ID] = base{tree: from.tree} // until the tree has been read
	a.move(from.tree)
	d, ok := a.compare(from.tree, c.Tree, true)
	if !ok || a.stopped {
		return
	}
	a.bases[c.ID] = base{tree: c.Tree, exact: true}
	shown, hidden := a.apply(d)
	a.at = c.Tree
	a.changedInPlace(d)
	a.newRecords(shown)
	for _, p := range c.Parents[min(1, len(c.Parents)):] {
		hidden = append(hidden, a.hiddenSince(p, c.Tree)...)
	}
	a.lost(hidden)
	switch {
	case len(c.Parents) > 1:
		a.summary.Merges++ // what a merge deletes, one of its parents has deleted
	case len(c.Parents) == 0 || !from.exact:
		a.count(d)
	default:
		a.transition(d)
	}
}

// move brings records to what a tree shows that was checked before.
func (a *audit) move(tree shard.Object) {
	if a.at == tree {
		return
	}
	if d, ok := a.compare(a.at, tree, false); ok {
		a.apply(d)
		a.at = tree
	}
}

// apply makes the difference to records. It returns those that are visible now
// and were not, and the other way round.
func (a *audit) apply(d *difference) (shown, hidden []int32) {
	for _, f := range d.added {
		shown = a.records.show(a.content(f).records, shown)
	}
	for _, f := range d.deleted {
		hidden = a.records.hide(a.content(f).records, hidden)
	}
	return shown, hidden
}

// hiddenSince returns the records of another parent that are not visible.
func (a *audit) hiddenSince(parent shard.Head, tree shard.Object) (hidden []int32) {
	d, ok := a.compare(a.bases[parent].tree, tree, false)
	if !ok {
		return nil
	}
	for _, f := range d.deleted {
		for _, i := range a.content(f).records {
			if !a.records.visible(i) {
				hidden = append(hidden, i)
			}
		}
	}
	return hidden
}

// changedInPlace reports shards that have other bytes than before.
func (a *audit) changedInPlace(d *difference) {
	for _, f := range d.rewritten {
		a.find(Finding{Kind: ShardRewritten, File: f.name, Object: f.object})
	}
}

// newRecords checks that records which came to light fit in with the others.
func (a *audit) newRecords(shown []int32) {
	orphans := Finding{Kind: MissingParent}
	doubles := Finding{Kind: DuplicateID}
	for _, i := range shown {
		if !a.records.hasParents(i) {
			a.name(&orphans, i)
		}
		if a.records.sharesID(i) {
			a.name(&doubles, i)
		}
	}
	for _, f := range []Finding{orphans, doubles} {
		if f.Count > 0 {
			a.find(f)
		}
	}
}

// lost reports records that are not visible any more.
func (a *audit) lost(hidden []int32) {
	f := Finding{Kind: RecordsLost}
	seen := make(map[int32]struct{}, len(hidden))
	for _, i := range hidden {
		if _, again := seen[i]; !again {
			seen[i] = struct{}{}
			a.name(&f, i)
		}
	}
	if f.Count > 0 {
		a.find(f)
	}
}

// name counts a record in a finding, and lists it if it is one of the first.
func (a *audit) name(f *Finding, i int32) {
	if f.Count++; len(f.SHAs) < maxNamed {
		f.SHAs = append(f.SHAs, a.records.sha(i))
	}
}

// count counts a commit that is compared with nothing.
func (a *audit) count(d *difference) {
	if len(d.added) > 0 && len(d.deleted) == 0 {
		a.summary.Appends++
	}
}

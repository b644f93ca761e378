package ledger

import (
	"errors"
	"fmt"

	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// tip checks the latest commit as a reader sees it.
func (a *audit) tip() {
	last := a.bases[a.summary.Head]
	a.move(last.tree)
	if a.over() {
		return
	}
	if there, ok := a.compare("", a.at, false); ok {
		a.summary.Shards = len(there.added)
	}
	a.summary.Records, a.summary.Heads = a.records.count()
	if a.summary.Head != "" && !last.exact {
		return // it cannot be read, which was reported
	}
	snap, err := a.log.Snapshot(a.ctx, shard.MaintenanceLimits())
	switch {
	case err == nil && snap.Head != a.summary.Head:
		a.fail(fmt.Errorf("%w: the latest commit was not compared with what a reader gets", shard.ErrHeadMoved))
	case err == nil:
		a.limits(snap)
		a.read(snap)
	case errors.Is(err, shard.ErrTooLarge):
		a.find(Finding{Kind: BranchTooLarge, Detail: "not even maintenance reads it"})
	case a.summary.Findings[ObjectMissing]+a.summary.Findings[ObjectDamaged] > 0 && a.ctx.Err() == nil:
		// That is why, most likely, and it was reported.
	default:
		a.fail(err)
	}
}

// limits checks that the branch can be projected, and so be written to (S7-04).
func (a *audit) limits(snap *shard.Snapshot) {
	limits := shard.ProjectionLimits()
	var bytes int64
	for _, s := range snap.Shards {
		if s.Fault == "" {
			bytes += s.Size
		}
	}
	if len(snap.Shards) > limits.Files {
		a.find(Finding{Kind: BranchTooLarge, Count: len(snap.Shards), Detail: "more shards than a projection reads"})
	}
	if bytes > limits.Bytes {
		a.find(Finding{Kind: BranchTooLarge, Detail: "more bytes than a projection reads"})
	}
}

// read compares what a reader makes of the snapshot with what the commits add
// up to.
func (a *audit) read(snap *shard.Snapshot) {
	h, err := Reconstruct(a.ctx, snap)
	if err != nil {
		a.fail(err)
		return
	}
	if h.Len() != a.summary.Records || !a.sameRecords(h) {
		a.find(Finding{Kind: TipDiffers, Count: h.Len(), Detail: "other records"})
		return
	}
	if !a.sameHeads(h.Heads()) {
		a.find(Finding{Kind: TipDiffers, Count: len(h.Heads()), Detail: "other heads, or not in order"})
	}
	if !a.inOrder(h) {
		a.find(Finding{Kind: TipDiffers, Count: h.Len(), Detail: "not in replay order"})
	}
}

func (a *audit) sameRecords(h *History) bool {
	seen := make(map[int32]struct{}, h.Len())
	for _, r := range h.Records() {
		i, ok := a.records.bySHA[r.SHA()]
		if !ok || !a.records.visible(i) {
			return false
		}
		seen[i] = struct{}{}
	}
	return len(seen) == h.Len()
}

func (a *audit) sameHeads(heads []record.Hash) bool {
	if len(heads) != a.summary.Heads {
		return false
	}
	for i, sha := range heads {
		if !a.records.isHead(sha) || i > 0 && heads[i-1].Compare(sha) >= 0 {
			return false
		}
	}
	return true
}

// inOrder checks replay order (S4.3-08): a record's generation is one more than
// the last of its parents' that are there, and records come by generation, and
// within one by digest.
func (a *audit) inOrder(h *History) bool {
	generation := make(map[record.Hash]int, h.Len())
	last, lastSHA := 0, record.Hash{}
	for _, r := range h.Records() {
		mine := 0
		for p := range r.Parents() {
			i, known := a.records.bySHA[p]
			if !known || !a.records.visible(i) {
				continue
			}
			g, before := generation[p]
			if !before {
				return false
			}
			mine = max(mine, g+1)
		}
		sha := r.SHA()
		if mine < last || mine == last && lastSHA.Compare(sha) >= 0 {
			return false
		}
		generation[sha] = mine
		last, lastSHA = mine, sha
	}
	return true
}

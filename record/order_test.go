package record

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gitledger/gitledger/internal/randtest"
)

// fake returns a record with any digest and parents, as no line could have.
func fake(sha Hash, parents ...Hash) Record {
	slices.SortFunc(parents, Hash.Compare)
	r := Record{sha: sha, id: ID{uuid: FoldUUID(sha)}}
	for _, p := range parents {
		if r.line != nil {
			r.line = append(r.line, ',')
		}
		r.line = append(p.AppendText(append(r.line, '"')), '"')
	}
	r.parents.end = uint32(len(r.line))
	if len(parents) > 0 {
		r.parent = parents[0]
	}
	r.line = append(r.line, ']')
	return r
}

func digest(n uint64) (h Hash) {
	binary.BigEndian.PutUint64(h[:], n*0x9e3779b97f4a7c15)
	h[31] = 1
	return h
}

// slowSort is the definition: whoever has no unplaced parent is in the next
// generation.
func slowSort(records []Record) (order, heads, cyclic []Hash) {
	waiting := map[Hash]Record{}
	named := map[Hash]bool{}
	for _, r := range records {
		if r.line != nil {
			waiting[r.sha] = r
		}
	}
	for _, r := range waiting {
		for p := range r.Parents() {
			named[p] = true
		}
	}
	for sha := range waiting {
		if !named[sha] {
			heads = append(heads, sha)
		}
	}
	for len(waiting) > 0 {
		var ready []Hash
		for sha, r := range waiting {
			held := false
			for p := range r.Parents() {
				_, present := waiting[p]
				held = held || present
			}
			if !held {
				ready = append(ready, sha)
			}
		}
		if ready == nil {
			break
		}
		slices.SortFunc(ready, Hash.Compare)
		order = append(order, ready...)
		for _, sha := range ready {
			delete(waiting, sha)
		}
	}
	for sha := range waiting {
		cyclic = append(cyclic, sha)
	}
	slices.SortFunc(heads, Hash.Compare)
	slices.SortFunc(cyclic, Hash.Compare)
	return order, heads, cyclic
}

func TestSort(t *testing.T) {
	random := randtest.New(t)
	for range 400 {
		records := randomGraph(random)
		o := Sort(records)
		order, heads, cyclic := slowSort(records)
		digests := func(indexes []int) (hashes []Hash) {
			for _, i := range indexes {
				hashes = append(hashes, records[i].sha)
			}
			return hashes
		}
		if !slices.Equal(digests(o.Replay), order) || !slices.Equal(digests(o.Heads), heads) || !slices.Equal(digests(o.Cyclic), cyclic) {
			t.Fatalf("replay %v\nwant %v\nheads %v\nwant %v\ncyclic %v\nwant %v",
				digests(o.Replay), order, digests(o.Heads), heads, digests(o.Cyclic), cyclic)
		}
		first := map[Hash]int{}
		byID := map[ID]Hash{}
		var missing []Missing
		var conflicts []int
		for i, r := range records {
			if _, again := first[r.sha]; r.line == nil || again {
				continue
			}
			first[r.sha] = i
			if other, ok := byID[r.id]; !ok {
				byID[r.id] = r.sha
			} else if other != r.sha {
				conflicts = append(conflicts, i)
			}
		}
		present := func(h Hash) bool { _, ok := first[h]; return ok }
		for i, r := range records {
			for p := range r.Parents() {
				if r.line != nil && first[r.sha] == i && !present(p) {
					missing = append(missing, Missing{i, p})
				}
			}
		}
		if !slices.Equal(o.Missing, missing) {
			t.Fatalf("missing %v, want %v", o.Missing, missing)
		}
		if !slices.Equal(o.Conflicts, conflicts) {
			t.Fatalf("conflicts %v, want %v", o.Conflicts, conflicts)
		}
		for _, i := range slices.Concat(o.Replay, o.Cyclic) {
			if first[records[i].sha] != i {
				t.Fatalf("%d is not the first with its digest", i)
			}
		}
	}
}

// randomGraph returns up to 60 records with everything that can be wrong with
// a graph: cycles, absent parents, repeated and zero records, equal IDs.
func randomGraph(r *rand.Rand) []Record {
	n := r.IntN(60)
	backward := r.IntN(3) == 0
	var records []Record
	for i := range n {
		var parents []Hash
		for range r.IntN(4) {
			p := uint64(r.IntN(i + 1))
			if backward && r.IntN(10) == 0 {
				p = uint64(r.IntN(n + 5))
			}
			if h := digest(p); !slices.Contains(parents, h) && (backward || p != uint64(i)) {
				parents = append(parents, h)
			}
		}
		made := fake(digest(uint64(i)), parents...)
		if r.IntN(8) == 0 {
			made.id = ID{uuid: FoldUUID(digest(uint64(r.IntN(n))))}
		}
		switch r.IntN(12) {
		case 0:
			made = Record{}
		case 1:
			records = append(records, made)
		}
		records = append(records, made)
	}
	if r.IntN(2) == 0 {
		r.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
	}
	return records
}

// TestSortLongChain is a million records deep, stored from the last to the first.
func TestSortLongChain(t *testing.T) {
	const n = 1_000_000
	records := make([]Record, n)
	for i := range n {
		if i == 0 {
			records[n-1] = fake(digest(0))
		} else {
			records[n-1-i] = fake(digest(uint64(i)), digest(uint64(i-1)))
		}
	}
	o := Sort(records)
	if len(o.Replay) != n || len(o.Heads) != 1 || o.Heads[0] != 0 {
		t.Fatalf("%d records, heads %v", len(o.Replay), o.Heads)
	}
	for i, at := range o.Replay {
		if at != n-1-i {
			t.Fatalf("%d is record %d", i, at)
		}
	}
}

// TestTable gives many keys one hash: it still finds them.
func TestTable(t *testing.T) {
	const n = 300
	table := newTable(n)
	for _, hash := range []uint64{0, 1 << 63} {
		for i := range n / 2 {
			at := i
			if hash != 0 {
				at += n / 2
			}
			if _, added := table.add(hash, at, func(j int) bool { return j == at }); !added {
				t.Fatalf("%d was not added", at)
			}
		}
	}
	for i := range n {
		hash := uint64(0)
		if i >= n/2 {
			hash = 1 << 63
		}
		if j, ok := table.find(hash, func(j int) bool { return j == i }); !ok || j != i {
			t.Fatalf("%d was found as %d, %v", i, j, ok)
		}
	}
	if _, ok := table.find(0, func(int) bool { return false }); ok {
		t.Fatal("found what is not there")
	}
	if _, ok := newTable(0).find(5, func(int) bool { return true }); ok {
		t.Fatal("found something in nothing")
	}
}

// TestSortComparesWholeDigests: digests that start with the same eight bytes are
// in order as well.
func TestSortComparesWholeDigests(t *testing.T) {
	var s sorter
	for _, last := range []byte{3, 1, 2} {
		s.records = append(s.records, Record{sha: Hash{0: 7, 31: last}})
	}
	if got := s.byDigest([]int{0, 1, 2}); !slices.Equal(got, []int{1, 2, 0}) {
		t.Errorf("in the order %v", got)
	}
}

package record

import (
	"cmp"
	"slices"
	"sync"
)

// Ordering is the replay order of a set of records, by their indexes.
type Ordering struct {
	Replay  []int     // every record that can become ready, in replay order
	Heads   []int     // records that are no record's parent, by digest
	Missing []Missing // parents that are not in the set, in the order of the set
	Cyclic  []int     // records that can never become ready, by digest

	// Conflicts are the records whose ID an earlier record with another
	// digest has, in the order of the set. They are replayed all the same.
	Conflicts []int
}

// Missing is a parent that a record names and the set does not hold. It does
// not hold its child back.
type Missing struct {
	Record int
	Parent Hash
}

// Sort gives the replay order of records (S4.3-08): by generation, and within
// a generation by digest. A record's generation is the length of its longest
// path from a record without present parents. Of records with the same digest
// the first counts, and zero Records are left out; the indexes of neither
// appear in the result. Otherwise the order of the set does not matter. Cost is
// O(n log n), without recursion. There may be at most 2^31-1 records, and as
// many parents together.
func Sort(records []Record) Ordering {
	s := sorter{records: records, digests: newTable(len(records)), present: make([]bool, len(records))}
	var conflicts []int
	var ids sync.WaitGroup
	ids.Go(func() { conflicts = s.conflicts() })
	s.index()
	parents, missing := s.resolve()
	generation, cyclic := parents.generations(s.present)
	o := Ordering{
		Replay:  s.byGeneration(generation),
		Heads:   s.heads(parents),
		Missing: missing,
		Cyclic:  s.byDigest(cyclic),
	}
	ids.Wait()
	o.Conflicts = slices.DeleteFunc(conflicts, func(i int) bool { return !s.present[i] })
	return o
}

type sorter struct {
	records []Record
	digests *table
	present []bool // beside records: neither zero nor repeated
}

// index enters the digests, and so finds who is present.
func (s *sorter) index() {
	for i := range s.records {
		r := &s.records[i]
		if r.line != nil {
			_, s.present[i] = s.digests.add(s.digests.hash(r.sha[:]), i, func(j int) bool { return s.records[j].sha == r.sha })
		}
	}
}

// conflicts lists the records whose ID an earlier record with another digest
// has. A repeated record may be among them.
func (s *sorter) conflicts() (conflicts []int) {
	ids := newTable(len(s.records))
	for i := range s.records {
		r := &s.records[i]
		if r.line == nil {
			continue
		}
		first, added := ids.add(ids.hash(r.id.uuid[:]), i, func(j int) bool { return s.records[j].id == r.id })
		if !added && s.records[first].sha != r.sha {
			conflicts = append(conflicts, i)
		}
	}
	return conflicts
}

// resolve finds the parents by their digests.
func (s *sorter) resolve() (*graph, []Missing) {
	g := newGraph(len(s.records))
	var missing []Missing
	for i := range s.records {
		if s.present[i] {
			r := &s.records[i]
			for k := range r.NumParents() {
				parent := r.Parent(k)
				if j, ok := s.find(parent, i-1); ok {
					g.edges = append(g.edges, int32(j))
				} else {
					missing = append(missing, Missing{Record: i, Parent: parent})
				}
			}
		}
		g.first[i+1] = int32(len(g.edges))
	}
	return g, missing
}

// find returns the index of the record with a digest. It looks at guess first:
// a record's parent is the one before it in the shard, unless the record was
// the first of its transaction.
func (s *sorter) find(h Hash, guess int) (int, bool) {
	if guess >= 0 && s.present[guess] && s.records[guess].sha == h {
		return guess, true
	}
	return s.digests.find(s.digests.hash(h[:]), func(j int) bool { return s.records[j].sha == h })
}

// byGeneration lists the records by generation and, within one, by digest.
func (s *sorter) byGeneration(generation []int32) []int {
	last := int32(-1)
	for _, g := range generation {
		last = max(last, g)
	}
	start := make([]int32, last+2)
	total := int32(0)
	for _, g := range generation {
		if g >= 0 {
			start[g+1]++
			total++
		}
	}
	for g := range last + 1 {
		start[g+1] += start[g]
	}
	order := make([]int, total)
	next := slices.Clone(start)
	for i, g := range generation {
		if g >= 0 {
			order[next[g]] = i
			next[g]++
		}
	}
	for g := range last + 1 {
		s.byDigest(order[start[g]:start[g+1]])
	}
	return order
}

// heads lists the records that no record names as a parent.
func (s *sorter) heads(parents *graph) []int {
	named := make([]bool, parents.len())
	for _, p := range parents.edges {
		named[p] = true
	}
	var heads []int
	for i := range named {
		if s.present[i] && !named[i] {
			heads = append(heads, i)
		}
	}
	return s.byDigest(heads)
}

// byDigest sorts indexes in place by their records' digests.
func (s *sorter) byDigest(indexes []int) []int {
	if len(indexes) < 2 {
		return indexes
	}
	// Comparing digests where they are costs a cache miss each; the first
	// eight bytes decide almost always.
	keys := make([]digestKey, len(indexes))
	for k, i := range indexes {
		keys[k] = digestKey{s.records[i].sha.prefix(), int32(i)}
	}
	slices.SortFunc(keys, func(a, b digestKey) int {
		if a.prefix != b.prefix {
			return cmp.Compare(a.prefix, b.prefix)
		}
		return s.records[a.index].sha.Compare(s.records[b.index].sha)
	})
	for k := range keys {
		indexes[k] = int(keys[k].index)
	}
	return indexes
}

type digestKey struct {
	prefix uint64
	index  int32
}

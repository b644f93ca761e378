package record

import "slices"

// Ordering is the replay order of a set of records, by their indexes.
type Ordering struct {
	Replay  []int     // every record that can become ready, in replay order
	Heads   []int     // records that are no record's parent, by SHA
	Missing []Missing // parents that are not in the set, in the order of the set
	Cyclic  []int     // records that can never become ready, by SHA
}

// Missing is a parent that a record names and the set does not hold. It does
// not hold its child back.
type Missing struct {
	Record int
	Parent Hash
}

// Sort gives the replay order of records with distinct digests (S4.3-08): by
// generation, and within a generation by digest. A record's generation is the
// length of its longest path from a record without present parents. The order
// does not depend on that of the set. Cost is O(n log n), without recursion.
func Sort(records []Record) Ordering {
	g := newGraph(records)
	generation, cyclic := g.generations()
	return Ordering{
		Replay:  byGeneration(records, generation),
		Heads:   g.heads(records),
		Missing: g.missing,
		Cyclic:  sortedBySHA(records, cyclic),
	}
}

// graph holds the parent relation by index: the parents of record i are
// parents[first[i]:first[i+1]].
type graph struct {
	first   []int32
	parents []int32
	missing []Missing
}

func newGraph(records []Record) *graph {
	index := make(map[Hash]int32, len(records))
	for i := range records {
		index[records[i].sha] = int32(i)
	}
	g := &graph{first: make([]int32, len(records)+1), parents: make([]int32, 0, len(records))}
	for i := range records {
		for parent := range records[i].Parents() {
			if j, ok := index[parent]; ok {
				g.parents = append(g.parents, j)
			} else {
				g.missing = append(g.missing, Missing{Record: i, Parent: parent})
			}
		}
		g.first[i+1] = int32(len(g.parents))
	}
	return g
}

func (g *graph) len() int { return len(g.first) - 1 }

func (g *graph) of(i int32) []int32 { return g.parents[g.first[i]:g.first[i+1]] }

// children inverts the relation.
func (g *graph) children() *graph {
	c := &graph{first: make([]int32, len(g.first)), parents: make([]int32, len(g.parents))}
	for _, p := range g.parents {
		c.first[p+1]++
	}
	for i := range g.len() {
		c.first[i+1] += c.first[i]
	}
	next := slices.Clone(c.first)
	for i := range int32(g.len()) {
		for _, p := range g.of(i) {
			c.parents[next[p]] = i
			next[p]++
		}
	}
	return c
}

// generations gives each record's generation, -1 for those of a cycle or after
// one, which it lists.
func (g *graph) generations() (generation []int32, cyclic []int) {
	children := g.children()
	generation = make([]int32, g.len())
	waiting := make([]int32, g.len())
	ready := make([]int32, 0, g.len())
	for i := range int32(g.len()) {
		if waiting[i] = int32(len(g.of(i))); waiting[i] == 0 {
			ready = append(ready, i)
		}
	}
	for done := 0; done < len(ready); done++ {
		i := ready[done]
		for _, child := range children.of(i) {
			generation[child] = max(generation[child], generation[i]+1)
			if waiting[child]--; waiting[child] == 0 {
				ready = append(ready, child)
			}
		}
	}
	if len(ready) < g.len() {
		for i, n := range waiting {
			if n > 0 {
				generation[i] = -1
				cyclic = append(cyclic, i)
			}
		}
	}
	return generation, cyclic
}

// byGeneration lists the records by generation and, within one, by digest.
func byGeneration(records []Record, generation []int32) []int {
	last := int32(-1)
	for _, g := range generation {
		last = max(last, g)
	}
	start := make([]int, last+2)
	for _, g := range generation {
		start[g+1]++ // the -1 of a cyclic record lands in start[0]
	}
	start[0] = 0
	for g := range last + 1 {
		start[g+1] += start[g]
	}
	order := make([]int, start[last+1])
	next := slices.Clone(start)
	for i, g := range generation {
		if g >= 0 {
			order[next[g]] = i
			next[g]++
		}
	}
	for g := range last + 1 {
		sortedBySHA(records, order[start[g]:start[g+1]])
	}
	return order
}

func (g *graph) heads(records []Record) []int {
	isParent := make([]bool, g.len())
	for _, p := range g.parents {
		isParent[p] = true
	}
	var heads []int
	for i, is := range isParent {
		if !is {
			heads = append(heads, i)
		}
	}
	return sortedBySHA(records, heads)
}

// sortedBySHA sorts indexes in place by their records' digests.
func sortedBySHA(records []Record, indexes []int) []int {
	if len(indexes) > 1 {
		slices.SortFunc(indexes, func(a, b int) int { return records[a].sha.Compare(records[b].sha) })
	}
	return indexes
}

package record

import "slices"

// graph holds a relation between records by index: those that record i is
// related to are edges[first[i]:first[i+1]].
type graph struct {
	first []int32
	edges []int32
}

func newGraph(records int) *graph {
	return &graph{first: make([]int32, records+1), edges: make([]int32, 0, records)}
}

func (g *graph) len() int { return len(g.first) - 1 }

func (g *graph) of(i int32) []int32 { return g.edges[g.first[i]:g.first[i+1]] }

// inverse returns the children, given the parents.
func (g *graph) inverse() *graph {
	c := &graph{first: make([]int32, len(g.first)), edges: make([]int32, len(g.edges))}
	for _, p := range g.edges {
		c.first[p+1]++
	}
	for i := range g.len() {
		c.first[i+1] += c.first[i]
	}
	next := slices.Clone(c.first)
	for i := range int32(g.len()) {
		for _, p := range g.of(i) {
			c.edges[next[p]] = i
			next[p]++
		}
	}
	return c
}

// generations gives each present record's generation, given the parents. It is
// -1 for those that are absent, and for those of a cycle or after one, which it
// lists.
func (g *graph) generations(present []bool) (generation []int32, cyclic []int) {
	children := g.inverse()
	generation = make([]int32, g.len())
	waiting := make([]int32, g.len())
	ready := make([]int32, 0, g.len())
	for i := range int32(g.len()) {
		if waiting[i] = int32(len(g.of(i))); !present[i] {
			generation[i] = -1
		} else if waiting[i] == 0 {
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
	for i, n := range waiting {
		if n > 0 {
			generation[i] = -1
			cyclic = append(cyclic, i)
		}
	}
	return generation, cyclic
}

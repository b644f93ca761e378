package main

import (
	"github.com/gitledger/gitledger/internal/actions"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
)

// node is a record of the graph at its place: a column a generation, a lane for
// each record of it.
type node struct {
	Short, Timestamp string
	Column, Lane     int
	Head             bool
	Parents          []int // indexes of nodes
}

// layOut places the last records of a history, at most so many.
func layOut(h *ledger.History, heads map[record.Hash]bool, most int) []node {
	first := max(0, h.Len()-most)
	index := map[record.Hash]int{}
	var nodes []node
	lanes := map[int]int{}
	for i := first; i < h.Len(); i++ {
		r := h.Record(i)
		n := node{Short: actions.Short(r.SHA().String()), Timestamp: r.Timestamp(), Head: heads[r.SHA()]}
		for parent := range r.Parents() {
			if j, shown := index[parent]; shown {
				n.Parents = append(n.Parents, j)
				n.Column = max(n.Column, nodes[j].Column+1)
			}
		}
		n.Lane = lanes[n.Column]
		lanes[n.Column]++
		index[r.SHA()] = len(nodes)
		nodes = append(nodes, n)
	}
	return nodes
}

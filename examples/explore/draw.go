package main

import (
	"fmt"
	"strings"
)

// Measures of the graph.
const (
	columnWidth, laneHeight, margin = 34, 26, 16
)

type graphView struct {
	Width, Height int
	Edges         []string // paths
	Nodes         []nodeView
}

type nodeView struct {
	node
	X, Y int
}

func drawGraph(nodes []node) graphView {
	var g graphView
	place := func(n node) (x, y int) { return margin + n.Column*columnWidth, margin + n.Lane*laneHeight }
	for _, n := range nodes {
		x, y := place(n)
		g.Width, g.Height = max(g.Width, x+margin), max(g.Height, y+margin)
		g.Nodes = append(g.Nodes, nodeView{n, x, y})
		for _, p := range n.Parents {
			fromX, fromY := place(nodes[p])
			middle := (fromX + x) / 2
			g.Edges = append(g.Edges, fmt.Sprintf("M%d %dC%d %d %d %d %d %d", fromX, fromY, middle, fromY, middle, y, x, y))
		}
	}
	return g
}

type growthView struct {
	Path     string // a line of steps
	Most     int
	From, To int // commits
}

const growthWidth, growthHeight = 600, 120

func drawGrowth(points []growth) growthView {
	if len(points) == 0 {
		return growthView{}
	}
	if len(points) == 1 {
		points = append(points, points[0]) // so that there is a line
	}
	g := growthView{From: points[0].Commit, To: points[len(points)-1].Commit}
	for _, p := range points {
		g.Most = max(g.Most, p.Shards)
	}
	var b strings.Builder
	for i, p := range points {
		x := float64(i) * growthWidth / float64(len(points)-1)
		y := growthHeight - float64(p.Shards)*growthHeight/float64(max(1, g.Most))
		if i == 0 {
			fmt.Fprintf(&b, "M%.1f %.1f", x, y)
		} else {
			fmt.Fprintf(&b, "H%.1fV%.1f", x, y)
		}
	}
	g.Path = b.String()
	return g
}

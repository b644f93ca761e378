package main

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/gitledger/gitledger/internal/actions"
)

//go:embed page/page.html
var pageText string

//go:embed page/style.css
var style string

//go:embed page/script.js
var script string

// writePage writes the page to a file. It is one file that loads nothing: its
// policy allows its own script and style, by their digests, and nothing else.
//
// A page that is there is replaced as a whole, or not at all. What is no regular
// file, such as a link or a pipe, is left alone.
func writePage(path string, v *view) error {
	if there, err := os.Lstat(path); err == nil && !there.Mode().IsRegular() {
		return errNoFile
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".explore-*.html")
	if err != nil {
		return err
	}
	err = errors.Join(render(f, v), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

var errNoFile = errors.New("there is something that is no file")

func render(out io.Writer, v *view) error {
	page, err := template.New("page").Funcs(template.FuncMap{"visible": actions.Visible}).Parse(pageText)
	if err != nil {
		return err
	}
	return page.Execute(out, map[string]any{
		"View": v, "Graph": drawGraph(v.graph), "Growth": drawGrowth(v.Growth),
		"Style": template.CSS(style), "Script": template.JS(script),
		"Policy": "default-src 'none'; style-src '" + digest(style) + "'; script-src '" + digest(script) + "'; base-uri 'none'; form-action 'none'",
	})
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// Measures of the graph.
const (
	columnWidth, laneHeight, margin = 34, 26, 16
	nodeRadius                      = 6
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
	g := growthView{From: points[0].Commit, To: points[len(points)-1].Commit}
	for _, p := range points {
		g.Most = max(g.Most, p.Shards)
	}
	var b strings.Builder
	for i, p := range points {
		x := float64(i) * growthWidth / float64(max(1, len(points)-1))
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

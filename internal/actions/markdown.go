package actions

import (
	"fmt"
	"strings"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
)

// Markdown makes text show as itself in Markdown, on one line.
func Markdown(text string) string {
	var b strings.Builder
	for _, r := range Text(text, 200) {
		if strings.ContainsRune("\\`*_{}[]()<>#+-.!|~&@:=\"'", r) {
			fmt.Fprintf(&b, "&#%d;", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Table is a Markdown table.
func Table(columns []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) {
		b.WriteString("|")
		for _, cell := range cells {
			b.WriteString(" " + cell + " |")
		}
		b.WriteString("\n")
	}
	line(columns)
	b.WriteString("|" + strings.Repeat("---|", len(columns)) + "\n")
	for _, row := range rows {
		escaped := make([]string, len(row))
		for i, cell := range row {
			escaped[i] = Markdown(cell)
		}
		line(escaped)
	}
	return b.String()
}

// Records that a graph shows, and graphs that a summary has: GitHub refuses a
// summary over 1 MiB as a whole.
const (
	MaxGraphRecords = 30
	MaxGraphs       = 40
)

// Graph draws the newest records of a ledger, the last in replay order, as a
// Mermaid graph in which the heads are marked. It holds digests only. An empty
// ledger has none.
func Graph(name string, h *ledger.History) string {
	first := max(0, h.Len()-MaxGraphRecords)
	if h.Len() == first {
		return ""
	}
	index := map[record.Hash]int{}
	var b strings.Builder
	fmt.Fprintf(&b, "\n<details><summary>Newest %d of %d records of %s, heads marked</summary>\n\n", h.Len()-first, h.Len(), Markdown(name))
	b.WriteString("```mermaid\ngraph LR\n")
	for i := first; i < h.Len(); i++ {
		r := h.Record(i)
		index[r.SHA()] = i
		fmt.Fprintf(&b, "  r%d[%q]\n", i, Short(r.SHA().String()))
		for parent := range r.Parents() {
			if from, shown := index[parent]; shown {
				fmt.Fprintf(&b, "  r%d --> r%d\n", from, i)
			}
		}
	}
	b.WriteString("  classDef head stroke-width:3px,stroke:#1a7f37\n")
	for _, head := range h.Heads() {
		if i, shown := index[head]; shown {
			fmt.Fprintf(&b, "  class r%d head\n", i)
		}
	}
	b.WriteString("```\n\n</details>\n")
	return b.String()
}

// Short is the first digits of a digest or a commit.
func Short(digest string) string {
	digest = strings.TrimPrefix(digest, "sha256:")
	return digest[:min(10, len(digest))]
}

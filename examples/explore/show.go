package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/gitledger/gitledger/internal/actions"
)

const maxLines = 20 // of a list on a terminal

// show prints a view for a terminal. Whatever is from the ledger is made visible
// and goes through actions.Text.
func show(out io.Writer, v *view) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	section := func(title string, rows [][]string) {
		if len(rows) == 0 {
			return
		}
		_ = w.Flush()
		fmt.Fprintf(w, "\n%s\n", title)
		for _, row := range rows {
			cells := make([]string, len(row))
			for i := range row {
				cells[i] = actions.Text(visible(row[i], false), 72)
			}
			fmt.Fprintln(w, "  "+strings.Join(cells, "\t"))
		}
		_ = w.Flush()
	}
	kind := v.Type
	if !v.Declared {
		kind += ", for want of a declaration"
	}
	fmt.Fprintf(w, "%s (%s)\n", v.Ledger, kind)
	section("Status", [][]string{
		{"branch", v.Branch}, {"commit", or(v.Head, "none: the branch is absent")}, {"commits", fmt.Sprint(v.Commits)},
		{"records", fmt.Sprint(v.Records)}, {"shards", fmt.Sprintf("%d, %s", v.Shards, bytesText(v.Bytes))},
	})
	var rows [][]string
	for _, head := range v.Heads[:min(maxLines, len(v.Heads))] {
		rows = append(rows, []string{head})
	}
	section("Heads"+number(len(rows), v.HeadCount), rows)
	rows = nil
	for _, d := range v.Diagnostics[:min(maxLines, len(v.Diagnostics))] {
		rows = append(rows, []string{string(d.Code), d.File, fmt.Sprint(d.Line), d.ID})
	}
	section("Malformed"+number(len(rows), v.DiagnosticCount), rows)
	rows = nil
	for _, r := range v.Newest {
		mark := " "
		if r.Head {
			mark = "*"
		}
		rows = append(rows, []string{mark, r.Short, r.Timestamp, r.Payload})
	}
	section("Newest records"+number(len(rows), v.Records)+", heads marked *", rows)
	rows = v.State[:min(maxLines, len(v.State))]
	section("State: "+strings.Join(v.Columns, ", ")+number(len(rows), v.StateRows), rows)
	rows = nil
	for _, n := range v.Notes[:min(maxLines, len(v.Notes))] {
		rows = append(rows, []string{fmt.Sprintf("%+d", n.Net()), n.Subject, n.Note, strings.Join(n.Citations, " ")})
	}
	section("Notes"+number(len(rows), v.NoteCount)+", the most votes first", rows)
	if v.Invalid != "" {
		section("No state", [][]string{{v.Invalid}})
	}
	rows = nil
	for _, c := range v.Compactions[:min(maxLines, len(v.Compactions))] {
		rows = append(rows, []string{c.Applied, c.Trigger, fmt.Sprintf("%d → %d shards", c.Before, c.After), actions.Short(c.Commit)})
	}
	section("Compactions"+number(len(rows), len(v.Compactions)), rows)
	return w.Flush()
}

// number says how many of how many are shown.
func number(shown, all int) string {
	if shown < all {
		return fmt.Sprintf(" (%d of %d)", shown, all)
	}
	return fmt.Sprintf(" (%d)", all)
}

func or(text, fallback string) string {
	if text == "" {
		return fallback
	}
	return text
}

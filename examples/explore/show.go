package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/gitledger/gitledger/internal/actions"
)

// show prints a view for a terminal. Whatever is from the ledger goes through
// actions.Text.
func show(out io.Writer, v *view) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	section := func(title string, rows [][]string) {
		if len(rows) == 0 {
			return
		}
		_ = w.Flush()
		fmt.Fprintf(w, "\n%s\n", title)
		for _, row := range rows {
			for i := range row {
				row[i] = actions.Text(row[i], 72)
			}
			fmt.Fprintln(w, "  "+strings.Join(row, "\t"))
		}
		_ = w.Flush()
	}
	kind := v.Type
	if !v.Declared {
		kind += ", for want of a declaration"
	}
	fmt.Fprintf(w, "%s (%s)\n", v.Ledger, kind)
	section("Status", [][]string{
		{"branch", v.Branch}, {"head", or(v.Head, "none: the branch is absent")}, {"records", fmt.Sprint(v.Records)},
		{"shards", fmt.Sprintf("%d, %d bytes", v.Shards, v.Bytes)}, {"heads", strings.Join(v.Heads, " ")},
	})
	var rows [][]string
	for _, d := range v.Diagnostics[:min(20, len(v.Diagnostics))] {
		rows = append(rows, []string{string(d.Code), d.File, fmt.Sprint(d.Line), d.ID})
	}
	section(fmt.Sprintf("Malformed (%d)", len(v.Diagnostics)), rows)
	rows = nil
	for _, r := range v.Newest {
		mark := " "
		if r.Head {
			mark = "*"
		}
		rows = append(rows, []string{mark, r.Short, r.Timestamp, r.Payload})
	}
	section("Newest records (* no record follows)", rows)
	rows = nil
	for _, row := range v.State[:min(20, len(v.State))] {
		rows = append(rows, append([]string(nil), row...))
	}
	section(fmt.Sprintf("State: %s (%d rows)", strings.Join(v.Columns, ", "), v.StateRows), rows)
	rows = nil
	for _, n := range v.Notes[:min(20, len(v.Notes))] {
		rows = append(rows, []string{fmt.Sprintf("%+d", n.Up-n.Down), n.Subject, n.Note, strings.Join(n.Citations, " ")})
	}
	section(fmt.Sprintf("Notes (%d)", v.StateRows), rows)
	if v.Invalid != "" {
		section("No state", [][]string{{v.Invalid}})
	}
	rows = nil
	for _, c := range v.Compactions {
		rows = append(rows, []string{c.Applied, c.Trigger, fmt.Sprintf("%d → %d shards", c.Before, c.After), c.Commit[:min(10, len(c.Commit))]})
	}
	section("Compactions", rows)
	return w.Flush()
}

func or(text, fallback string) string {
	if text == "" {
		return fallback
	}
	return text
}

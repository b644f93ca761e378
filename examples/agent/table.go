package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/gitledger/gitledger/internal/actions"
)

// maxCell is how many characters of a value a terminal shows; JSON has all of it.
const maxCell = 80

// printTable prints rows for people. Everything in them may come from strangers,
// so each cell goes through actions.Text: between cells there are spaces, which
// complete no command.
func printTable(out io.Writer, columns []string, rows [][]any, more bool) error {
	table := [][]string{make([]string, len(columns))}
	for i, name := range columns {
		table[0][i] = actions.Text(name, maxCell)
	}
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = actions.Text(show(v), maxCell)
		}
		table = append(table, cells)
	}
	widths := make([]int, len(columns))
	for _, row := range table {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range table {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell)
			if i < len(row)-1 {
				line.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2))
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	fmt.Fprintf(&b, "(%d rows", len(rows))
	if more {
		b.WriteString(", and there are more")
	}
	b.WriteString(")\n")
	if _, err := io.WriteString(out, b.String()); err != nil {
		return errors.New("the result cannot be printed")
	}
	return nil
}

func show(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		return v
	case []byte:
		return fmt.Sprintf("x'%x'", v)
	}
	return fmt.Sprint(v)
}

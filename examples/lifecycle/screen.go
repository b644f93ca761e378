package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gitledger/gitledger/internal/actions"
)

// screen prints what happens, job by job. Everything that comes from a ledger
// goes through actions.Text, because it is text from strangers.
type screen struct {
	out  io.Writer
	live bool // a terminal: colours, and progress on one line
}

func newScreen(out *os.File) *screen {
	info, err := out.Stat()
	live := err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("NO_COLOR") == ""
	return &screen{out: out, live: live}
}

func (s *screen) style(code, text string) string {
	if !s.live {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s *screen) printf(format string, args ...any) { fmt.Fprintf(s.out, format, args...) }

// job starts the part of one job: its name, its trust, and what it is handed.
func (s *screen) job(name, trust, handed string) {
	colour := "32"
	if trust == "untrusted" {
		colour = "33"
	}
	s.printf("\n%s  %s\n", s.style("1", "▶ "+name), s.style(colour, trust))
	s.printf("  %s\n", s.style("2", "is handed: "+handed))
}

func (s *screen) line(format string, args ...any) {
	s.printf("  %s\n", fmt.Sprintf(format, args...))
}

// progress shows how far a long step is; on a terminal only.
func (s *screen) progress(done, total int, what string) {
	if !s.live {
		return
	}
	const width = 32
	full := done * width / total
	s.printf("\r\x1b[K  %s%s %d/%d %s", strings.Repeat("█", full), strings.Repeat("░", width-full), done, total, what)
	if done == total {
		s.printf("\r\x1b[K")
	}
}

const maxCell = 64 // characters of a cell that are shown

// table prints rows under a heading, at most limit of them.
func (s *screen) table(columns []string, rows [][]string, limit int) {
	shown := rows[:min(limit, len(rows))]
	widths := make([]int, len(columns))
	for i, c := range columns {
		widths[i] = utf8.RuneCountInString(c)
	}
	for _, row := range shown {
		for i := range row {
			row[i] = actions.Text(row[i], maxCell)
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	s.printf("    %s\n", s.style("2", pad(columns, widths)))
	for _, row := range shown {
		s.printf("    %s\n", pad(row, widths))
	}
	if hidden := len(rows) - len(shown); hidden > 0 {
		s.printf("    %s\n", s.style("2", fmt.Sprintf("… %d more", hidden)))
	}
}

func pad(cells []string, widths []int) string {
	var b strings.Builder
	for i, cell := range cells {
		b.WriteString(cell)
		if i+1 < len(cells) {
			b.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2))
		}
	}
	return b.String()
}

func took(since time.Time) string {
	return time.Since(since).Round(time.Millisecond).String()
}

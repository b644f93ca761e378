package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
)

// screen prints live figures where somebody watches, and the result.
type screen struct {
	out      io.Writer
	terminal bool
	live     bool
}

func newScreen(out io.Writer) *screen {
	s := &screen{out: out}
	if file, ok := out.(*os.File); ok {
		info, err := file.Stat()
		s.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	s.live = s.terminal
	return s
}

// figures prints the figures so far: over the last line on a terminal.
func (s *screen) figures(h *hammer) {
	if !s.live {
		return
	}
	t := &h.tally
	p := t.percentiles(0.5, 0.99)
	line := fmt.Sprintf("%4.0fs  %d acknowledged (%.1f/s)  %d retried  %d rejected  %d compactions  %d killed  p50 %v  p99 %v",
		t.elapsed().Seconds(), t.acknowledged, float64(t.acknowledged)/t.elapsed().Seconds(), t.pushes-t.commits, t.rejected,
		t.compactions, t.kills, brief(p[0]), brief(p[1]))
	if s.terminal {
		fmt.Fprintf(s.out, "\r\x1b[K%s", line)
	} else {
		fmt.Fprintln(s.out, line)
	}
}

// result prints what was done and what came out.
func (s *screen) result(h *hammer, v verdict) {
	if s.terminal {
		fmt.Fprint(s.out, "\r\x1b[K")
	}
	o, t := h.options, &h.tally
	row := func(name, format string, args ...any) {
		fmt.Fprintf(s.out, "%-14s %s\n", name, fmt.Sprintf(format, args...))
	}
	row("store", "%s, seed %d", o.store, o.seed)
	row("writers", "%d processes with %d each, %d processes compacting", o.processes, o.writers, o.maintain)
	seconds := max(t.elapsed().Seconds(), 1e-9)
	row("time", "%.1f s, and %.1f s to judge", seconds, v.took.Seconds())
	row("acknowledged", "%d transactions (%.1f/s), %d records; %d unsettled", t.acknowledged, float64(t.acknowledged)/seconds, t.records, t.unsettled)
	row("rejected", "%d batches, as they had to be", t.rejected)
	row("retried", "%d pushes for %d commits (%.2f each); %d calls again, %d batches found present", t.pushes, t.commits, ratio(t.pushes, t.commits), t.again, t.found)
	p := t.percentiles(0.5, 0.9, 0.99, 1)
	row("latency", "p50 %v, p90 %v, p99 %v, max %v", brief(p[0]), brief(p[1]), brief(p[2]), brief(p[3]))
	row("maintenance", "%d compactions of %d shards, %d gave way", t.compactions, t.merged, t.gaveWay)
	row("faults", "%s; %d processes killed", list(h.faults.counts()), t.kills)
	for _, l := range v.ledgers {
		row(l.name, "%s", l)
	}
	for _, text := range append(slices.Clone(h.broken), v.broken...) {
		row("BROKEN", "%s", text)
	}
	if len(h.broken)+len(v.broken) == 0 && len(v.ledgers) > 0 {
		row("verdict", "every promise was kept")
	}
}

func ratio(a, b int) float64 { return float64(a) / float64(max(b, 1)) }

func brief(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }

// list prints counts by name.
func list(counts map[string]int) string {
	var parts []string
	total := 0
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, counts[name]))
		total += counts[name]
	}
	if total == 0 {
		return "none"
	}
	return fmt.Sprintf("%d (%s)", total, strings.Join(parts, ", "))
}

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/gitledger/gitledger/ledger"
)

// printer shows what was found, and remembers how bad it is.
type printer struct {
	out, errs io.Writer
	json      bool

	bad, unchecked bool
}

// code is what to exit with.
func (p *printer) code() int {
	switch {
	case p.bad:
		return exitBad
	case p.unchecked:
		return exitUnchecked
	}
	return exitSound
}

func (p *printer) found(f ledger.Finding) {
	p.bad = true
	if p.json {
		p.line("finding", f)
		return
	}
	fmt.Fprintln(p.out, "BAD ", f)
}

func (p *printer) failed(err error) {
	p.unchecked = true
	if p.json {
		p.line("error", err.Error())
		return
	}
	fmt.Fprintln(p.errs, "verify: not checked:", err)
}

func (p *printer) summary(s ledger.Summary) {
	p.unchecked = p.unchecked || !s.Complete
	if p.json {
		p.line("summary", s)
		return
	}
	verdict := "sound"
	switch {
	case len(s.Findings) > 0:
		verdict = "BAD"
	case !s.Complete:
		verdict = "NOT CHECKED as a whole"
	case s.Head == "":
		verdict = "absent, which is an empty ledger"
	}
	fmt.Fprintf(p.out, "%s: %s\n", s.Branch, verdict)
	if s.Head == "" {
		return
	}
	fmt.Fprintf(p.out, "  commits   %d: %d appends, %d compactions, %d merges; head %.12s\n", s.Commits, s.Appends, s.Compactions, s.Merges, s.Head)
	fmt.Fprintf(p.out, "  verified  %d shard contents, %d bytes\n", s.Contents, s.Bytes)
	fmt.Fprintf(p.out, "  latest    %d records in %d shards, %d heads\n", s.Records, s.Shards, s.Heads)
	for _, kind := range slices.Sorted(maps.Keys(s.Findings)) {
		fmt.Fprintf(p.out, "  %-20s %d\n", kind, s.Findings[kind])
	}
}

// projection says whether a projection is what a rebuild gives.
func (p *printer) projection(same bool, rows int) {
	p.bad = p.bad || !same
	if p.json {
		p.line("projection", struct {
			Same bool `json:"same"`
			Rows int  `json:"rows"`
		}{same, rows})
		return
	}
	if same {
		fmt.Fprintf(p.out, "projection: equals a rebuild, row by row (%d rows)\n", rows)
	} else {
		fmt.Fprintln(p.out, "BAD  projection differs from a rebuild")
	}
}

// line writes an object with one member.
func (p *printer) line(name string, value any) {
	text, err := json.Marshal(map[string]any{name: value})
	if err != nil {
		p.unchecked = true
		return
	}
	fmt.Fprintf(p.out, "%s\n", text)
}

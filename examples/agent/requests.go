package main

import (
	"bytes"
	"strings"

	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/ledger"
)

// requests are the ledger requests of a safe-output file.
type requests struct {
	appends     [][]byte // lines with their newlines
	compactions int
}

// requestsOf takes the ledger requests out of a safe-output file. Like the
// safe-outputs job it passes over nothing but lines that name another tool.
func requestsOf(file []byte) (found requests) {
	for line := range bytes.Lines(file) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		tool := ""
		if text, err := canonical.Append(nil, line, canonical.LastWins); err == nil {
			tool, _ = canonical.Text(canonical.Get(text, "type"))
		}
		switch {
		case tool == ledger.ToolRequestCompaction:
			found.compactions++
		case tool == "" || strings.HasPrefix(strings.ToLower(tool), "ledger"):
			found.appends = append(found.appends, append(bytes.TrimRight(line, "\r\n"), '\n'))
		}
	}
	return found
}

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/gitledger/gitledger/internal/artifact"
	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/txn"
)

// maxFileBytes bounds a safe-output file, which holds the lines of all tools.
const maxFileBytes = 64 << 20

// requestLines is a safe-output file, taken apart.
type requestLines struct {
	absent      bool     // there is no file
	appends     []byte   // the lines that txn.Normalize takes
	numbers     []int    // of these lines in the file, from 1
	compactions [][]byte // the requests for compaction
	others      int      // lines of other tools, which are not ours to judge
}

// read reads a safe-output file. That there is none is no error: an agent that
// wrote nothing asked for nothing.
func read(path string) (*requestLines, error) {
	data, err := artifact.ReadBounded(path, maxFileBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &requestLines{absent: true}, nil
	case errors.Is(err, artifact.ErrTooLarge), errors.Is(err, artifact.ErrNotRegular):
		return nil, fmt.Errorf("the file of requests: %w", err)
	case err != nil:
		return nil, errors.New("the requests cannot be read")
	}
	return split(data), nil
}

// split takes a safe-output file apart. Only a line that names another tool is
// passed over. What may be a ledger request and is broken, such as one without a
// type or with a ledger tool that does not exist, is left to Normalize, which
// refuses it.
func split(data []byte) *requestLines {
	found := &requestLines{}
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		switch tool := toolOf(line); {
		case strings.ReplaceAll(tool, "-", "_") == ledger.ToolRequestCompaction:
			found.compactions = append(found.compactions, line)
		case tool != "" && !mayBeOurs(tool):
			found.others++
		default:
			found.appends = append(append(found.appends, bytes.TrimRight(line, "\r\n")...), '\n')
			found.numbers = append(found.numbers, number)
		}
	}
	return found
}

// toolOf returns the tool that a line names; empty when it names none.
func toolOf(line []byte) string {
	text, err := canonical.Append(nil, line, canonical.LastWins)
	if err != nil || !canonical.IsObject(text) {
		return ""
	}
	tool, _ := canonical.Text(canonical.Get(text, "type"))
	return tool
}

// mayBeOurs reports whether a tool that is not known was meant to be one for a
// ledger: ledger-append, for example.
func mayBeOurs(tool string) bool {
	const prefix = "ledger"
	return len(tool) >= len(prefix) && strings.EqualFold(tool[:len(prefix)], prefix)
}

// placed says for each request that was refused in which line of the file it is.
func (l *requestLines) placed(err error) error {
	all, ok := errors.AsType[*txn.RequestErrors](err)
	if !ok {
		return err
	}
	var placed []error
	for _, e := range all.Errors {
		if e.Index >= 0 && e.Index < len(l.numbers) {
			placed = append(placed, fmt.Errorf("line %d of the requests: %w", l.numbers[e.Index], e))
		} else {
			placed = append(placed, e)
		}
	}
	return errors.Join(placed...)
}

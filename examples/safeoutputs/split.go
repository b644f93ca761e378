package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/txn"
)

// requestLines is a safe-output file, taken apart.
type requestLines struct {
	appends     []byte   // the lines that txn.Normalize takes
	compactions [][]byte // the requests for compaction
	others      int      // lines of other tools, which are not ours to judge
}

// split takes a safe-output file apart. A line that may be a ledger request but
// cannot be read is left to Normalize, which refuses it: nothing is passed over
// because it is broken.
func split(r io.Reader) (*requestLines, error) {
	ours := map[string]bool{}
	for _, t := range ledger.AppendTools() {
		ours[t.Name] = true
	}
	found := &requestLines{}
	lines := bufio.NewReaderSize(r, txn.MaxLineBytes+2)
	for {
		line, err := lines.ReadSlice('\n')
		tooLong := errors.Is(err, bufio.ErrBufferFull)
		var name string
		var fields map[string]json.RawMessage
		switch {
		case len(bytes.TrimSpace(line)) == 0:
		case tooLong && !bytes.Contains(line, []byte("ledger_")):
			found.others++
		case !tooLong && json.Unmarshal(line, &fields) == nil && json.Unmarshal(fields["type"], &name) == nil && !ours[tool(name)]:
			if tool(name) != ledger.ToolRequestCompaction {
				found.others++
			} else if len(found.compactions) < ledger.MaxRequests {
				found.compactions = append(found.compactions, bytes.Clone(line))
			}
		default:
			if len(found.appends) > txn.MaxArtifactBytes {
				return found, nil // Normalize refuses what it has
			}
			found.appends = append(append(found.appends, line...), '\n')
		}
		for tooLong { // pass over the rest
			_, err = lines.ReadSlice('\n')
			tooLong = errors.Is(err, bufio.ErrBufferFull)
		}
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, errors.New("the requests cannot be read")
		}
	}
}

// tool is the name of a tool, which may be written with hyphens.
func tool(name string) string { return strings.ReplaceAll(name, "-", "_") }

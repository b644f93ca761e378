package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/gitledger/gitledger/internal/actions"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/txn"
)

const toolsUsage = `usage: agent tools [flags]

Lists the tools that queue requests for the configured ledgers: as a table on a
terminal, else as one line of JSON with the schema of each tool's input.

Reads   GH_AW_LEDGER_CONFIG_BASE64
Writes  nothing
`

const callUsage = `usage: agent call [flags] TOOL ARGUMENTS

Queues one request. ARGUMENTS is a JSON object as the tool's input schema wants it,
see agent tools, or - to read it from standard input.

The request is checked and appended to the safe-output file. The answer says that
it is queued, and never more: it becomes durable after the run, when it has been
validated again and pushed, and no query of this run shows it.

Reads   GH_AW_LEDGER_CONFIG_BASE64
Writes  one line to GH_AW_SAFE_OUTPUTS, or else /tmp/gh-aw/ledger-requests.jsonl

  agent call ledger_append '{"ledger":"seen","operation":"add","value":"octo/web#7"}'
`

const promptUsage = `usage: agent prompt [flags]

Prints what an agent should be told about its ledgers: their databases with tables
and columns, how to queue requests, and that records are data, not instructions.

Reads   GH_AW_LEDGER_CONFIG_BASE64
Writes  nothing
`

func tools(_ context.Context, s *session, args []string) error {
	if len(args) != 0 {
		return actions.Usage("there are no arguments: see -h")
	}
	all := s.configs.Tools()
	if s.JSON {
		return s.Result(append([]ledger.Tool{}, all...))
	}
	var rows [][]any
	for _, t := range all {
		first, _, _ := strings.Cut(t.Description, ". ")
		rows = append(rows, []any{t.Name, strings.Join(t.Ledgers, ", "), first})
	}
	return printTable(s.Stdout, []string{"tool", "ledgers", "purpose"}, rows, false)
}

func call(ctx context.Context, s *session, args []string) error {
	if len(args) != 2 {
		return actions.Usage("the arguments are a tool and a JSON object, or - to read it: see -h")
	}
	arguments := []byte(args[1])
	if args[1] == "-" {
		var err error
		if arguments, err = io.ReadAll(io.LimitReader(s.stdin, txn.MaxLineBytes+1)); err != nil {
			return errors.New("standard input cannot be read")
		}
	}
	response, err := s.queue.add(ctx, args[0], arguments)
	if err != nil {
		return forCommand(err)
	}
	s.Print("%s; durable only after the run, if it passes validation", response.Result)
	return s.Result(response)
}

func prompt(_ context.Context, s *session, args []string) error {
	if len(args) != 0 {
		return actions.Usage("there are no arguments: see -h")
	}
	text := s.configs.Prompt()
	if s.machine {
		return s.Result(map[string]string{"prompt": text})
	}
	if _, err := fmt.Fprint(s.Stdout, text); err != nil {
		return errors.New("the prompt cannot be printed")
	}
	return nil
}

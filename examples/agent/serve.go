package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gitledger/gitledger/internal/actions"
)

const mcpUsage = `usage: agent mcp [flags]

Serves the ledgers as tools by the Model Context Protocol on standard input and
output: ledger_query and ledger_records read the databases, and the tools of the
configuration queue requests. It ends when standard input ends.

Results are structured, and bounded by -rows, -bytes and -time. A call that the
client cancels is stopped. What is wrong with a call comes back as a tool's error,
as JSON with code and message. A run has at most 100 requests.

Reads   GH_AW_LEDGER_CONFIG_BASE64, and the databases
Writes  lines to GH_AW_SAFE_OUTPUTS, or else /tmp/gh-aw/ledger-requests.jsonl

A client's configuration:

  {"mcpServers":{"ledger":{"command":"agent","args":["mcp"]}}}
`

// maxCalls bounds the calls that are worked on at a time; others are refused.
const maxCalls = 32

func serve(ctx context.Context, s *session, args []string) error {
	if len(args) != 0 {
		return actions.Usage("there are no arguments: see -h")
	}
	server := s.server()
	if err := server.Run(ctx, &stdio{in: s.stdin, out: s.Stdout}); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return errors.New("the session ended with an error")
	}
	return nil
}

// server has the tools of the configuration, which cannot change.
func (s *session) server() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "gitledger-agent", Version: "1"}, &mcp.ServerOptions{
		Instructions: s.configs.Prompt(),
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})
	slots := make(chan struct{}, maxCalls)
	add := func(tool *mcp.Tool, do work) { server.AddTool(tool, do.within(slots)) }
	if len(s.configs) > 0 {
		add(queryTool(s.configs), func(ctx context.Context, arguments json.RawMessage) (any, error) {
			q, err := parseQuestion(arguments)
			if err != nil {
				return nil, err
			}
			return s.data.ask(ctx, q)
		})
		add(recordsTool(s.configs), func(ctx context.Context, arguments json.RawMessage) (any, error) {
			name, q, err := parseRecordQuery(arguments)
			if err != nil {
				return nil, err
			}
			return s.data.find(ctx, name, q)
		})
	}
	for _, t := range s.configs.Tools() {
		add(queueTool(t), func(ctx context.Context, arguments json.RawMessage) (any, error) {
			return s.queue.add(ctx, t.Name, arguments)
		})
	}
	return server
}

// work is what a tool does with its arguments. The result marshals as the tool's
// output schema says.
type work func(ctx context.Context, arguments json.RawMessage) (any, error)

// within makes a handler of work that takes one of the slots.
func (do work) within(slots chan struct{}) mcp.ToolHandler {
	return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
		default:
			return failed(refusal{code: "busy", message: "too many calls at a time; wait for answers"}), nil
		}
		result, err := do(ctx, r.Params.Arguments)
		if err != nil {
			return failed(explain(err)), nil
		}
		text, err := json.Marshal(result)
		if err != nil {
			return failed(refusal{code: "internal", message: "the result has no JSON form"}), nil
		}
		return &mcp.CallToolResult{
			Content:           []mcp.Content{&mcp.TextContent{Text: string(text)}},
			StructuredContent: json.RawMessage(text),
		}, nil
	}
}

// failure is a refusal as a tool's error.
type failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Byte    *int   `json:"byte,omitempty"` // of the statement, from 0
}

func failed(r refusal) *mcp.CallToolResult {
	f := failure{Code: r.code, Message: r.message}
	if r.offset > 0 {
		offset := r.offset - 1
		f.Byte = &offset
	}
	text, err := json.Marshal(f)
	if err != nil { // it is two strings and a number
		text = []byte(`{"code":"internal"}`)
	}
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}
}

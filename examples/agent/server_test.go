package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/txn"
)

// connect starts the server as a child process and speaks MCP with it.
func (w *world) connect() *mcp.ClientSession {
	w.t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(w.t.Context(), &mcp.CommandTransport{Command: w.command("mcp")}, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = session.Close() })
	return session
}

func call(ctx context.Context, s *mcp.ClientSession, tool string, arguments any) (text string, structured any, isError bool, err error) {
	result, err := s.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return "", nil, false, err
	}
	for _, c := range result.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			text += t.Text
		}
	}
	return text, result.StructuredContent, result.IsError, nil
}

type object map[string]any

func TestServerOffersTheConfiguredTools(t *testing.T) {
	w := newWorld(t)
	s := w.connect()
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	schemas := map[string]any{}
	for _, tool := range list.Tools {
		schemas[tool.Name] = tool.InputSchema
		if tool.OutputSchema == nil || tool.Description == "" {
			t.Errorf("%s: %+v", tool.Name, tool)
		}
	}
	for _, name := range []string{"ledger_query", "ledger_records"} {
		if schemas[name] == nil {
			t.Errorf("no tool %s", name)
		}
		delete(schemas, name)
	}
	for _, tool := range w.configs.Tools() {
		var want any
		if err := json.Unmarshal(tool.InputSchema, &want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(schemas[tool.Name], want) {
			t.Errorf("%s has another schema: %v", tool.Name, schemas[tool.Name])
		}
		delete(schemas, tool.Name)
	}
	if len(schemas) > 0 {
		t.Errorf("more tools: %v", schemas)
	}
	if got := s.InitializeResult().Instructions; got != w.configs.Prompt() {
		t.Errorf("instructions %q", got)
	}
}

func TestServerAnswers(t *testing.T) {
	w := newWorld(t)
	s := w.connect()
	_, got, isError, err := call(t.Context(), s, "ledger_query", object{"ledger": "audit", "sql": "SELECT ? + count(*) AS n FROM records", "args": []any{4}})
	if err != nil || isError || fmt.Sprint(got) != "map[columns:[n] rows:[[7]] truncated:false]" {
		t.Errorf("%v %v %v", got, isError, err)
	}
	_, got, isError, err = call(t.Context(), s, "ledger_query", object{"ledger": "seen", "sql": "SELECT json_extract(value, '$') FROM state ORDER BY value LIMIT 1"})
	if rows := got.(map[string]any)["rows"]; err != nil || isError || !reflect.DeepEqual(rows, []any{[]any{hostile}}) {
		t.Errorf("%v %v %v", got, isError, err)
	}
	query := object{"filters": []object{{"path": "status", "op": "eq", "value": "ok"}}, "limit": 1}
	var runs []any
	for {
		_, got, isError, err = call(t.Context(), s, "ledger_records", object{"ledger": "audit", "query": query})
		if err != nil || isError {
			t.Fatal(got, isError, err)
		}
		page := got.(map[string]any)
		for _, r := range page["records"].([]any) {
			runs = append(runs, r.(map[string]any)["payload"].(map[string]any)["run"])
		}
		if page["hasMore"] != true {
			break
		}
		query["cursor"] = page["nextCursor"]
	}
	slices.SortFunc(runs, func(a, b any) int { return int(a.(float64) - b.(float64)) })
	if fmt.Sprint(runs) != "[1 3]" {
		t.Errorf("%v", runs)
	}
	text, _, isError, err := call(t.Context(), s, "ledger_append", object{"ledger": "seen", "operation": "add", "value": object{"b": 1, "a": []int{2}}})
	if err != nil || isError || text != `{"result":"queued"}` {
		t.Errorf("%v %v %v", text, isError, err)
	}

	for name, bad := range map[string]struct {
		tool      string
		arguments any
	}{
		"a statement that writes": {"ledger_query", object{"ledger": "audit", "sql": "DELETE FROM records"}},
		"no SQL":                  {"ledger_query", object{"ledger": "audit", "sql": hostile}},
		"an unknown ledger":       {"ledger_query", object{"ledger": "../x", "sql": "SELECT 1"}},
		"no ledger of several":    {"ledger_query", object{"sql": "SELECT 1"}},
		"arguments of other form": {"ledger_query", object{"ledger": 7}},
		"a nested argument":       {"ledger_query", object{"ledger": "audit", "sql": "SELECT ?", "args": []any{[]any{1}}}},
		"a page too large":        {"ledger_records", object{"ledger": "audit", "query": object{"limit": 501}}},
		"no query":                {"ledger_records", object{"ledger": "audit"}},
		"an invalid request":      {"ledger_append", object{"ledger": "seen", "operation": "add"}},
		"a type":                  {"ledger_append", object{"type": "noop", "ledger": "audit", "record": object{}}},
		"a huge request":          {"ledger_append", object{"ledger": "audit", "record": object{"x": strings.Repeat("x", txn.MaxLineBytes)}}},
		"a note without citation": {"ledger_note_add", object{"subject": "s", "note": "n", "reason": "r", "citations": []any{}}},
	} {
		text, _, isError, err := call(t.Context(), s, bad.tool, bad.arguments)
		if err != nil || !isError || text == "" || strings.Contains(text, w.databases) || strings.ContainsAny(text, "\x1b\n") {
			t.Errorf("%s: %q %v %v", name, text, isError, err)
		}
	}
	if _, _, _, err := call(t.Context(), s, "ledger_map_put", object{}); err == nil {
		t.Error("a tool that is not configured was called")
	}
	lines, err := os.ReadFile(w.requests)
	if err != nil || string(lines) != `{"type":"ledger_append","ledger":"seen","operation":"add","value":{"a":[2],"b":1}}`+"\n" {
		t.Errorf("%s %v", lines, err)
	}
}

// A client that gives up stops its query, and the server goes on.
func TestServerCancels(t *testing.T) {
	w := newWorld(t)
	s := w.connect()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, _, _, err := call(ctx, s, "ledger_query", object{"ledger": "audit",
			"sql": "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"})
		ended <- err
	}()
	if _, _, isError, err := call(t.Context(), s, "ledger_query", object{"ledger": "audit", "sql": "SELECT 1"}); err != nil || isError {
		t.Fatal("another query waits for the endless one:", err)
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("the endless query ended by itself")
	}
	if _, _, isError, err := call(t.Context(), s, "ledger_query", object{"ledger": "audit", "sql": "SELECT 1"}); err != nil || isError {
		t.Error(err)
	}
}

func TestServerBoundsRequests(t *testing.T) {
	w := newWorld(t)
	s := w.connect()
	var wg sync.WaitGroup
	var mu sync.Mutex
	refused := 0
	for i := range ledger.MaxRequests + 5 {
		wg.Go(func() {
			_, _, isError, err := call(t.Context(), s, "ledger_append", object{"ledger": "seen", "operation": "add", "value": i})
			if err != nil {
				t.Error(err)
			}
			if isError {
				mu.Lock()
				refused++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	f, err := os.Open(w.requests)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tx, err := txn.Normalize(w.configs, "1:1", f)
	if err != nil || tx.Len() != ledger.MaxRequests || refused != 5 {
		t.Errorf("%v, %d refused", err, refused)
	}
}

// What is no MCP ends the server, or is passed over, and never crashes it.
func TestServerNonsense(t *testing.T) {
	w := newWorld(t)
	for _, input := range []string{"", "nonsense\n", "{}\n", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}` + "\n", strings.Repeat("[", 100_000) + "\n", "\x00\xff\n"} {
		cmd := w.command("mcp")
		cmd.Stdin = strings.NewReader(input)
		out, _ := cmd.CombinedOutput()
		if strings.Contains(string(out), "panic") || strings.Contains(string(out), "goroutine") {
			t.Errorf("%.20q: %s", input, out)
		}
	}
}

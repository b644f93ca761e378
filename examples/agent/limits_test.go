package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/txn"
)

// endless is a query that ends only when it is stopped.
const endless = `{"ledger":"free","sql":"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"}`

func TestResultLimits(t *testing.T) {
	s := newStage(t)
	c := s.connect("-rows", "3", "-bytes", "100", "-time", "300ms")
	for sql, want := range map[string]string{
		"SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3":                    "3 false",
		"SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4": "3 true",
		// 100 bytes, the name of the column among them or not
		"SELECT '" + strings.Repeat("x", 99) + "' AS a":  "1 false",
		"SELECT '" + strings.Repeat("x", 101) + "' AS a": "0 true",
	} {
		arguments, err := json.Marshal(map[string]string{"ledger": "free", "sql": sql})
		s.must(err)
		result, code := c.call(t.Context(), toolQuery, string(arguments))
		if rows, _ := result["rows"].([]any); code != "" || fmt.Sprint(len(rows), result["truncated"]) != want {
			t.Errorf("%.60s: %s %v, want %s", sql, code, result, want)
		}
	}
	if _, code := c.call(t.Context(), toolQuery, endless); code != "timeout" {
		t.Error(code)
	}
}

// As many requests as a run may have, compactions included, and not one more: not
// in this session, and not in the next one.
func TestRequestLimit(t *testing.T) {
	s := newStage(t)
	others := strings.Repeat(`{"type":"create_issue","title":"x"}`+"\n", 150) + `{"type":"noop"}` // of other tools, and not ended
	s.must(os.WriteFile(s.requests(), []byte(others), 0o600))
	c := s.connect()
	if _, code := c.call(t.Context(), ledger.ToolRequestCompaction, `{"ledger":"free","reason":"r"}`); code != "" {
		t.Fatal(code)
	}
	for i := range ledger.MaxRequests - 1 {
		if _, code := c.call(t.Context(), ledger.ToolAppend, fmt.Sprintf(`{"ledger":"free","record":{"i":%d}}`, i)); code != "" {
			t.Fatal(i, code)
		}
	}
	if _, code := c.call(t.Context(), ledger.ToolAppend, `{"ledger":"free","record":{}}`); code != string(txn.ReasonCount) {
		t.Error(code)
	}
	s.must(c.Close())
	if _, code := s.connect().call(t.Context(), ledger.ToolRequestCompaction, `{"ledger":"free","reason":"r"}`); code != string(txn.ReasonCount) {
		t.Error(code)
	}
	if n := len(s.lines()); n != 151+ledger.MaxRequests {
		t.Errorf("%d lines", n)
	}
}

// A batch may be as large as its ledger allows, to the byte.
func TestBatchLimit(t *testing.T) {
	s := newStage(t)
	cfg, _ := s.configs.Lookup("seen")
	tx, err := txn.Normalize(s.configs, "queue", strings.NewReader(`{"ledger":"seen","operation":"add","value":""}`))
	s.must(err)
	artifact, err := json.Marshal(tx)
	s.must(err)
	var parsed struct {
		Ledgers map[string]struct {
			Appends []struct{ Record json.RawMessage }
		}
	}
	s.must(json.Unmarshal(artifact, &parsed))
	empty := len(parsed.Ledgers["seen"].Appends[0].Record) // a record without a value
	half := int(cfg.Limits.PatchBytes) / 2
	c := s.connect()
	add := func(record int) (code string) {
		_, code = c.call(t.Context(), ledger.ToolAppend, fmt.Sprintf(`{"ledger":"seen","operation":"add","value":%q}`, strings.Repeat("x", record-empty)))
		return code
	}
	if code := add(half); code != "" {
		t.Fatal(code)
	}
	if code := add(half + 1); code != string(txn.ReasonBatchSize) {
		t.Error(code)
	}
	if code := add(half); code != "" {
		t.Error(code)
	}
	s.persist("run:1", strings.Join(s.lines(), "\n"))
}

// Canceled calls stop their queries: the connections that these held are free for
// others, long before their time is over.
func TestCancellation(t *testing.T) {
	s := newStage(t)
	c := s.connect("-time", "1h")
	ctx, cancel := context.WithCancel(t.Context())
	var calls sync.WaitGroup
	for range maxCalls {
		calls.Go(func() { c.CallTool(ctx, &mcp.CallToolParams{Name: toolQuery, Arguments: json.RawMessage(endless)}) })
	}
	code := ""
	for code != "busy" { // until all of them are at work
		_, code = c.call(t.Context(), toolQuery, `{"ledger":"free"}`)
	}
	cancel()
	calls.Wait()
	for range 8 { // as many as there are connections
		code = "busy"
		for code == "busy" { // until the first ones have been given up
			_, code = c.call(t.Context(), toolQuery, `{"ledger":"free","sql":"SELECT 1"}`)
		}
		if code != "" {
			t.Fatal(code)
		}
	}
}

// A client that goes away stops what it asked for, and the process ends by itself.
func TestClientGone(t *testing.T) {
	s := newStage(t)
	cmd := s.command("mcp", "-time", "1h")
	in, err := cmd.StdinPipe()
	s.must(err)
	out, err := cmd.StdoutPipe()
	s.must(err)
	s.must(cmd.Start())
	io.WriteString(in, initialize)
	for i := range maxCalls + 1 {
		fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", 2+i, toolQuery, endless)
	}
	answers := bufio.NewScanner(out)
	busy := false // so all the others are at work
	for !busy && answers.Scan() {
		busy = strings.Contains(answers.Text(), "busy")
	}
	s.must(in.Close())
	for answers.Scan() {
	}
	if err := cmd.Wait(); err != nil || !busy {
		t.Error(err, busy)
	}
}

func TestConcurrentCalls(t *testing.T) {
	s := newStage(t)
	c := s.connect()
	retry := func(tool, arguments string) (result map[string]any, code string) {
		for code = "busy"; code == "busy"; {
			result, code = c.call(t.Context(), tool, arguments)
		}
		return result, code
	}
	var calls sync.WaitGroup
	for i := range 60 {
		calls.Go(func() {
			if _, code := retry(ledger.ToolAppend, fmt.Sprintf(`{"ledger":"free","record":{"i":%d}}`, i)); code != "" {
				t.Error(i, code)
			}
		})
		calls.Go(func() {
			result, code := retry(toolQuery, fmt.Sprintf(`{"ledger":"free","sql":"SELECT ?","args":[%d]}`, i))
			if code != "" || fmt.Sprint(result["rows"]) != fmt.Sprintf("[[%d]]", i) {
				t.Error(i, code, result)
			}
		})
	}
	calls.Wait()
	s.persist("run:1", strings.Join(s.lines(), "\n"))
	if n := len(s.history("free")); n != 61 {
		t.Errorf("%d records", n)
	}
}

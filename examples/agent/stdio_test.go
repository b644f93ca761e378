package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
)

// initialize opens a session by hand.
const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// What is no message is answered, and the session goes on.
func TestBadMessages(t *testing.T) {
	s := newStage(t)
	cmd := s.command("mcp")
	in, err := cmd.StdinPipe()
	s.must(err)
	out, err := cmd.StdoutPipe()
	s.must(err)
	s.must(cmd.Start())
	answers := bufio.NewReader(out)
	ask := func(line string) (id any, code float64, result json.RawMessage) {
		t.Helper()
		_, err := io.WriteString(in, line+"\n")
		s.must(err)
		text, err := answers.ReadString('\n')
		s.must(err)
		var answer struct {
			ID     any
			Error  struct{ Code float64 }
			Result json.RawMessage
		}
		s.must(json.Unmarshal([]byte(text), &answer))
		if strings.Contains(text, "canary") {
			t.Errorf("%.80s: %s", line, text)
		}
		return answer.ID, answer.Error.Code, answer.Result
	}
	bad := func(when string) {
		for line, want := range map[string]string{
			"canary":                      "<nil> -32700",
			`{"jsonrpc":"2.0",`:           "<nil> -32700",
			"\xff\xfe":                    "<nil> -32700",
			"{\"a\":\"\xff\"}":            "<nil> -32700",
			`{"jsonrpc":"2.0","id":1} {}`: "<nil> -32700",
			`[]`:                          "<nil> -32600",
			`[{"jsonrpc":"2.0","id":3,"method":"ping"}]`: "<nil> -32600",
			`7`:    "<nil> -32600",
			`null`: "<nil> -32600",
			`{"jsonrpc":"1.0","id":4,"method":"ping"}`:                                 "4 -32600",
			`{"jsonrpc":"2.0","id":"a","method":7}`:                                    "a -32600",
			`{"jsonrpc":"2.0","id":{"canary":1},"method":"ping"}`:                      "<nil> -32600",
			strings.Repeat("[", 1000):                                                  "<nil> -32600",
			strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000):      "<nil> -32600",
			`{"jsonrpc":"2.0","id":5,"method":"canary` + space(maxMessageBytes) + `"}`: "<nil> -32600",
		} {
			if id, code, _ := ask(line); fmt.Sprintf("%v %v", id, code) != want {
				t.Errorf("%s: %.60q: %v %v, want %s", when, line, id, code, want)
			}
		}
	}
	bad("before initialization")
	if _, code, result := ask(strings.TrimSuffix(initialize, "\n")); code != 0 || len(result) == 0 {
		t.Fatal(code)
	}
	bad("in the session")
	for line, want := range map[string]string{
		`{"jsonrpc":"2.0","id":10,"method":"tools/other"}`:                                           "10 -32601",
		`{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"no_such","arguments":{}}}`: "11 -32602",
		`{"jsonrpc":"2.0","id":12,"method":"tools/call","params":7}`:                                 "12 -32602",
	} {
		if id, code, _ := ask(line); fmt.Sprintf("%v %v", id, code) != want {
			t.Errorf("%s: %v %v, want %s", line, id, code, want)
		}
	}
	// A message of the greatest length, and arguments of any kind.
	for i, arguments := range []string{`{}`, `[]`, `7`, `null`, `"canary"`, `{"sql":null}`, `{"sql":"` + space(maxMessageBytes-1000) + `"}`} {
		line := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, 20+i, toolQuery, arguments)
		if id, code, result := ask(line); fmt.Sprint(id) != fmt.Sprint(20+i) || code != 0 || !strings.Contains(string(result), `"isError":true`) {
			t.Errorf("%.80s: %v %v %s", line, id, code, result)
		}
	}
	line := fmt.Sprintf(`{"jsonrpc":"2.0","id":40,"method":"tools/call","params":{"name":%q,"arguments":{"ledger":"free","sql":"SELECT 1"}}}`, toolQuery)
	if _, code, result := ask(line + space(maxMessageBytes-len(line)-1)); code != 0 || !strings.Contains(string(result), `"rows":[[1]]`) {
		t.Errorf("%v %s", code, result)
	}
	s.must(in.Close())
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"id":"\u0000","a":[`, `[1]`, `{"jsonrpc":"2.0","id":1e99,"result":{}}`, `{"id":"a`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		message, refused := decode(text)
		if (message == nil) == (refused == nil) {
			t.Fatalf("%v and %s", message, refused)
		}
		if refused != nil && !json.Valid(refused) {
			t.Fatalf("the answer is %s", refused)
		}
	})
}

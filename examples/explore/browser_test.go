package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// browser is a real headless Chromium, spoken to over the pipe of its DevTools
// protocol: JSON messages that end with a zero byte.
type browser struct {
	t       *testing.T
	out     io.Writer
	in      *bufio.Reader
	session string
	last    int
	events  []message
}

type message struct {
	ID        int             `json:"id,omitempty"`
	SessionID string          `json:"sessionId,omitempty"`
	Method    string          `json:"method,omitempty"`
	Params    any             `json:"params,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Error     any             `json:"error,omitempty"`
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("NOT CHECKED IN A BROWSER: there is no chromium; make setup installs it with \"test\"")
	}
	toRead, toWrite, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromRead, fromWrite, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	cmd := exec.CommandContext(t.Context(), program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--user-data-dir="+filepath.Join(home, "profile"), "--remote-debugging-pipe", "about:blank")
	cmd.Env = append(os.Environ(), "HOME="+home)
	cmd.ExtraFiles = []*os.File{toRead, fromWrite}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = toRead.Close()
	_ = fromWrite.Close()
	b := &browser{t: t, out: toWrite, in: bufio.NewReader(fromRead)}
	t.Cleanup(func() {
		_ = b.send("", "Browser.close", nil)
		_ = toWrite.Close()
		_, _ = io.Copy(io.Discard, b.in) // until it has ended
		_ = cmd.Wait()
		_ = fromRead.Close()
	})
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

func (b *browser) send(session, method string, params any) error {
	b.last++
	text, err := json.Marshal(message{ID: b.last, SessionID: session, Method: method, Params: params})
	if err != nil {
		return err
	}
	_, err = b.out.Write(append(text, 0))
	return err
}

func (b *browser) receive() message {
	b.t.Helper()
	text, err := b.in.ReadBytes(0)
	if err != nil {
		b.t.Fatal("the browser went away: ", err)
	}
	var m message
	if err := json.Unmarshal(text[:len(text)-1], &m); err != nil {
		b.t.Fatal(err)
	}
	return m
}

// call calls a method and waits for its answer.
func (b *browser) call(method string, params, result any) {
	b.t.Helper()
	if err := b.send(b.session, method, params); err != nil {
		b.t.Fatal(err)
	}
	for {
		m := b.receive()
		if m.ID == 0 {
			b.events = append(b.events, m)
			continue
		}
		if m.Error != nil {
			b.t.Fatalf("%s: %v", method, m.Error)
		}
		if result != nil {
			if err := json.Unmarshal(m.Result, result); err != nil {
				b.t.Fatal(err)
			}
		}
		return
	}
}

// open loads a page and waits until it is loaded.
func (b *browser) open(path string) {
	b.t.Helper()
	b.events = nil
	b.call("Page.navigate", map[string]any{"url": "file://" + path}, nil)
	for _, m := range b.events {
		if m.Method == "Page.loadEventFired" {
			return
		}
	}
	for {
		m := b.receive()
		b.events = append(b.events, m)
		if m.Method == "Page.loadEventFired" {
			return
		}
	}
}

// eval returns the value of an expression in the page.
func (b *browser) eval(expression string) any {
	b.t.Helper()
	var result struct {
		Result           struct{ Value any }
		ExceptionDetails any
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true}, &result)
	if result.ExceptionDetails != nil {
		b.t.Fatalf("%s: %v", expression, result.ExceptionDetails)
	}
	return result.Result.Value
}

// complaints are what the page said that it should not: errors, violations of its
// policy, and requests for anything but itself.
func (b *browser) complaints(page string) error {
	var all []error
	for _, m := range b.events {
		text, _ := json.Marshal(m.Params)
		params, _ := m.Params.(map[string]any)
		switch m.Method {
		case "Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded", "Page.javascriptDialogOpening":
			all = append(all, fmt.Errorf("%s: %s", m.Method, text))
		case "Network.requestWillBeSent":
			if request, _ := params["request"].(map[string]any); request["url"] != "file://"+page {
				all = append(all, fmt.Errorf("a request: %v", request["url"]))
			}
		}
	}
	return errors.Join(all...)
}

//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// patience bounds how long a browser may be at work: it is killed then, which
// fails the test that waits for it.
const patience = 2 * time.Minute

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
	// Not the test's own context: that one ends before the cleanup, which lets the
	// browser end by itself so that nothing writes to its profile any more.
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	cmd := exec.CommandContext(ctx, program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--user-data-dir="+filepath.Join(home, "profile"), "--remote-debugging-pipe", "about:blank")
	cmd.Env = append(os.Environ(), "HOME="+home)
	cmd.ExtraFiles = []*os.File{toRead, fromWrite}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // and what it started
	if err := cmd.Start(); err != nil {
		cancel()
		t.Fatal(err)
	}
	_ = toRead.Close()
	_ = fromWrite.Close()
	b := &browser{t: t, out: toWrite, in: bufio.NewReader(fromRead)}
	t.Cleanup(func() {
		_ = b.send("", "Browser.close", nil)
		_, _ = io.Copy(io.Discard, b.in) // until it has ended, or was killed
		if err := cmd.Wait(); err != nil {
			t.Error("the browser: ", err)
		}
		cancel()
		_ = toWrite.Close()
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
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &result)
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

// shot takes a picture of the page, for a person who works on it.
func (b *browser) shot(path string, width, height int) {
	b.t.Helper()
	b.size(width, height)
	var picture struct{ Data []byte }
	b.call("Page.captureScreenshot", map[string]any{"format": "png"}, &picture)
	if err := os.WriteFile(path, picture.Data, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func (b *browser) size(width, height int) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}, nil)
}

func (b *browser) scheme(name string) {
	b.t.Helper()
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": name}}}, nil)
}

// press presses a key, which types text when there is one.
func (b *browser) press(key, text string) {
	b.t.Helper()
	params := map[string]any{"type": "keyDown", "key": key}
	if text != "" {
		params["text"] = text
	}
	if key == "Tab" {
		params["windowsVirtualKeyCode"] = 9
	}
	b.call("Input.dispatchKeyEvent", params, nil)
	b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key}, nil)
}

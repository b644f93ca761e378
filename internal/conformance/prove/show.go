package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/gitledger/gitledger/internal/conformance"
)

const module = "github.com/gitledger/gitledger"

// An event is one line of what go test -json writes.
type event struct{ Action, Package, Test, Output string }

// show turns events back into what go test shows without -json: a line for
// each package, and the output of tests that failed or never ended.
type show struct {
	out     io.Writer
	outcome map[conformance.Test]string
	pending map[string]map[string]*tail // what unfinished tests wrote, by package and test
}

func newShow(out io.Writer) *show {
	return &show{out, map[conformance.Test]string{}, map[string]map[string]*tail{}}
}

func (s *show) all(events io.Reader) error {
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			s.line(line)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (s *show) line(line []byte) {
	var e event
	if json.Unmarshal(line, &e) != nil {
		_, _ = s.out.Write(line) // not an event: something that went wrong
		return
	}
	switch {
	case e.Action == "build-output" || e.Action == "output" && e.Test == "":
		if e.Output != "PASS\n" {
			fmt.Fprint(s.out, e.Output)
		}
	case e.Action == "output":
		tests := s.pending[e.Package]
		if tests == nil {
			tests = map[string]*tail{}
			s.pending[e.Package] = tests
		}
		if tests[e.Test] == nil {
			tests[e.Test] = &tail{}
		}
		tests[e.Test].add(e.Output)
	case e.Test == "" && e.Action == "fail":
		tests := s.pending[e.Package]
		for _, name := range slices.Sorted(maps.Keys(tests)) {
			tests[name].print(s.out)
		}
		delete(s.pending, e.Package)
	case e.Action == "pass" || e.Action == "fail" || e.Action == "skip":
		if e.Test == "" {
			delete(s.pending, e.Package)
			return
		}
		name := strings.TrimPrefix(strings.TrimPrefix(e.Package, module), "/")
		s.outcome[conformance.Test{Package: name, Name: e.Test}] = e.Action
		if t := s.pending[e.Package][e.Test]; t != nil && e.Action != "pass" {
			t.print(s.out)
		}
		delete(s.pending[e.Package], e.Test)
	}
}

// result is the outcome of a test. One of which a subtest was skipped did not
// show all that it should.
func (s *show) result(test conformance.Test) string {
	for other, outcome := range s.outcome {
		if outcome == "skip" && other.Package == test.Package && strings.HasPrefix(other.Name, test.Name+"/") {
			return "skip of " + other.Name
		}
	}
	if outcome := s.outcome[test]; outcome != "" {
		return outcome
	}
	return "did not run"
}

// A tail holds the last of what a test wrote, so that a test that writes without
// end takes no more than that.
type tail struct {
	lines   []string
	size    int
	dropped int
}

const maxTail = 1 << 20

func (t *tail) add(line string) {
	t.lines = append(t.lines, line)
	for t.size += len(line); t.size > maxTail && len(t.lines) > 1; t.dropped++ {
		t.size -= len(t.lines[0])
		t.lines = t.lines[1:]
	}
}

func (t *tail) print(out io.Writer) {
	if t.dropped > 0 {
		fmt.Fprintf(out, "… %d lines before\n", t.dropped)
	}
	for _, line := range t.lines {
		if !strings.HasPrefix(line, "=== ") {
			fmt.Fprint(out, line)
		}
	}
}

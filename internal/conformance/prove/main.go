// Command prove runs "go test" with its arguments, shows what that shows, and
// fails also when a test that docs/CONFORMANCE.md names did not run and pass, or
// skipped a part of itself.
// Make test is this; it takes all packages of the library's module.
//
//	go run ./internal/conformance/prove -timeout 20m ./...
package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/gitledger/gitledger/internal/conformance"
)

func main() {
	os.Exit(run(os.Args[1:], "docs/CONFORMANCE.md", os.Stdout, os.Stderr))
}

func run(arguments []string, matrix string, out, errors io.Writer) int {
	lines, err := read(matrix)
	if err != nil {
		fmt.Fprintln(errors, "prove:", err)
		return 2
	}
	cmd := exec.Command("go", append([]string{"test", "-json"}, arguments...)...)
	cmd.Stderr = errors
	events, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(errors, "prove:", err)
		return 2
	}
	show := newShow(out)
	err = show.all(events)
	if failed := cmd.Wait(); failed != nil {
		if cmd.ProcessState.ExitCode() < 0 { // it had no chance to say so itself
			fmt.Fprintln(errors, "prove: go test:", failed)
		}
		return 1
	}
	if err != nil {
		fmt.Fprintln(errors, "prove:", err)
		return 2
	}
	missing := 0
	for _, line := range lines {
		for _, test := range line.Tests {
			if got := show.result(test); got != "pass" {
				fmt.Fprintf(out, "%s: %s: %s\n", line.Rule, test, got)
				missing++
			}
		}
	}
	if missing > 0 {
		fmt.Fprintf(out, "FAIL: %s names tests that did not run and pass\n", matrix)
		return 1
	}
	return 0
}

func read(matrix string) ([]conformance.Line, error) {
	f, err := os.Open(matrix)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return conformance.ReadMatrix(f)
}

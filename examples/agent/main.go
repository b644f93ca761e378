// Command agent is what an agent holds of its ledgers: read-only databases, and a
// file to which its requests are appended. -h tells how to use it.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/gitledger/gitledger/internal/actions"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	w := world{
		System:   actions.System{Getenv: getenv, Stdout: os.Stdout, Stderr: os.Stderr, Terminal: isTerminal(os.Stderr)},
		stdin:    os.Stdin,
		terminal: isTerminal(os.Stdout),
	}
	code := w.execute(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// getenv hides the files of the workflow step: the agent writes its requests and
// nothing else.
func getenv(name string) string {
	if name == "GITHUB_OUTPUT" || name == "GITHUB_STEP_SUMMARY" {
		return ""
	}
	return os.Getenv(name)
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

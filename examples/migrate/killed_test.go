//go:build cgo

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/internal/actions"
)

const envSite = "GITLEDGER_MIGRATE_SITE" // of the process that is killed

// A process that is killed between two batches leaves whole ones, and the next run
// writes the rest.
func TestKilled(t *testing.T) {
	if dir := os.Getenv(envSite); dir != "" {
		migrateUntilKilled(dir)
	}
	s := newSite(t)
	var lines []string
	for i := range 120 {
		lines = append(lines, fmt.Sprintf(`{"n":%d,"text":%q}`, i, strings.Repeat("x", i%50)))
	}
	dir := filepath.Dir(s.path)
	if err := os.WriteFile(filepath.Join(dir, "memory.jsonl"), []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilled$")
	cmd.Env = append(os.Environ(), envSite+"="+dir)
	if _, err := cmd.StdinPipe(); err != nil { // left open
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || said != "between batches\n" {
		t.Errorf("%q %v", said, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait()
	if got := s.rows("log", "SELECT count(*) FROM state"); got == "[[0]]" || got == "[[120]]" {
		t.Fatalf("it was not interrupted: %s", got)
	}
	code, result, said := s.migrate(t.Context(), options{ledger: "log"}, lines...)
	if code != 0 || result.New+result.Present != 120 || result.New == 0 || result.Present == 0 {
		t.Errorf("exit code %d, %s", code, said)
	}
	if got := s.rows("log", "SELECT count(*), sum(json_extract(value, '$.n') = position) FROM state"); got != "[[120 120]]" {
		t.Error(got)
	}
}

// migrateUntilKilled runs the program, and stops it for good between two batches.
func migrateUntilKilled(dir string) {
	o := options{repo: filepath.Join(dir, "memory.git"), config: filepath.Join(dir, "workflow.md"), ledger: "log", field: "key"}
	p := actions.Program{Name: "migrate", Run: func(ctx context.Context, c *actions.Call) error { return migrate(ctx, c, o) }}
	p.Execute(context.Background(), []string{filepath.Join(dir, "memory.jsonl")}, actions.System{
		Getenv: func(string) string { return "" }, Stdout: os.Stderr, Terminal: true,
		Stderr: &progress{after: 3, stop: func() {
			fmt.Println("between batches")
			_, _ = io.Copy(io.Discard, os.Stdin) // which ends with the parent, if not before
			os.Exit(1)
		}},
	})
	os.Exit(1) // it was to be killed
}

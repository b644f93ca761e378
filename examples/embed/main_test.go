package main

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gitledger/gitledger/internal/gittest"
)

func TestEmbed(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "embed")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	repository := filepath.Join(dir, "memory.git")
	if err := gittest.InitBare(repository); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second run finds its record
		cmd := exec.CommandContext(t.Context(), program, repository)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != "[[\"octo/web#7\"]]\n" {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLifecycle runs the main job against a real Git server and against a bare
// repository, and looks at what it left with git itself.
func TestLifecycle(t *testing.T) {
	for _, local := range []bool{false, true} {
		if local && testing.Short() {
			continue
		}
		t.Run(map[bool]string{false: "server", true: "local"}[local], func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			dir := t.TempDir()
			if err := run(t.Context(), options{dir: dir, local: local}, &screen{out: &out, live: true}); err != nil {
				t.Fatalf("%v\n%s", err, &out)
			}
			for _, want := range []string{
				"6 requests refused", "459 requests became 459 durable records", "10 records already present, 0 written",
				"applied again: map[already_applied:7]", "no record was lost",
			} {
				if !strings.Contains(out.String(), want) {
					t.Errorf("the output lacks %q", want)
				}
			}
			git := exec.Command("git", "-C", filepath.Join(dir, "repository.git"), "ls-tree", "-r", "--name-only", "ledgers/findings")
			files, err := git.Output()
			if err != nil {
				t.Fatal(err)
			}
			if names := strings.Fields(string(files)); len(names) != 2 || names[0] != "ledger/compaction/state.json" {
				t.Errorf("the branch holds %q, want the state and one shard", names)
			}
		})
	}
}

func TestKeepsToAnEmptyDirectory(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), options{dir: dir}, &screen{out: &bytes.Buffer{}}); err == nil {
		t.Fatal("a directory with files was used")
	}
}

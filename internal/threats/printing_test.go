//go:build cgo

package threats_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/shard"
)

// commands are what a runner or a terminal would obey, each with the canary.
var commands = []string{
	"::set-output name=x::" + canary, "\n::add-mask::" + canary, "\r\n  ::stop-commands::" + canary, "##[add-mask]" + canary,
	"x ##[set-env name=PATH;]" + canary, "\x1b[2J\x1b]0;" + canary + "\x07", "\u009b2J" + canary, "\u202e" + canary, "\u2028::error::" + canary,
}

// obeyed returns the lines of a program's output that somebody would obey.
func obeyed(out string) (lines []string) {
	for line := range strings.FieldsFuncSeq(out, func(r rune) bool { return r == '\n' || r == '\r' }) {
		start := strings.TrimSpace(line)
		bad := strings.HasPrefix(start, "::") || strings.Contains(line, "##[")
		for _, r := range line {
			bad = bad || r != '\t' && !unicode.IsPrint(r)
		}
		if bad {
			lines = append(lines, line)
		}
	}
	return lines
}

// Names and payloads that are commands come to the programs that look at
// branches and workflow files, which say what is wrong with them.
func TestThreatPrintedCommands(t *testing.T) {
	programs := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", programs, "../../examples/verify", "../../examples/jobs")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	said := func(name string, args ...string) (out string, code int) {
		cmd := exec.CommandContext(t.Context(), filepath.Join(programs, name), args...)
		text, _ := cmd.CombinedOutput()
		return string(text), cmd.ProcessState.ExitCode()
	}
	if got := obeyed(strings.Join(commands, "\n")); len(got) < len(commands) {
		t.Fatalf("this test could not fail: %q", got)
	}

	w := newWorld(t)
	l := gittest.Loose{Path: w.path}
	files := map[string]gittest.LooseFile{shard.StatePath: {Data: []byte(strings.Join(commands, "\n"))}}
	for _, name := range commands {
		files[shard.Folder+"/"+strings.ReplaceAll(name, "/", "")+".jsonl"] = gittest.LooseFile{Data: []byte(name)}
	}
	files[shard.Folder+"/41bf13ca-279d-4e6b-ae10-4d463d777db7.jsonl"] = gittest.LooseFile{
		Data: append(lines(t, "printed", `{"operation":"add","value":"`+canary+`"}`), strings.Join(commands, "\n")...),
	}
	root, err := l.Files(files)
	if err != nil {
		t.Fatal(err)
	}
	commit, err := l.Commit(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Branch("ledgers/seen", commit); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{w.url, "seen"}, {"-json", w.url, "seen"}} {
		out, code := said("verify", args...)
		if code != 1 || !strings.Contains(out, "shard-name") {
			t.Errorf("verify found nothing: %d, %s", code, out)
		}
		for _, line := range obeyed(out) {
			t.Errorf("verify: %q", line)
		}
	}

	file := filepath.Join(t.TempDir(), "workflow.md")
	var escaped []string
	for _, name := range commands {
		escaped = append(escaped, strings.NewReplacer("\n", `\n`, "\r", `\r`, "\x1b", `\x1b`, "\x07", `\a`, "\u009b", `\x9b`, "\u2028", `\u2028`).Replace(name))
	}
	for _, form := range []string{`"%s": {type: set}`, `a%d: {"%s": 1}`, `a%d: {type: "%s"}`, `a%d: {type: set, schema: "%s"}`} {
		var declared []string
		for i, name := range escaped {
			declared = append(declared, strings.NewReplacer("%d", string(rune('a'+i)), "%s", name).Replace(form))
		}
		text := "---\non: push\ntools:\n  ledger: {" + strings.Join(declared, ", ") + "}\n---\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, code := said("jobs", file)
		if code == 0 || strings.Count(out, "\n\t") < len(commands) {
			t.Errorf("jobs: %d, %s", code, out)
		}
		for _, line := range obeyed(out) {
			t.Errorf("jobs: %q", line)
		}
	}
}

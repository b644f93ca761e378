package gitledger_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// code is a block of Go in the README, with the comment that says which file it
// is from, and from which line on: its package clause, or a function's.
var code = regexp.MustCompile("(?s)<!-- code: (\\S+) from (\\S+) -->\n```go\n(.*?)```")

// TestReadmeCode keeps the README's Go code the same as the files that are
// compiled and tested.
func TestReadmeCode(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := code.FindAllSubmatch(readme, -1)
	if n := strings.Count(string(readme), "```go\n"); n == 0 || n != len(blocks) {
		t.Fatalf("%d blocks of Go, of which %d say where they are from", n, len(blocks))
	}
	for _, b := range blocks {
		file, start := string(b[1]), "package "
		if name := string(b[2]); name != "package" {
			start = "func " + name + "("
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, want, found := strings.Cut(string(source), "\n"+start)
		if want = start + want; !found || string(b[3]) != want {
			t.Errorf("the code from %s has drifted; it should be\n%s", file, want)
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)\s#]+)(#[^)\s]*)?\)`)

// TestLinks looks for files that documents link to and that are not there.
func TestLinks(t *testing.T) {
	docs, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range append(docs, "README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md") {
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllSubmatch(text, -1) {
			target := string(m[1])
			if strings.Contains(target, "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(doc), target)); err != nil {
				t.Errorf("%s links to %s, which is not there", doc, target)
			}
		}
	}
}

// Package conformance holds the project to the specification: its tests run the
// conformance vectors, and [ReadMatrix] reads the table that says which test
// shows which rule.
package conformance

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// A Line says what shows one rule. Rules that are numbered X are not of the
// specification.
type Line struct {
	Rule  string
	Tests []Test
	Docs  []string // files that state the rule, by their paths in the repository
}

// A Test is named by its package's path in the module, and its function. A
// subtest has its parent's name, a slash and its own.
type Test struct{ Package, Name string }

func (t Test) String() string { return t.Package + "." + t.Name }

var (
	row  = regexp.MustCompile(`^\| ((?:S[0-9.]+|R|X)-[0-9]+) \| [^|]+ \| ([^|]+) \|$`)
	head = regexp.MustCompile(`^\|(?: rule \| what holds \| shown by |---\|---\|---)\|$`)
	item = regexp.MustCompile("^`(?:doc:([^`]+)|([a-z0-9/]+)\\.([A-Za-z0-9_]+(?:/[^`]+)?))`$")
)

// ReadMatrix reads docs/CONFORMANCE.md.
func ReadMatrix(r io.Reader) ([]Line, error) {
	var lines []Line
	for s := bufio.NewScanner(r); ; {
		if !s.Scan() {
			return lines, s.Err()
		}
		m := row.FindStringSubmatch(s.Text())
		if m == nil {
			if strings.HasPrefix(strings.TrimSpace(s.Text()), "|") && !head.MatchString(s.Text()) {
				return nil, fmt.Errorf("conformance: no line of the matrix: %s", s.Text())
			}
			continue
		}
		line := Line{Rule: m[1]}
		for text := range strings.SplitSeq(m[2], ", ") {
			switch i := item.FindStringSubmatch(text); {
			case i == nil:
				return nil, fmt.Errorf("conformance: %s: neither a test nor a document: %s", line.Rule, text)
			case i[1] != "":
				line.Docs = append(line.Docs, i[1])
			default:
				line.Tests = append(line.Tests, Test{i[2], i[3]})
			}
		}
		lines = append(lines, line)
	}
}

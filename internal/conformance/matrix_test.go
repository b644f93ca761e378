package conformance_test

import (
	"bytes"
	"encoding/csv"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/internal/conformance"
)

const root = "../.."

// TestMatrix: each rule has one line, and each line names what is there. That
// the tests ran and passed is for the prove command to see, which make test is.
func TestMatrix(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "CONFORMANCE.md"))
	if err != nil {
		t.Fatal(err)
	}
	lines, err := conformance.ReadMatrix(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{}
	for _, rule := range rules(t) {
		want[rule] = 0
	}
	functions := map[string]map[string]bool{}
	for _, line := range lines {
		if n, ok := want[line.Rule]; !ok && !strings.HasPrefix(line.Rule, "X-") || n > 0 {
			t.Errorf("%s: no rule, or its second line", line.Rule)
		}
		want[line.Rule]++
		for _, test := range line.Tests {
			if functions[test.Package] == nil {
				functions[test.Package] = functionsOf(t, test.Package)
			}
			if name, _, _ := strings.Cut(test.Name, "/"); !functions[test.Package][name] {
				t.Errorf("%s: there is no test %s", line.Rule, test)
			}
		}
		if len(line.Tests) == 0 {
			t.Errorf("%s: no test shows it", line.Rule)
		}
		for _, doc := range line.Docs {
			if text, err := os.ReadFile(filepath.Join(root, doc)); err != nil || !mentions(text, line.Rule) {
				t.Errorf("%s: %s does not name it", line.Rule, doc)
			}
		}
	}
	for rule, n := range want {
		if n == 0 {
			t.Errorf("%s has no line", rule)
		}
	}
}

// TestMatrixIsStrict: a line that cannot be read is not passed over.
func TestMatrixIsStrict(t *testing.T) {
	for _, text := range []string{
		"| S2-01 | what | txn.TestLimits |",
		"| S2-01 | what |  |",
		"| S2-01 | `txn.TestLimits` |",
		"| S2-01 | what | `txn.TestLimits`; `txn.TestFaults` |",
		"|X-01 | what | `txn.TestLimits` |",
		" | X-01 | what | `txn.TestLimits` |",
		"| X01 | what | `txn.TestLimits` |",
	} {
		if lines, err := conformance.ReadMatrix(strings.NewReader(text)); err == nil {
			t.Errorf("%s: %+v", text, lines)
		}
	}
}

// rules returns the numbers of the specification's rules.
func rules(t *testing.T) (numbers []string) {
	f, err := os.Open(filepath.Join("testdata", "requirements.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.LazyQuotes = '\t', true
	all, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, fields := range all[1:] {
		numbers = append(numbers, fields[0])
	}
	if len(numbers) != 131 {
		t.Fatalf("%d rules", len(numbers))
	}
	return numbers
}

// functionsOf returns the names of a package's tests, examples and fuzz targets.
func functionsOf(t *testing.T, folder string) map[string]bool {
	files, err := filepath.Glob(filepath.Join(root, folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && isTest(f.Name.Name) {
				found[f.Name.Name] = true
			}
		}
	}
	return found
}

func isTest(name string) bool {
	return name != "TestMain" && (strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Example") || strings.HasPrefix(name, "Fuzz"))
}

func mentions(text []byte, rule string) bool {
	return regexp.MustCompile(`\b` + regexp.QuoteMeta(rule) + `\b`).Match(text)
}

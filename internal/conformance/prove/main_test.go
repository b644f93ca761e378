package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRun runs go test on small modules of their own, and looks at what it is
// told of them.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds many modules")
	}
	const passing = "func TestA(t *testing.T) { t.Log(\"quiet\"); t.Run(\"sub\", func(t *testing.T) {}) }\n"
	for _, test := range []struct {
		name, source, matrix string
		code                 int
		want, never          []string
	}{
		{"passes", passing, "`a.TestA`, `a.TestA/sub`", 0, []string{"ok  \t" + module + "/a"}, []string{"quiet", "FAIL", "PASS"}},
		{"did not run", passing, "`a.TestB`", 1, []string{"S2-01: a.TestB: did not run", "FAIL"}, nil},
		{"a subtest did not run", passing, "`a.TestA/other`", 1, []string{"a.TestA/other: did not run"}, nil},
		{"skipped", passing + "func TestB(t *testing.T) { t.Skip(\"no tool\") }", "`a.TestB`", 1, []string{"no tool", "a.TestB: skip"}, nil},
		{"a part is skipped", passing + "func TestB(t *testing.T) { t.Run(\"sub\", func(t *testing.T) { t.Skip(\"no tool\") }) }", "`a.TestB`", 1, []string{"no tool", "a.TestB: skip of TestB/sub"}, nil},
		{"another one is skipped", passing + "func TestB(t *testing.T) { t.Skip(\"no tool\") }", "`a.TestA`", 0, []string{"no tool"}, []string{"FAIL"}},
		{"fails", passing + "func TestB(t *testing.T) { t.Error(\"reason\") }", "`a.TestA`", 1, []string{"--- FAIL: TestB", "reason", "FAIL\t" + module + "/a"}, []string{"quiet", "S2-01"}},
		{"panics", passing + "func TestB(t *testing.T) { panic(\"reason\") }", "`a.TestA`", 1, []string{"panic: reason", "goroutine"}, nil},
		{"exits", passing + "func TestB(t *testing.T) { println(\"last words\"); os.Exit(3) }", "`a.TestA`", 1, []string{"last words", "FAIL"}, nil},
		{"does not end", passing + "func TestB(t *testing.T) { select {} }", "`a.TestA`", 1, []string{"panic: test timed out"}, nil},
		{"does not build", "func TestA(t *testing.T) { undefined() }", "`a.TestA`", 1, []string{"undefined: undefined", "build failed"}, nil},
		{"talks without end", passing + "func TestB(t *testing.T) { for range 1 << 17 { t.Log(\"twenty or so bytes\") }; t.Fail() }", "`a.TestA`", 1, []string{"lines before"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			write(t, "go.mod", "module "+module+"\n\ngo 1.26\n")
			write(t, "a/a.go", "package a\n")
			write(t, "a/a_test.go", "package a\n\nimport (\n\"os\"\n\"testing\"\n)\n\nvar _ = os.Exit\n\n"+test.source)
			write(t, "matrix.md", "| S2-01 | what | "+test.matrix+" |\n")
			var out, errors strings.Builder
			timeout := "1m"
			if test.name == "does not end" {
				timeout = "100ms"
			}
			if code := run([]string{"-timeout", timeout, "./..."}, "matrix.md", &out, &errors); code != test.code {
				t.Errorf("exit code %d, want %d\n%s%s", code, test.code, out.String(), errors.String())
			}
			for _, want := range test.want {
				if !strings.Contains(out.String()+errors.String(), want) {
					t.Errorf("no %q in\n%.3000s", want, out.String()+errors.String())
				}
			}
			for _, never := range test.never {
				if strings.Contains(out.String(), never) {
					t.Errorf("%q is in\n%.3000s", never, out.String())
				}
			}
		})
	}
	if code := run(nil, filepath.Join(t.TempDir(), "none"), os.Stdout, os.Stderr); code != 2 {
		t.Errorf("without a matrix: exit code %d", code)
	}
}

func write(t *testing.T, name, text string) {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

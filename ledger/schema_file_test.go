package ledger_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gitledger/gitledger/ledger"
)

func TestSchemaFiles(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "repository")
	write := func(name, content string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := func(target, name string) {
		t.Helper()
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	write("outside.json", `{"title":"secret"}`)
	write("repository/schemas/runs.json", `{"type":"string"}`)
	write("repository/schemas/bad.json", `{"type":"secret"}`)
	write("repository/schemas/broken.json", `{"type"`)
	write("repository/schemas/expression.json", `{"title":"\u0024{{ secret }}"}`)
	write("repository/schemas/remote.json", `{"$ref":"../../outside.json"}`)
	write("repository/schemas/large.json", `{"title":"`+strings.Repeat("x", 1<<20)+`"}`)
	link("../outside.json", "out.json")
	link("schemas/runs.json", "in.json")
	link("schemas", "linked")
	link(dir, "away")
	os.Mkdir(filepath.Join(root, "folder.json"), 0o755)

	opened, err := os.OpenRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	for name, parser := range map[string]ledger.Parser{"DirFS": {Files: os.DirFS(root)}, "Root": {Files: opened.FS()},
		"wrapped": {Files: struct{ fs.FS }{os.DirFS(root)}}} { // hides that it can tell links apart
		got, err := parser.Map(map[string]any{"type": "log", "schema": "schemas/runs.json"})
		if err != nil || string(got[0].Schema.Raw()) != `{"type":"string"}` {
			t.Errorf("%s: %v %v", name, got, err)
		}
		for path, code := range map[string]ledger.ProblemCode{
			"":                                 ledger.ProblemSchemaFile,
			".":                                ledger.ProblemSchemaFile,
			"schemas":                          ledger.ProblemSchemaFile,
			"missing.json":                     ledger.ProblemSchemaFile,
			"../outside.json":                  ledger.ProblemSchemaFile,
			"schemas/../schemas/runs.json":     ledger.ProblemSchemaFile,
			"./schemas/runs.json":              ledger.ProblemSchemaFile,
			"schemas//runs.json":               ledger.ProblemSchemaFile,
			`schemas\runs.json`:                ledger.ProblemSchemaFile,
			"C:runs.json":                      ledger.ProblemSchemaFile,
			"schemas/runs.json\x00":            ledger.ProblemSchemaFile,
			"/etc/passwd":                      ledger.ProblemSchemaFile,
			filepath.Join(dir, "outside.json"): ledger.ProblemSchemaFile,
			"out.json":                         ledger.ProblemSchemaFile,
			"in.json":                          ledger.ProblemSchemaFile,
			"linked/runs.json":                 ledger.ProblemSchemaFile,
			"away/outside.json":                ledger.ProblemSchemaFile,
			"folder.json":                      ledger.ProblemSchemaFile,
			"schemas/runs.json/x":              ledger.ProblemSchemaFile,
			"schemas/large.json":               ledger.ProblemSchemaFile,
			"schemas/bad.json":                 ledger.ProblemSchema,
			"schemas/broken.json":              ledger.ProblemSchema,
			"schemas/remote.json":              ledger.ProblemSchema,
			"schemas/expression.json":          ledger.ProblemExpression,
			"schemas/${{ secret }}.json":       ledger.ProblemExpression,
		} {
			_, err := parser.Map(map[string]any{"type": "log", "schema": path})
			problems, _ := err.(ledger.Problems)
			if len(problems) != 1 || problems[0].Code != code || problems[0].Path != "tools.ledger.schema" {
				t.Errorf("%s: schema %q: %v, want %s", name, path, err, code)
				continue
			}
			if s := err.Error(); strings.Contains(s, "secret") || strings.Contains(s, dir) || path != "" && len(path) > 9 && strings.Contains(s, path) {
				t.Errorf("%s: schema %q: the error holds a path or content: %v", name, path, err)
			}
		}
	}
	if _, err := ledger.ParseMap(map[string]any{"schema": "schemas/runs.json"}); err == nil || !strings.Contains(err.Error(), "inline") {
		t.Errorf("without files: %v", err)
	}
}

// A file system that reports a wrong size cannot make the reader read on.
func TestSchemaFileGrows(t *testing.T) {
	files := fstest.MapFS{"s.json": {Data: []byte(strings.Repeat(" ", 1<<20) + "{}")}}
	if _, err := (ledger.Parser{Files: files}).Map(map[string]any{"schema": "s.json"}); err == nil {
		t.Error("a file above 1 MiB was read")
	}
	files["s.json"] = &fstest.MapFile{Data: []byte("{}"), Mode: os.ModeNamedPipe}
	if _, err := (ledger.Parser{Files: files}).Map(map[string]any{"schema": "s.json"}); err == nil {
		t.Error("a pipe was read")
	}
}

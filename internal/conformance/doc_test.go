package conformance

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// libraryFiles returns the files of the packages that users import, by folder:
// every package of the module but the internal ones and the programs.
func libraryFiles(t *testing.T) map[string][]*ast.File {
	t.Helper()
	root := filepath.Join("..", "..")
	files := map[string][]*ast.File{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path != root && (name == "internal" || name == "examples" || name == "testdata" || strings.HasPrefix(name, ".")) {
				return filepath.SkipDir
			}
			if _, err := os.Stat(filepath.Join(path, "go.mod")); path != root && err == nil {
				return filepath.SkipDir // another module
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		files[filepath.ToSlash(folder)] = append(files[filepath.ToSlash(folder)], file)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Every package of the library has a comment, and every exported name of it.
func TestDocumented(t *testing.T) {
	files := libraryFiles(t)
	for _, want := range []string{".", "record", "shard", "shard/gitbranch", "shard/branchtest", "ledger", "replay", "replay/sqlite", "txn", "compact"} {
		if len(files[want]) == 0 {
			t.Errorf("package %s was not found", want)
		}
	}
	for folder, all := range files {
		if !slices.ContainsFunc(all, func(f *ast.File) bool { return f.Doc != nil }) {
			t.Errorf("%s: the package has no comment", folder)
		}
		names := 0
		for _, file := range all {
			found, checked := undocumented(file)
			names += checked
			for _, name := range found {
				t.Errorf("%s: %s has no comment", folder, name)
			}
		}
		if names == 0 && folder != "." {
			t.Errorf("%s: there are no exported names", folder)
		}
	}
}

// undocumented returns the exported names of a file that have no comment, and
// how many there are in all.
func undocumented(file *ast.File) (names []string, checked int) {
	check := func(name string, docs ...*ast.CommentGroup) {
		checked++
		if !slices.ContainsFunc(docs, func(d *ast.CommentGroup) bool { return strings.TrimSpace(d.Text()) != "" }) {
			names = append(names, name)
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if name, ok := exportedFunc(d); ok {
				check(name, d.Doc)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() {
						check(s.Name.Name, s.Doc, s.Comment, alone(d))
						checkMembers(s, check)
					}
				case *ast.ValueSpec:
					for _, name := range s.Names {
						if name.IsExported() {
							check(name.Name, s.Doc, s.Comment, d.Doc)
						}
					}
				}
			}
		}
	}
	return names, checked
}

// alone returns the comment of a declaration of one type. That of several does
// not say what each is.
func alone(d *ast.GenDecl) *ast.CommentGroup {
	if len(d.Specs) == 1 {
		return d.Doc
	}
	return nil
}

// exportedFunc returns the name of a function, or of a method of an exported
// type. What the standard library's interfaces ask for says what it does.
func exportedFunc(d *ast.FuncDecl) (string, bool) {
	if !d.Name.IsExported() {
		return "", false
	}
	if d.Recv == nil {
		return d.Name.Name, true
	}
	of := d.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	if index, ok := of.(*ast.IndexExpr); ok {
		of = index.X
	}
	receiver, ok := of.(*ast.Ident)
	if !ok || !receiver.IsExported() || slices.Contains([]string{"Error", "Is"}, d.Name.Name) {
		return "", false
	}
	return receiver.Name + "." + d.Name.Name, true
}

// checkMembers checks the methods of an interface.
func checkMembers(s *ast.TypeSpec, check func(string, ...*ast.CommentGroup)) {
	i, ok := s.Type.(*ast.InterfaceType)
	if !ok {
		return
	}
	for _, m := range i.Methods.List {
		for _, name := range m.Names {
			if name.IsExported() {
				check(s.Name.Name+"."+name.Name, m.Doc, m.Comment)
			}
		}
	}
}

// The check itself finds what is missing.
func TestUndocumented(t *testing.T) {
	const text = `package p

type Bare struct{}

// Told is told.
type Told struct{}

func (Told) Method() {}
func (*Told) error() {}
func (*Told) Error() string { return "" }
func (hidden) Method() {}

type hidden struct{}

type (
	Second interface{ Third() }
)

// Values of a kind.
const (
	A = 1
	B = 2
)

const C = 3
const D = 4 // is four

var e, F = 5, 6

func Function() {}

// Generic is told.
type Generic[T any] struct{}

func (g *Generic[T]) Do() {}
`
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	got, checked := undocumented(file)
	want := []string{"Bare", "Told.Method", "Second", "Second.Third", "C", "F", "Function", "Generic.Do"}
	if !slices.Equal(got, want) || checked != len(want)+5 {
		t.Errorf("%q of %d, want %q", got, checked, want)
	}
}

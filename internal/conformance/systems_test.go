package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCrossBuild checks that the portable packages compile without cgo on each
// system. What a system can break are the names and types that its files
// declare, so these packages are type-checked here, against what the compiler
// made of everything below them. To compile them too took ten times as long,
// once for each system and each change.
func TestCrossBuild(t *testing.T) {
	for _, platform := range []string{"linux/amd64", "linux/arm64", "darwin/arm64", "windows/amd64"} {
		t.Run(platform, func(t *testing.T) {
			system, machine, _ := strings.Cut(platform, "/")
			env := append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+machine)
			c := checker{
				files:    token.NewFileSet(),
				checked:  map[string]*types.Package{},
				compiled: map[string]string{},
				sizes:    types.SizesFor("gc", machine),
			}
			own, below := c.list(t, env)
			for p := range listed(t, env, slices.Concat([]string{"-export", "-json=ImportPath,Export"}, below)) {
				c.compiled[p.ImportPath] = p.Export
			}
			c.below = importer.ForCompiler(c.files, "gc", func(path string) (io.ReadCloser, error) { return os.Open(c.compiled[path]) })
			for _, p := range own {
				if err := c.check(p); err != nil {
					t.Errorf("%s: %v", p.ImportPath, err)
				}
			}
			if len(c.checked) < len(portable())+len(network()) {
				t.Errorf("%d packages were checked", len(c.checked))
			}
		})
	}
}

type listedPackage struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// listed yields what go list says of packages, each after those that it imports.
func listed(t *testing.T, env, args []string) func(func(listedPackage) bool) {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Env = env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	return func(yield func(listedPackage) bool) {
		for d := json.NewDecoder(bytes.NewReader(out)); ; {
			var p listedPackage
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				t.Fatal(err)
			}
			if !yield(p) {
				return
			}
		}
	}
}

// checker type-checks this module's packages for one platform.
type checker struct {
	files    *token.FileSet
	checked  map[string]*types.Package
	compiled map[string]string // files of export data of the packages below
	below    types.Importer
	sizes    types.Sizes
}

// list returns this module's packages, and the names of those below them.
func (c *checker) list(t *testing.T, env []string) (own []listedPackage, below []string) {
	t.Helper()
	for p := range listed(t, env, slices.Concat([]string{"-deps", "-json=ImportPath,Dir,GoFiles"}, portable(), network())) {
		if strings.HasPrefix(p.ImportPath, module+"/") {
			own = append(own, p)
		} else if p.ImportPath != "unsafe" && !strings.HasPrefix(p.ImportPath, "vendor/") {
			below = append(below, p.ImportPath)
		}
	}
	return own, below
}

// Import implements [types.Importer].
func (c *checker) Import(path string) (*types.Package, error) {
	if p, ok := c.checked[path]; ok {
		return p, nil
	}
	return c.below.Import(path)
}

func (c *checker) check(p listedPackage) error {
	var files []*ast.File
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(c.files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, file)
	}
	config := types.Config{Importer: c, Sizes: c.sizes}
	checked, err := config.Check(p.ImportPath, c.files, files, nil)
	c.checked[p.ImportPath] = checked
	return err
}

package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/gitledger/gitledger"

// portable are the packages that a workflow compiler may import: it is built
// without cgo, for other platforms, and wants few dependencies.
func portable() []string {
	return []string{
		module + "/ledger", module + "/record", module + "/txn",
		module + "/compact", module + "/replay", module + "/shard",
	}
}

// network are the packages of this module that may use the network: the
// dispatcher of compaction requests. None of the portable ones imports it.
func network() []string { return []string{module + "/compact/dispatch"} }

type goPackage struct {
	ImportPath string
	Standard   bool
	CgoFiles   []string
	Imports    []string
}

// graph lists the packages that a build of the portable ones takes, with cgo
// enabled, so that a package that needs it shows.
func graph(t *testing.T) map[string]goPackage {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-deps", "-json=ImportPath,Standard,CgoFiles,Imports"}, portable()...)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	packages := map[string]goPackage{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages[p.ImportPath] = p
	}
}

func TestImportGraph(t *testing.T) {
	packages := graph(t)
	for _, name := range portable() {
		if _, ok := packages[name]; !ok {
			t.Errorf("%s is not in the graph", name)
		}
	}
	for name, p := range packages {
		if !p.Standard && (len(p.CgoFiles) > 0 || slices.Contains(p.Imports, "C")) {
			t.Errorf("%s needs cgo", name)
		}
		if strings.Contains(name, "git2go") || strings.Contains(name, "sqlite") {
			t.Errorf("%s is imported", name)
		}
		if strings.HasPrefix(name, module) && !slices.Contains(network(), name) && slices.ContainsFunc(p.Imports, isNetwork) {
			t.Errorf("%s imports the network", name)
		}
		// Only the validation script of package txn is code that is not ours;
		// replay and compaction have no way to run any (S4.3-20, S3-07).
		if strings.HasPrefix(name, module) && name != module+"/txn" && slices.ContainsFunc(p.Imports, isExecution) {
			t.Errorf("%s can run other code", name)
		}
	}
	for _, name := range network() {
		if _, ok := packages[name]; ok {
			t.Errorf("%s is imported by a portable package", name)
		}
	}
	// The only way to net/http is through the schema library, which package
	// ledger never lets fetch anything.
	if path := pathTo(packages, "net/http", "github.com/xeipuuv/gojsonschema"); path != nil {
		t.Errorf("net/http is imported: %s", strings.Join(path, " → "))
	}
	// Imports point one way.
	order := []string{"internal/canonical", "record", "shard", "ledger", "replay", "txn", "compact"}
	for i, lower := range order {
		for _, higher := range order[i+1:] {
			if lower == "txn" || !slices.Contains(packages[module+"/"+lower].Imports, module+"/"+higher) {
				continue
			}
			t.Errorf("%s imports %s", lower, higher)
		}
	}
}

func isExecution(name string) bool {
	return name == "os/exec" || name == "plugin"
}

func isNetwork(name string) bool {
	return name == "net" || strings.HasPrefix(name, "net/http") || name == "net/rpc" || name == "net/smtp"
}

// pathTo finds a chain of imports from a portable package to target that does
// not go through the package without.
func pathTo(packages map[string]goPackage, target, without string) []string {
	from := map[string]string{}
	var queue []string
	for _, name := range portable() {
		from[name] = ""
		queue = append(queue, name)
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if at == target {
			var path []string
			for ; at != ""; at = from[at] {
				path = append(path, at)
			}
			slices.Reverse(path)
			return path
		}
		for _, next := range packages[at].Imports {
			if _, seen := from[next]; !seen && next != without {
				from[next] = at
				queue = append(queue, next)
			}
		}
	}
	return nil
}

// TestCrossBuild builds for each platform that is promised. Everything above a
// changed package is compiled again for each, which takes half as long when it
// is not optimised.
func TestCrossBuild(t *testing.T) {
	for _, platform := range []string{"linux/amd64", "linux/arm64", "darwin/arm64", "windows/amd64"} {
		t.Run(platform, func(t *testing.T) {
			system, machine, _ := strings.Cut(platform, "/")
			build := []string{"build", "-gcflags=" + module + "/...=-N -l"}
			cmd := exec.Command("go", slices.Concat(build, portable(), network())...)
			cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+machine)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

//go:build cgo

package workflows

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The linter is no dependency of the module: the go command fetches it. It looks
// at the commands as well where shellcheck is installed.
func TestSamplesLint(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lint := func(args ...string) ([]byte, error) {
		cmd := exec.CommandContext(t.Context(), "go", append([]string{"run", "github.com/rhysd/actionlint/cmd/actionlint@v1.7.7"}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
		return cmd.CombinedOutput()
	}
	if out, err := lint("-version"); err != nil {
		t.Skipf("NOT CHECKED: actionlint cannot be installed here (%v): %.300s", err, out)
	}
	for _, file := range []string{"ledger.yml", "maintenance.yml"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, file)
		check := func(text string) ([]byte, error) {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			return lint(path)
		}
		if out, err := check(string(text)); err != nil {
			t.Errorf("%s: %v\n%s", file, err, out)
		}
		// An output of a job that is not needed shows that the linter looks.
		broken := strings.Replace(string(text), "\n    runs-on:", "\n    env: { X: \"${{ needs.absent.outputs.x }}\" }\n    runs-on:", 1)
		if out, err := check(broken); err == nil || !strings.Contains(string(out), "absent") {
			t.Errorf("%s: a fault was planted, and found is: %s", file, out)
		}
	}
}

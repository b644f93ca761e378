//go:build cgo

package threats_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// files of a bare repository as they lie there: references, objects whether they
// can be reached or not, settings and hooks. It is for repositories that are
// damaged, which git itself cannot list.
func (w *world) files() string {
	w.t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(w.path, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %x\n", path, sha256.Sum256(data))
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return b.String()
}

// untouched judges that no file of the repository changed.
func (w *world) untouched(before, what string) {
	w.t.Helper()
	if w.files() != before {
		w.t.Errorf("%s: the repository's files changed", what)
	}
}

// allocated is how many MiB a call takes from the heap, freed or not.
func allocated(call func()) uint64 {
	var start, end runtime.MemStats
	runtime.ReadMemStats(&start)
	call()
	runtime.ReadMemStats(&end)
	return (end.TotalAlloc - start.TotalAlloc) >> 20
}

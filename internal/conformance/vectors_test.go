// Package conformance runs the language-neutral vectors that every
// implementation sharing ledger branches with the gh-aw runtime must pass.
package conformance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// vectorDir is the folder of the vectors: LEDGER_VECTORS, or the copy here.
func vectorDir() string {
	if dir := os.Getenv("LEDGER_VECTORS"); dir != "" {
		return dir
	}
	return filepath.Join("testdata", "vectors")
}

// eachRow calls run for each row of a JSONL file of vectors. A field that T
// does not have is a failure, and so is a file without rows.
func eachRow[T any](t *testing.T, file string, run func(t *testing.T, row T)) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(vectorDir(), file))
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	rows := 0
	for lines.Scan() {
		rows++
		var row T
		decodeStrict(t, lines.Bytes(), &row)
		var named struct{ Name string }
		_ = json.Unmarshal(lines.Bytes(), &named)
		if named.Name == "" {
			named.Name = "row"
		}
		t.Run(named.Name, func(t *testing.T) { run(t, row) })
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if rows == 0 {
		t.Fatalf("%s holds no vectors", file)
	}
}

// eachFolder calls run for each folder of vectors. None is a failure.
func eachFolder(t *testing.T, name string, run func(t *testing.T, dir string)) {
	t.Helper()
	root := filepath.Join(vectorDir(), name)
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, e := range entries {
		if e.IsDir() {
			ran++
			t.Run(e.Name(), func(t *testing.T) { run(t, filepath.Join(root, e.Name())) })
		}
	}
	if ran == 0 {
		t.Fatalf("%s holds no vectors", name)
	}
}

func decodeStrict(t *testing.T, data []byte, v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		t.Fatalf("vector: %v", err)
	}
}

func readExpect(t *testing.T, dir string, v any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "expect.json"))
	if err != nil {
		t.Fatal(err)
	}
	decodeStrict(t, data, v)
}

// readTree returns the regular files below dir by slash-separated path.
func readTree(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	fsys := os.DirFS(dir)
	err := fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(fsys, path)
		files[path] = data
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return files
}

package artifact

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestAppendLine(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "audit.jsonl")
	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			for range 10 {
				if err := AppendLine(path, []byte("0123456789\n")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	data, err := os.ReadFile(path)
	if err != nil || string(data) != strings.Repeat("0123456789\n", 80) {
		t.Errorf("%d bytes, %v", len(data), err)
	}
}

func TestAppendLineRefusesWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(target, []byte("precious"), 0o600), os.Symlink(target, link)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{link: ErrNotRegular, dir: ErrNotRegular, filepath.Join(dir, "none", "a"): fs.ErrNotExist} {
		err := AppendLine(path, []byte("attack"))
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", filepath.Base(path), err, want)
		}
		quiet(t, err, dir)
	}
	if data, _ := os.ReadFile(target); string(data) != "precious" {
		t.Errorf("target is %q", data)
	}
}

package artifact

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// quiet fails when an error tells where the file is.
func quiet(t *testing.T, err error, dir string) {
	t.Helper()
	if err != nil && (strings.Contains(err.Error(), dir) || strings.Contains(err.Error(), "open ")) {
		t.Errorf("error tells too much: %v", err)
	}
}

func TestWriteThenRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plan.json")
	for _, data := range [][]byte{{}, []byte("x"), bytes.Repeat([]byte("0123456789"), 50_000)} {
		if err := WriteNew(path, data); err != nil {
			t.Fatal(err)
		}
		got, err := ReadBounded(path, int64(len(data)))
		if err != nil || !bytes.Equal(got, data) {
			t.Fatalf("read %d bytes, %v; want %d", len(got), err, len(data))
		}
		if len(data) > 0 {
			if got, err := ReadBounded(path, int64(len(data))-1); !errors.Is(err, ErrTooLarge) || got != nil {
				t.Errorf("one byte over the bound: %d bytes, %v", len(got), err)
			}
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v", info.Mode())
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWriteNewRefusesWhatExists(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	if err := os.WriteFile(target, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	link, dangling, folder := filepath.Join(dir, "link"), filepath.Join(dir, "dangling"), filepath.Join(dir, "folder")
	if err := errors.Join(os.Symlink(target, link), os.Symlink(filepath.Join(dir, "elsewhere"), dangling), os.Mkdir(folder, 0o700)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{target, link, dangling, folder} {
		err := WriteNew(path, []byte("attack"))
		if !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: %v", filepath.Base(path), err)
		}
		quiet(t, err, dir)
	}
	if data, err := os.ReadFile(target); err != nil || string(data) != "precious" {
		t.Errorf("target is %q, %v", data, err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "elsewhere")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("wrote through a symlink: %v", err)
	}
	err := WriteNew(filepath.Join(dir, "none", "plan.json"), nil)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing folder: %v", err)
	}
	quiet(t, err, dir)
}

func TestReadBoundedReadsOnlyFiles(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(target, []byte("{}"), 0o600), os.Symlink(target, link)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{
		link:                         ErrNotRegular,
		dir:                          ErrNotRegular,
		filepath.Join(dir, "absent"): fs.ErrNotExist,
	} {
		data, err := ReadBounded(path, 1<<20)
		if !errors.Is(err, want) || data != nil {
			t.Errorf("%s: %q, %v; want %v", filepath.Base(path), data, err, want)
		}
		quiet(t, err, dir)
	}
}

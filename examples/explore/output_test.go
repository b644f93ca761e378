//go:build cgo

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A page takes the place of a file, and of nothing else; nothing is left beside it.
func TestWritePage(t *testing.T) {
	dir := t.TempDir()
	page, link, folder := filepath.Join(dir, "page"), filepath.Join(dir, "link"), filepath.Join(dir, "folder")
	if err := errors.Join(os.WriteFile(page, []byte("precious"), 0o600), os.Symlink(page, link), os.Mkdir(folder, 0o755)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, folder, filepath.Join(dir, "none", "page")} {
		if err := writePage(path, &view{}); err == nil {
			t.Errorf("%s was replaced", filepath.Base(path))
		}
	}
	if text, _ := os.ReadFile(page); string(text) != "precious" {
		t.Errorf("it is now %.20q", text)
	}
	if err := writePage(page, &view{Ledger: "a"}); err != nil {
		t.Error(err)
	}
	if text, _ := os.ReadFile(page); len(text) < 1000 {
		t.Errorf("it is %.20q", text)
	}
	if left, _ := os.ReadDir(dir); len(left) != 3 {
		t.Errorf("left: %v", left)
	}
}

// What is not seen, or turns text round, is seen on the page.
func TestPageShowsWhatHides(t *testing.T) {
	const hides = "a\u202eb\u200bc\U000e0101d"
	var page strings.Builder
	err := render(&page, &view{
		State: [][]string{{hides}}, Newest: []recordView{{Payload: hides}},
		Notes: []noteView{{Subject: hides, Note: hides, Reason: hides, Citations: []string{hides}}},
	})
	if err != nil || strings.ContainsAny(page.String(), "\u202e\u200b\U000e0101") || strings.Count(page.String(), `a\u202eb\u200bc\u{e0101}d`) != 6 {
		t.Error(err, page.String())
	}
}

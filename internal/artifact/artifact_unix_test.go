//go:build unix

package artifact

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
)

func TestReadBoundedDoesNotWaitForAFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadBounded(path, 1<<20); !errors.Is(err, ErrNotRegular) {
		t.Errorf("got %v", err)
	}
}

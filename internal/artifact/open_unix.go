//go:build unix

package artifact

import (
	"os"
	"path/filepath"
	"syscall"
)

// openFlags: never follow a symlink that took the file's place, and never wait
// for the other end of a FIFO that did.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// syncFolder makes the name of a new file durable.
func syncFolder(path string) error {
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	err = d.Sync()
	if closed := d.Close(); err == nil {
		err = closed
	}
	return err
}

package shard

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

const openFlags = 0

// lockFile takes the lock that the system gives up when the process dies.
func lockFile(f *os.File, exclusive bool) error {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return errBusy
	}
	return err
}

// syncDirectory does nothing: a directory cannot be flushed here, and NTFS
// keeps the order of its own changes in its log.
func syncDirectory(*os.Root) error { return nil }

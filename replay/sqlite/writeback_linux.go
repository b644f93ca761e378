package sqlite

import (
	"os"

	"golang.org/x/sys/unix"
)

// startWriteback lets the disk start on what a file has from an offset on,
// without waiting for it. It makes nothing durable: a later sync finds less to do.
func startWriteback(f *os.File, from int64) {
	if raw, err := f.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _ = unix.SyncFileRange(int(fd), from, 0, unix.SYNC_FILE_RANGE_WRITE) })
	}
}

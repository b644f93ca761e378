//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package shard

import (
	"errors"
	"os"
	"syscall"
)

// openFlags keep an open from waiting for a FIFO's other end, and from
// following a symlink.
const openFlags = syscall.O_NONBLOCK | syscall.O_NOFOLLOW

// lockFile takes the lock that the kernel gives up when the process dies.
func lockFile(f *os.File, exclusive bool) error {
	how := syscall.LOCK_SH
	if exclusive {
		how = syscall.LOCK_EX
	}
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errBusy
		default:
			return err
		}
	}
}

func syncDirectory(root *os.Root) error {
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}

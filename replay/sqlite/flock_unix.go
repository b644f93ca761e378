//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package sqlite

import (
	"os"
	"syscall"
)

// tryLock takes a lock that the kernel gives up when the process dies, unless
// someone has it. It is no lock that SQLite uses.
func tryLock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

const locks = true // tryLock tells who is alive

//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package shard

import (
	"errors"
	"os"
)

const openFlags = 0

// lockFile refuses: without a lock two writers would lose records.
func lockFile(*os.File, bool) error { return errors.ErrUnsupported }

func syncDirectory(*os.Root) error { return errors.ErrUnsupported }

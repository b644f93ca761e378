package artifact

import (
	"errors"
	"io/fs"
	"os"
)

// AppendLine appends data, in one write, to the regular file at path, which it
// creates for its owner only, and makes it durable. It follows no symlink and
// waits for no FIFO: anything there but a regular file is [ErrNotRegular], and
// stays as it is.
func AppendLine(path string, data []byte) error {
	err := appendLine(path, data)
	if errors.Is(err, fs.ErrExist) { // another process made it meanwhile
		err = appendLine(path, data)
	}
	return err
}

func appendLine(path string, data []byte) (err error) {
	const failed = "artifact: file could not be appended to"
	before, err := os.Lstat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return hide(err, failed)
	}
	create := os.O_CREATE | os.O_EXCL // so that nothing can slip in
	if err == nil {
		if !before.Mode().IsRegular() {
			return ErrNotRegular
		}
		create = 0
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|create|openFlags, 0o600)
	if err != nil {
		return hide(err, failed)
	}
	defer func() {
		if closed := f.Close(); err == nil && closed != nil {
			err = hide(closed, failed)
		}
	}()
	opened, err := f.Stat()
	if err != nil {
		return hide(err, failed)
	}
	if !opened.Mode().IsRegular() || before != nil && !os.SameFile(before, opened) {
		return ErrNotRegular
	}
	if _, err := f.Write(data); err != nil {
		return hide(err, failed)
	}
	if err := f.Sync(); err != nil {
		return hide(err, failed)
	}
	return nil
}

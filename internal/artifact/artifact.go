// Package artifact writes and reads the one file that a job hands to the next
// job: a plan, a transaction. The file is hostile input to the job that reads
// it, and its place may have been prepared by somebody else.
//
// [WriteNew] never writes through or over what is there. [ReadBounded] reads a
// regular file and nothing else, within a bound. Errors carry neither the path
// nor the operating system's text.
package artifact

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// What a caller decides on, beside [fs.ErrExist], [fs.ErrNotExist] and
// [fs.ErrPermission], which errors of this package match where they apply.
var (
	// ErrNotRegular: a symlink, directory, FIFO, socket or device is there.
	ErrNotRegular = errors.New("artifact: not a regular file")
	// ErrTooLarge: the file holds more than the bound.
	ErrTooLarge = errors.New("artifact: file exceeds the size bound")
)

// fault is an error of the file system without its text.
type fault struct {
	text  string
	match error // nil: nothing that a caller could decide on
}

func (f *fault) Error() string { return f.text }

func (f *fault) Is(target error) bool { return f.match != nil && target == f.match }

func hide(err error, otherwise string) error {
	switch {
	case errors.Is(err, fs.ErrExist):
		return &fault{"artifact: a file of that name exists", fs.ErrExist}
	case errors.Is(err, fs.ErrNotExist):
		return &fault{"artifact: no such file or folder", fs.ErrNotExist}
	case errors.Is(err, fs.ErrPermission):
		return &fault{"artifact: permission denied", fs.ErrPermission}
	}
	return &fault{text: otherwise}
}

// WriteNew creates the file at path with data, readable and writable by its
// owner only, and makes it durable. It fails, and leaves what is there as it
// is, when path exists in any form, a symlink without a target included. A
// file that could not be written completely is removed.
func WriteNew(path string, data []byte) (err error) {
	const failed = "artifact: file could not be written"
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return hide(err, failed)
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = syncFolder(path)
	}
	if err != nil {
		_ = os.Remove(path)
		return hide(err, failed)
	}
	return nil
}

// ReadBounded returns the content of the regular file at path, which it does
// not follow when it is a symlink and does not wait for when it is a FIFO. A
// file of more than limit bytes is [ErrTooLarge]; memory for it is not spent.
func ReadBounded(path string, limit int64) ([]byte, error) {
	const failed = "artifact: file could not be read"
	before, err := os.Lstat(path)
	if err != nil {
		return nil, hide(err, failed)
	}
	if !before.Mode().IsRegular() {
		return nil, ErrNotRegular
	}
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, hide(err, failed)
	}
	defer f.Close()
	// The name may have been given to something else since.
	opened, err := f.Stat()
	if err != nil {
		return nil, hide(err, failed)
	}
	if !opened.Mode().IsRegular() || !os.SameFile(before, opened) {
		return nil, ErrNotRegular
	}
	if opened.Size() > limit {
		return nil, ErrTooLarge
	}
	data := make([]byte, opened.Size()+1) // one more, to see it grow
	n, err := io.ReadFull(f, data)
	switch {
	case err == nil:
		return nil, &fault{text: "artifact: file changed while it was read"}
	case !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF):
		return nil, hide(err, failed)
	}
	return data[:n:n], nil
}

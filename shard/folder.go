package shard

import (
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
)

// folder is one open directory, and the only way in which a [Dir] touches
// files. Names are single path elements, so no operation walks a path that
// somebody could redirect. It is an interface so that tests can make each
// operation fail.
type folder interface {
	// sub opens a directory in this one. A symlink is not followed.
	sub(name string) (folder, error)
	// names yields what the directory holds, in no order.
	names() iter.Seq2[string, error]
	// lstat describes a file without following it.
	lstat(name string) (fs.FileInfo, error)
	// open opens a regular file for reading; it fails with errIrregular, and
	// does not wait, when the name is anything else.
	open(name string) (file, error)
	// create makes a file that does not exist and opens it for writing.
	create(name string) (file, error)
	mkdir(name string) error
	rename(from, to string) error
	remove(name string) error
	// sync makes the names in the directory durable.
	sync() error
	// lock takes the advisory lock on a file, or fails with errBusy at once. An
	// exclusive lock creates the file.
	lock(name string, exclusive bool) (io.Closer, error)
	Close() error
}

type file interface {
	io.ReadWriteCloser
	Stat() (fs.FileInfo, error)
	Sync() error
}

var (
	errIrregular = errors.New("not a regular file, or not a directory")
	errBusy      = errors.New("locked by another process")
)

// osFolder is a folder of the file system.
type osFolder struct{ *os.Root }

func (f osFolder) sub(name string) (folder, error) {
	before, err := f.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !before.IsDir() {
		return nil, errIrregular
	}
	below, err := f.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	after, err := below.Stat(".")
	if err == nil && !os.SameFile(before, after) {
		err = errIrregular // replaced in between
	}
	if err != nil {
		below.Close()
		return nil, err
	}
	return osFolder{below}, nil
}

const namesAtOnce = 512

func (f osFolder) names() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		dir, err := f.Open(".")
		if err != nil {
			yield("", err)
			return
		}
		defer dir.Close()
		for {
			names, err := dir.Readdirnames(namesAtOnce)
			for _, name := range names {
				if !yield(name, nil) {
					return
				}
			}
			if err != nil {
				if err != io.EOF {
					yield("", err)
				}
				return
			}
		}
	}
}

func (f osFolder) lstat(name string) (fs.FileInfo, error) { return f.Lstat(name) }

func (f osFolder) open(name string) (file, error) { return f.openRegular(name, os.O_RDONLY) }

// openRegular opens a regular file that exists. A FIFO would hold up an
// ordinary open, and a symlink would lead elsewhere: both are refused before
// the file is opened, and what was opened is compared with that.
func (f osFolder) openRegular(name string, flag int) (*os.File, error) {
	before, err := f.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, errIrregular
	}
	opened, err := f.OpenFile(name, flag|openFlags, 0)
	if err != nil {
		return nil, err
	}
	after, err := opened.Stat()
	if err == nil && (!after.Mode().IsRegular() || !os.SameFile(before, after)) {
		err = errIrregular
	}
	if err != nil {
		opened.Close()
		return nil, err
	}
	return opened, nil
}

func (f osFolder) create(name string) (file, error) {
	return f.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
}

func (f osFolder) mkdir(name string) error      { return f.Mkdir(name, 0o755) }
func (f osFolder) rename(from, to string) error { return f.Rename(from, to) }
func (f osFolder) remove(name string) error     { return f.Remove(name) }
func (f osFolder) sync() error                  { return syncDirectory(f.Root) }

func (f osFolder) lock(name string, exclusive bool) (io.Closer, error) {
	how := os.O_RDONLY
	if exclusive {
		how = os.O_RDWR // network file systems want it so
	}
	opened, err := f.openRegular(name, how)
	if exclusive && errors.Is(err, fs.ErrNotExist) {
		opened, err = f.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			return nil, errBusy // somebody just made it; look again
		}
	}
	if err != nil {
		return nil, err
	}
	if err := lockFile(opened, exclusive); err != nil {
		opened.Close()
		return nil, err
	}
	// Whoever deleted the file while we waited for it has left us a lock on
	// nothing.
	held, err := opened.Stat()
	if err == nil {
		now, lstatErr := f.Lstat(name)
		if lstatErr != nil || !os.SameFile(held, now) {
			err = errBusy
		}
	}
	if err != nil {
		opened.Close()
		return nil, err
	}
	return opened, nil // closing it gives the lock up
}

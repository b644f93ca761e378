package sqlite

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// draft is a file that is built beside its place. It appears there complete
// and durable, or not at all.
type draft struct {
	path string // where it will be
	temp string
	lock *os.File // temp, locked for as long as someone works on it
}

// Modes of a published database.
const (
	fileMode      fs.FileMode = 0o644
	dirMode       fs.FileMode = 0o755
	sealedFile    fs.FileMode = 0o444
	sealedDir     fs.FileMode = 0o555
	ownerWritable fs.FileMode = 0o300
)

// newDraft makes an empty file beside path, and path's folder when it is absent.
func newDraft(path string) (*draft, error) {
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		return nil, fail("prepare", ErrStorage)
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return nil, storage("prepare", err)
	}
	if err := unseal(dir); err != nil {
		return nil, err
	}
	d := &draft{path: path}
	for range lockAttempts {
		f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*.tmp")
		if err != nil {
			return nil, storage("prepare", err)
		}
		d.lock, d.temp = f, f.Name()
		if !locks {
			return d, storage("prepare", f.Close())
		}
		if locked(f) {
			removeDead(dir, filepath.Base(path))
			return d, nil
		}
		d.discard() // another preparation took it for a dead one's
	}
	return nil, fail("prepare", ErrStorage)
}

// lockAttempts bounds how often a new file is taken away before it is locked.
const lockAttempts = 10

// locked locks a file, and reports whether it is still where it was opened.
func locked(f *os.File) bool {
	if !tryLock(f) {
		return false
	}
	is, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(f.Name())
	return err == nil && os.SameFile(is, there)
}

// removeDead removes the files of preparations that died: nobody has them
// locked. What cannot be removed stays; it is in nobody's way.
func removeDead(dir, base string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		name := e.Name()
		if !e.Type().IsRegular() || !isTemp(name, base) {
			continue
		}
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		if locked(f) {
			_ = os.Remove(f.Name())
		}
		_ = f.Close()
	}
}

// isTemp reports whether a file's name is one that a draft of base has: of
// base itself, and not of a longer name that starts like it.
func isTemp(name, base string) bool {
	number, starts := strings.CutPrefix(name, "."+base+".")
	number, ends := strings.CutSuffix(number, ".tmp")
	return starts && ends && number != "" && strings.Trim(number, "0123456789") == ""
}

// unseal lets the owner add files to a folder that an earlier publication made
// read-only.
func unseal(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return storage("prepare", err)
	}
	if mode := info.Mode().Perm(); mode&ownerWritable != ownerWritable {
		return storage("prepare", os.Chmod(dir, mode|ownerWritable))
	}
	return nil
}

// clear empties the file.
func (d *draft) clear() error { return storage("prepare", os.Truncate(d.temp, 0)) }

// copyPrevious fills the file with what is at its place.
func (d *draft) copyPrevious() (err error) {
	from, err := os.Open(d.path)
	if err != nil {
		return storage("prepare", err)
	}
	defer from.Close()
	to, err := os.OpenFile(d.temp, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return storage("prepare", err)
	}
	_, err = io.Copy(to, from)
	return storage("prepare", errors.Join(err, to.Close()))
}

// discard removes the file unless it was published, and ends the work on it.
func (d *draft) discard() {
	_ = os.Remove(d.temp)
	_ = d.lock.Close()
}

// publish makes the file durable and moves it to its place. When seal is set,
// file and folder end up read-only for everyone.
func (d *draft) publish(seal bool) error {
	mode := fileMode
	if seal {
		mode = sealedFile
	}
	if err := syncFile(d.temp, mode); err != nil {
		return storage("publish", err)
	}
	if err := os.Rename(d.temp, d.path); err != nil {
		return storage("publish", err)
	}
	dir := filepath.Dir(d.path)
	if seal {
		if err := os.Chmod(dir, sealedDir); err != nil {
			return storage("publish", err)
		}
	}
	return storage("publish", syncDir(dir))
}

func syncFile(path string, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Chmod(mode), f.Sync(), f.Close())
}

// syncDir makes a rename durable. Windows has no such call, and needs none.
func syncDir(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

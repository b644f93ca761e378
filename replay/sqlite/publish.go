package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/gitledger/gitledger/ledger"
)

// draft is a file that is built beside its place. It appears there complete
// and durable, or not at all.
type draft struct {
	path string // where it will be
	temp string
	lock *os.File // temp, locked for as long as someone works on it

	sync   func(*os.File) error // makes a file or folder durable; (*os.File).Sync but in tests
	sealed fs.FileMode          // of the folder, to leave it as it was; 0 for nothing to do

	background sync.WaitGroup
	stop       context.CancelFunc // ends the copy; nil when there is none
	copied     error              // of the copy; read when copying is closed
	copying    chan struct{}
}

// Modes of a published database.
const (
	fileMode      fs.FileMode = 0o644
	dirMode       fs.FileMode = 0o755
	sealedFile    fs.FileMode = 0o444
	sealedDir     fs.FileMode = 0o555
	ownerWritable fs.FileMode = 0o300
)

// newDraft makes a file beside path, and path's folder when it is absent. The
// file is empty, unless there is a database to extend.
func newDraft(ctx context.Context, path string, cfg *ledger.Config, opts Options) (*draft, error) {
	d, err := emptyDraft(path)
	if err != nil || !opts.Extend {
		return d, err
	}
	if base, err := readSource(ctx, path); err == nil && base.extensible(cfg) {
		if err := d.copyPrevious(ctx); err != nil {
			d.discard()
			return nil, err
		}
	}
	return d, nil
}

func emptyDraft(path string) (*draft, error) {
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		return nil, fail("prepare", ErrStorage)
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return nil, storage("prepare", err)
	}
	// A link would put the database, and its folder's mode, where somebody else
	// chose. Folders above are the caller's: /tmp is a link on some systems.
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return nil, fail("prepare", ErrStorage)
	}
	sealed, err := unseal(dir)
	if err != nil {
		return nil, err
	}
	d := &draft{path: path, sync: (*os.File).Sync, sealed: sealed}
	for range lockAttempts {
		f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*.tmp")
		if err != nil {
			d.reseal()
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
		_ = f.Close() // another preparation took it for a dead one's
		_ = os.Remove(d.temp)
	}
	d.reseal()
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
// read-only, and returns the mode that it had then; 0 if it was writable.
func unseal(dir string) (sealed fs.FileMode, err error) {
	info, err := os.Stat(dir)
	if err != nil {
		return 0, storage("prepare", err)
	}
	if mode := info.Mode().Perm(); mode&ownerWritable != ownerWritable {
		return mode, storage("prepare", os.Chmod(dir, mode|ownerWritable))
	}
	return 0, nil
}

// reseal undoes what unseal did, unless something was published since.
func (d *draft) reseal() {
	if d.sealed != 0 {
		_ = os.Chmod(filepath.Dir(d.path), d.sealed)
	}
}

// clear empties the file.
func (d *draft) clear() error { return storage("prepare", os.Truncate(d.temp, 0)) }

// discard removes the file unless it was published, and ends the work on it.
func (d *draft) discard() {
	if d.stop != nil {
		d.stop()
	}
	d.background.Wait()
	_ = os.Remove(d.temp)
	_ = d.lock.Close()
	d.reseal()
}

// publish makes the file durable and moves it to its place. When seal is set,
// file and folder end up read-only for everyone.
func (d *draft) publish(seal bool) error {
	mode := fileMode
	if seal {
		mode = sealedFile
	}
	if err := d.syncFile(mode); err != nil {
		return storage("publish", err)
	}
	if err := os.Rename(d.temp, d.path); err != nil {
		return storage("publish", err)
	}
	d.sealed = 0
	dir := filepath.Dir(d.path)
	if seal {
		if err := os.Chmod(dir, sealedDir); err != nil {
			return storage("publish", err)
		}
	}
	return storage("publish", d.syncDir())
}

func (d *draft) syncFile(mode fs.FileMode) error {
	f, err := os.OpenFile(d.temp, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Chmod(mode), d.sync(f), f.Close())
}

// syncDir makes a rename durable. Windows has no such call, and needs none.
func (d *draft) syncDir() error {
	if runtime.GOOS == "windows" {
		return nil
	}
	dir, err := os.Open(filepath.Dir(d.path))
	if err != nil {
		return err
	}
	return errors.Join(d.sync(dir), dir.Close())
}

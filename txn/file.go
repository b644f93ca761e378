package txn

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrWrite is matched when an artifact could not be written.
var ErrWrite = errors.New("txn: writing the artifact failed")

// WriteFile writes the artifact of a transaction to a new file, with mode
// 0600, and makes it durable. A file or symlink that exists is an error that
// also matches [fs.ErrExist], and is left as it is. Of a failed write nothing
// is left.
func WriteFile(path string, t *Transaction) error {
	data, err := t.MarshalJSON()
	if err != nil {
		return ErrWrite
	}
	if len(data) > MaxArtifactBytes {
		return fmt.Errorf("%w: it is too large", ErrWrite)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|noFollow, 0o600)
	if err != nil {
		return fileError(ErrWrite, err)
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = syncFolder(filepath.Dir(path))
	}
	if err != nil {
		_ = os.Remove(path)
		return ErrWrite
	}
	return nil
}

// ReadFile reads an artifact's bytes for [Parse] or [Persist]. It follows no
// symlink, waits on no FIFO, and reads at most [MaxArtifactBytes].
func ReadFile(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|noFollow|noWait, 0)
	if err != nil {
		return nil, fileError(ErrRead, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fileError(ErrRead, err)
	}
	if !info.Mode().IsRegular() || isSymlink(path) {
		return nil, fmt.Errorf("%w: not a regular file", ErrRead)
	}
	if info.Size() > MaxArtifactBytes {
		return nil, refused(&RequestError{Index: -1, Reason: ReasonTotalSize, Detail: "the artifact is too large"})
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxArtifactBytes+1))
	if err != nil {
		return nil, fileError(ErrRead, err)
	}
	return data, nil
}

// isSymlink serves systems whose open cannot refuse one.
func isSymlink(path string) bool {
	info, err := os.Lstat(path)
	return err != nil || info.Mode()&fs.ModeSymlink != 0
}

// fileError keeps what a caller can act on and drops paths and system text.
func fileError(sentinel, err error) error {
	for _, known := range []error{fs.ErrExist, fs.ErrNotExist, fs.ErrPermission} {
		if errors.Is(err, known) {
			return fmt.Errorf("%w: %w", sentinel, known)
		}
	}
	return sentinel
}

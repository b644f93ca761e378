package shard_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/gitledger/gitledger/shard"
	"github.com/gitledger/gitledger/shard/branchtest"
)

func TestDirIsABranch(t *testing.T) {
	branchtest.Test(t, func() (*branchtest.Store, error) { return newStore(t.TempDir()).store(), nil })
}

// dirStore is a directory with what the suite may do to it.
type dirStore struct {
	path string
	open []*shard.Dir

	mu    sync.Mutex
	step  func()
	saved map[shard.Head]map[string]string // the files at each head
}

func newStore(path string) *dirStore {
	return &dirStore{path: path, saved: map[shard.Head]map[string]string{}}
}

func (s *dirStore) store() *branchtest.Store {
	return &branchtest.Store{
		Open:        func() (shard.Branch, error) { return s.handle() },
		Reader:      func() (shard.Reader, error) { b, err := s.handle(); return b.Reader(), err },
		Race:        func(step func()) { s.step = step },
		Plant:       s.plant,
		Files:       s.files,
		Fingerprint: s.fingerprint,
		Delete:      func() error { return os.RemoveAll(filepath.Join(s.path, "ledger")) },
		Rewind:      s.rewind,
		Secrets:     []string{s.path, filepath.Base(s.path)},
		Close:       s.close,
	}
}

// handle is a Dir that remembers the files at each head that it made.
type handle struct {
	*shard.Dir
	store *dirStore
}

func (s *dirStore) handle() (handle, error) {
	d, err := shard.OpenDir(s.path)
	if err != nil {
		return handle{}, err
	}
	d.BeforeLock(func() {
		s.mu.Lock()
		step := s.step
		s.step = nil
		s.mu.Unlock()
		if step != nil {
			step()
		}
	})
	s.open = append(s.open, d)
	return handle{d, s}, nil
}

func (h handle) Commit(ctx context.Context, expect shard.Head, change shard.Change) (shard.Head, error) {
	head, err := h.Dir.Commit(ctx, expect, change)
	if err == nil {
		files, readErr := h.store.files()
		h.store.mu.Lock()
		if readErr == nil {
			h.store.saved[head] = files
		}
		h.store.mu.Unlock()
	}
	return head, err
}

func (s *dirStore) plant(path string, data []byte) error {
	path = filepath.Join(s.path, filepath.FromSlash(path))
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, data, 0o644))
}

func (s *dirStore) files() (map[string]string, error) {
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(s.path), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || shard.Own(path) {
			return err
		}
		data, err := os.ReadFile(filepath.Join(s.path, filepath.FromSlash(path)))
		files[path] = string(data)
		return err
	})
	return files, err
}

func (s *dirStore) fingerprint() (string, error) {
	var all []string
	err := fs.WalkDir(os.DirFS(s.path), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			all = append(all, fmt.Sprint(path, info.Mode(), info.Size(), info.ModTime().UnixNano()))
		}
		return err
	})
	return fmt.Sprint(all), err
}

func (s *dirStore) rewind(to shard.Head) error {
	now, err := s.files()
	if err != nil {
		return err
	}
	files, ok := s.saved[to]
	if !ok {
		return fs.ErrNotExist
	}
	for path := range now {
		if err := os.Remove(filepath.Join(s.path, filepath.FromSlash(path))); err != nil {
			return err
		}
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if err := s.plant(path, []byte(files[path])); err != nil {
			return err
		}
	}
	return nil
}

// close checks that no file of an unfinished commit is left.
func (s *dirStore) close() error {
	files, err := s.files()
	for path := range files {
		if filepath.Ext(path) == ".new" || filepath.Base(path) == ".commit" {
			err = errors.Join(err, errors.New("left: "+filepath.Base(path)))
		}
	}
	for _, d := range s.open {
		err = errors.Join(err, d.Close())
	}
	return err
}

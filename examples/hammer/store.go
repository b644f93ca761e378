package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/shard"
	"github.com/gitledger/gitledger/shard/gitbranch"
)

// storeKind is where the ledgers are.
type storeKind string

const (
	httpStore  storeKind = "http"
	localStore storeKind = "local"
	dirStore   storeKind = "dir"
)

// store says where the ledgers are, for a process to open them.
type store struct {
	Kind storeKind
	At   string // a URL, or a path
}

// opened is a store as one process has it.
type opened struct {
	branch func(ctx context.Context, cfg ledger.Config) (shard.Branch, error) // a [txn.Branches]
	log    func(cfg ledger.Config) (shard.Log, error)                         // nil where there is no history
	close  func() error
}

// open opens the store. cache is where this process may keep what it fetches.
func (s store) open(ctx context.Context, cache string) (*opened, error) {
	if s.Kind == dirStore {
		return s.openDirs()
	}
	repository, err := gitbranch.Open(ctx, gitbranch.Options{URL: s.At, Cache: cache})
	if err != nil {
		return nil, err
	}
	return &opened{
		branch: func(_ context.Context, cfg ledger.Config) (shard.Branch, error) {
			return repository.Branch(cfg.Branch())
		},
		log:   func(cfg ledger.Config) (shard.Log, error) { return repository.Log(cfg.Branch()) },
		close: repository.Close,
	}, nil
}

// openDirs opens the directory of each ledger.
func (s store) openDirs() (*opened, error) {
	dirs := map[string]*shard.Dir{}
	closeAll := func() error {
		var errs []error
		for _, d := range dirs {
			errs = append(errs, d.Close())
		}
		return errors.Join(errs...)
	}
	for _, cfg := range ledgers() {
		d, err := shard.OpenDir(filepath.Join(s.At, cfg.Name))
		if err != nil {
			return nil, errors.Join(err, closeAll())
		}
		dirs[cfg.Name] = d
	}
	branch := func(_ context.Context, cfg ledger.Config) (shard.Branch, error) { return dirs[cfg.Name], nil }
	return &opened{branch: branch, close: closeAll}, nil
}

// makeDirs makes an empty directory for each ledger.
func (s store) makeDirs() error {
	for _, cfg := range ledgers() {
		if os.MkdirAll(filepath.Join(s.At, cfg.Name), 0o755) != nil {
			return errors.New("cannot make the ledgers' directories")
		}
	}
	return nil
}

package membranch_test

import (
	"bytes"
	"testing"

	"github.com/gitledger/gitledger/internal/membranch"
	"github.com/gitledger/gitledger/shard"
	"github.com/gitledger/gitledger/shard/branchtest"
)

func TestBranch(t *testing.T) {
	branchtest.Test(t, func() (*branchtest.Store, error) {
		b := &membranch.Branch{}
		return &branchtest.Store{
			Open: func() (shard.Branch, error) { return b, nil },
			Race: b.Between,
			Plant: func(path string, data []byte) error {
				b.Edit(func(files map[string]membranch.File) { files[path] = membranch.File{Data: bytes.Clone(data)} })
				return nil
			},
			Files: func() (map[string]string, error) {
				files := map[string]string{}
				for path, f := range b.Files() {
					files[path] = string(f.Data)
				}
				return files, nil
			},
			Fingerprint: func() (string, error) { return string(b.Head()), nil },
		}, nil
	})
}

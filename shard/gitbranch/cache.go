package gitbranch

import (
	"os"

	git "github.com/libgit2/git2go/v34"

	"github.com/gitledger/gitledger/shard"
)

// cache is a bare repository that holds what was fetched. Losing it costs a
// transfer and nothing else.
type cache struct {
	path string
	temp bool
}

func openCache(path string) (*cache, error) {
	c := &cache{path: path}
	if path == "" {
		dir, err := os.MkdirTemp("", "gitledger-cache-")
		if err != nil {
			return nil, fail(shard.ErrUnavailable, "no temporary directory for the cache")
		}
		c.path, c.temp = dir, true
	}
	return c, nil
}

// open opens the cache, and makes it when it is new.
func (c *cache) open() (*handle, error) {
	repo, err := git.OpenRepositoryExtended(c.path, git.RepositoryOpenNoSearch|git.RepositoryOpenBare, "")
	if git.IsErrorCode(err, git.ErrorCodeNotFound) {
		repo, err = git.InitRepository(c.path, true)
	}
	if err != nil {
		return nil, fail(shard.ErrUnavailable, "cache: %s", code(err))
	}
	if err := isolate(repo); err != nil {
		repo.Free()
		return nil, err
	}
	return newHandle(repo)
}

// isolate gives a cache an empty configuration: what a user or machine has
// configured for Git, such as a rewriting of URLs, must not change what we do.
func isolate(repo *git.Repository) error {
	config, err := git.NewConfig()
	if err != nil {
		return unavailable(err)
	}
	defer config.Free()
	if err := repo.SetConfig(config); err != nil {
		return unavailable(err)
	}
	return nil
}

func (c *cache) close() {
	if c.temp {
		os.RemoveAll(c.path)
	}
}

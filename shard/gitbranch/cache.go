package gitbranch

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"sync"

	git "github.com/libgit2/git2go/v34"

	"github.com/gitledger/gitledger/shard"
)

// cache is a bare repository that holds what was fetched. Losing it costs a
// transfer and nothing else, so one that is damaged is thrown away.
type cache struct {
	dir  string // the directory of the options, or a temporary one
	temp bool

	mu sync.Mutex // one discard at a time
}

const (
	cacheName   = "objects.git"
	damagedName = "damaged-"
	freshName   = "fresh-"
)

func openCache(dir string) (*cache, error) {
	c := &cache{dir: dir}
	if dir == "" {
		temp, err := os.MkdirTemp("", "gitledger-cache-")
		if err != nil {
			return nil, fail(shard.ErrUnavailable, "no temporary directory for the cache")
		}
		c.dir, c.temp = temp, true
	} else if os.MkdirAll(dir, 0o700) != nil {
		return nil, fail(shard.ErrUnavailable, "the cache directory cannot be made")
	}
	if c.worn() {
		c.discard(nil)
	}
	return c, nil
}

func (c *cache) path() string { return filepath.Join(c.dir, cacheName) }

// open opens the cache, and makes it when it is new. What cannot be opened is
// discarded once.
func (c *cache) open() (*handle, error) {
	h, err := c.try()
	if err != nil && c.discard(nil) {
		h, err = c.try()
	}
	return h, err
}

func (c *cache) try() (*handle, error) {
	identity, err := os.Stat(c.path())
	if err != nil {
		if err := c.make(); err != nil {
			return nil, err
		}
		if identity, err = os.Stat(c.path()); err != nil {
			return nil, fail(shard.ErrUnavailable, "cache: not made")
		}
	}
	repo, err := git.OpenRepositoryExtended(c.path(), git.RepositoryOpenNoSearch|git.RepositoryOpenBare, "")
	if err != nil {
		return nil, fail(shard.ErrUnavailable, "cache: %s", code(err))
	}
	if err := isolate(repo); err != nil {
		repo.Free()
		return nil, err
	}
	odb, err := repo.Odb()
	if err != nil {
		repo.Free()
		return nil, unavailable(err)
	}
	return &handle{repo: repo, odb: odb, loose: &loose{folders: objectFolders(repo.Path())}, identity: identity}, nil
}

// make makes an empty cache beside its place and moves it there, so that no
// other process sees half of one. Whoever is first wins.
func (c *cache) make() error {
	fresh := filepath.Join(c.dir, freshName+rand.Text())
	defer os.RemoveAll(fresh)
	repo, err := git.InitRepository(fresh, true)
	if err != nil {
		return fail(shard.ErrUnavailable, "cache: %s", code(err))
	}
	repo.Free()
	if err := os.Rename(fresh, c.path()); err != nil {
		if _, err := os.Stat(c.path()); err != nil {
			return fail(shard.ErrUnavailable, "cache: not made")
		}
	}
	return nil
}

// discard throws the cache away that h was opened on, unless another process
// has done so already. It reports whether trying again makes sense.
func (c *cache) discard(h *handle) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, err := os.Stat(c.path())
	if err != nil || h != nil && !os.SameFile(now, h.identity) {
		return true
	}
	away := filepath.Join(c.dir, damagedName+rand.Text())
	if os.Rename(c.path(), away) != nil {
		return false
	}
	os.RemoveAll(away)
	return true
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
		os.RemoveAll(c.dir)
	}
}

package gitbranch

import (
	"context"
	"strings"
	"sync"
	"time"

	git "github.com/libgit2/git2go/v34"

	"github.com/gitledger/gitledger/shard"
)

// A Repository serves the ledger branches of one Git repository. It is safe for
// concurrent use. Close it.
type Repository struct {
	options Options
	store   store
	pool    *pool
	cache   *cache // of a remote repository
	indexes indexes
	shut    func()
	once    sync.Once
}

// store is where branches live: a directory on this machine or a server.
type store interface {
	// head returns where ref is, with its objects at hand, or zero.
	head(ctx context.Context, h *handle, ref string) (git.Oid, error)
	// prepare has the objects of expect at hand, and fails early when it is
	// plain that the branch has moved.
	prepare(ctx context.Context, h *handle, ref string, expect git.Oid) error
	// publish moves ref from expect to next, or changes nothing.
	publish(ctx context.Context, h *handle, ref string, expect, next git.Oid) error
}

// Open opens a repository. For a remote one it does not connect yet; a path must
// lead to a repository, bare or not, else the error matches [shard.ErrUnavailable].
func Open(ctx context.Context, options Options) (*Repository, error) {
	r, err := openRepository(ctx, options.withDefaults())
	return r, named(err, "open", "")
}

func openRepository(ctx context.Context, o Options) (*Repository, error) {
	if err := ended(ctx); err != nil {
		return nil, err
	}
	where, err := locate(o.URL, o.Credential != nil)
	if err != nil {
		return nil, err
	}
	if _, err := sign(o, time.Unix(0, 0)); err != nil {
		return nil, err
	}
	r := &Repository{options: o, shut: func() {}}
	if where.base == nil {
		r.store = &local{}
		r.pool = &pool{open: func() (*handle, error) { return openLocal(where.path) }}
	} else {
		c, err := openCache(o.Cache)
		if err != nil {
			return nil, err
		}
		s := newCarrier(where.base, o)
		r.cache = c
		r.store = &remote{carrier: s, limit: o.MaxFetch, log: o.Logger}
		r.pool = &pool{open: c.open}
		r.shut = func() {
			s.shut()
			c.close()
		}
	}
	h, err := r.pool.get() // finds a path that is no repository now, not later
	if err != nil {
		r.Close()
		return nil, err
	}
	r.pool.put(h)
	return r, nil
}

// Close releases what the Repository holds; a temporary cache is removed. Its
// branches fail from then on.
func (r *Repository) Close() error {
	r.once.Do(func() {
		r.pool.close()
		r.shut()
	})
	return nil
}

// Branch returns the named branch, such as "ledgers/tasks", without refs/heads/;
// Config.Branch of package ledger makes the name. It need not exist, and nothing
// is read yet. What cannot be a branch's name, or has more than 200 bytes, is
// [shard.ErrUnavailable].
func (r *Repository) Branch(name string) (shard.Branch, error) {
	b, err := r.reader(name)
	if err != nil {
		return nil, err
	}
	return &branch{*b}, nil
}

// Reader returns the named branch without the ability to change it: what it
// returns has no Commit method.
func (r *Repository) Reader(name string) (shard.Reader, error) {
	b, err := r.reader(name)
	if err != nil {
		return nil, err
	}
	return b, nil
}

func (r *Repository) reader(name string) (*reader, error) {
	if !isBranchName(name) {
		return nil, fail(shard.ErrUnavailable, "not a branch name")
	}
	return &reader{repo: r, name: name, ref: "refs/heads/" + name}, nil
}

const maxName = 200

// isBranchName adds what Git forbids and libgit2 does not: a delete character,
// and names that Git's commands take for an option or for HEAD.
func isBranchName(name string) bool {
	if len(name) > maxName || strings.ContainsAny(name, "\x00\x7f") || strings.HasPrefix(name, "-") || name == "@" || name == "HEAD" {
		return false
	}
	ok, err := git.ReferenceNameIsValid("refs/heads/" + name)
	return err == nil && ok
}

// sign makes the signatures of a commit.
func sign(o Options, now time.Time) (signatures, error) {
	for _, who := range []Identity{o.Author, o.Committer} {
		if !who.sound() {
			return signatures{}, fail(shard.ErrInvalidChange, "an author or committer needs a name and an email without control characters and angle brackets")
		}
	}
	return signatures{
		author:    &git.Signature{Name: o.Author.Name, Email: o.Author.Email, When: now},
		committer: &git.Signature{Name: o.Committer.Name, Email: o.Committer.Email, When: now},
	}, nil
}

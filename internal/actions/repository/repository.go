// Package repository opens the repository of a job. It is apart from package
// actions so that a job without storage does not link libgit2.
package repository

import (
	"context"
	"errors"
	"flag"
	"strings"

	"github.com/gitledger/gitledger/internal/actions"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/shard"
	"github.com/gitledger/gitledger/shard/gitbranch"
	"github.com/gitledger/gitledger/txn"
)

// Flag is the flag for the url that Open takes.
func Flag(f *flag.FlagSet, url *string) {
	f.StringVar(url, "repo", "", "the repository's `URL` or path, instead of the workflow's own")
}

// Branches gives txn.Persist the branches of a repository.
func Branches(r *gitbranch.Repository) txn.Branches {
	return func(_ context.Context, cfg ledger.Config) (shard.Branch, error) { return r.Branch(cfg.Branch()) }
}

// Open opens the repository at url, else the one that the workflow runs in, with
// the job's token. Cache may be empty. Nothing is asked of a server yet: a URL that
// cannot be opened is given wrongly, and so it stays when the job runs again.
func Open(ctx context.Context, c *actions.Call, url, cache string) (*gitbranch.Repository, error) {
	url, token, err := c.Remote(url)
	if err != nil {
		return nil, err
	}
	options := gitbranch.Options{URL: url, Cache: cache}
	if token != "" {
		options.Credential = gitbranch.Token(token)
	}
	r, err := gitbranch.Open(ctx, options)
	if strings.Contains(url, "://") && errors.Is(err, shard.ErrUnavailable) {
		return nil, actions.Usage(err.Error() + ": correct the repository's URL, or the folder of -cache")
	}
	return r, err
}

// History reads a ledger as a projection would. The history may be malformed.
func History(ctx context.Context, r *gitbranch.Repository, cfg ledger.Config) (*ledger.History, error) {
	reader, err := r.Reader(cfg.Branch())
	if err != nil {
		return nil, err
	}
	snap, err := reader.Snapshot(ctx, shard.ProjectionLimits())
	if err != nil {
		return nil, err
	}
	return ledger.Reconstruct(ctx, snap)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/shard/gitbranch"
)

type options struct {
	dir, workflow, requests string
	local                   bool
}

// lifecycle is what the jobs share: the declaration, and where things are.
type lifecycle struct {
	screen  *screen
	configs ledger.Configs
	dir     string
	url     string          // of the repository, for every job
	planned map[string]bool // ledgers that have a compaction plan
}

func run(ctx context.Context, o options, s *screen) (err error) {
	start := time.Now()
	l := &lifecycle{screen: s, dir: o.dir, planned: map[string]bool{}}
	workflow, err := file(o.workflow, "workflow.md")
	if err != nil {
		return err
	}
	if l.configs, err = ledger.ParseYAML(workflow); err != nil {
		return err
	}
	requests, err := file(o.requests, "requests.jsonl")
	if err != nil {
		return err
	}
	closeStore, err := l.openStore(o.local)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeStore()) }()

	l.declare()
	if err := l.live(ctx, batches(requests)); err != nil {
		return err
	}
	s.printf("\n%s in %s\n", s.style("1;32", "✔ the whole lifecycle"), took(start))
	if o.dir != "" {
		s.printf("  kept: repository.git, databases in db/<ledger>/ledger.db, artifacts and plans in %s\n", o.dir)
	}
	return nil
}

// openStore makes a bare repository and, unless local, a Git server for it.
func (l *lifecycle) openStore(local bool) (closeStore func() error, err error) {
	remove := func() error { return nil }
	if held, err := os.ReadDir(l.dir); l.dir != "" && err == nil && len(held) > 0 {
		return nil, errors.New("the directory that -dir names is not empty")
	}
	if l.dir == "" {
		if l.dir, err = os.MkdirTemp("", "gitledger-lifecycle-"); err != nil {
			return nil, errors.New("cannot make a temporary directory")
		}
		remove = func() error { return os.RemoveAll(l.dir) }
	}
	if err := os.MkdirAll(filepath.Join(l.dir, "artifacts"), 0o755); err != nil {
		return nil, errors.New("cannot make the directory that -dir names")
	}
	if local {
		l.url = filepath.Join(l.dir, "repository.git")
		return remove, gittest.InitBare(l.url)
	}
	server, err := gittest.New(l.dir)
	if err != nil {
		return nil, err
	}
	l.url, _, err = server.Create("repository.git")
	return func() error { return errors.Join(server.Close(), remove()) }, err
}

func (l *lifecycle) declare() {
	s := l.screen
	s.printf("%s\n", s.style("1", "gitledger: the life of a ledger, against a real Git repository"))
	s.line("repository  %s", l.url)
	var rows [][]string
	for _, cfg := range l.configs {
		kind := string(cfg.Type)
		if cfg.Type == ledger.Raw {
			kind = "(raw records)"
		}
		rows = append(rows, []string{cfg.Name, kind, cfg.Branch(), fmt.Sprintf("%d KiB", cfg.Limits.SegmentBytes>>10)})
	}
	s.table([]string{"ledger", "type", "branch", "segment"}, rows, len(rows))
}

// live plays the runs, then maintenance, and compares what is before and after.
func (l *lifecycle) live(ctx context.Context, runs [][]byte) error {
	if err := l.refuseInjected(); err != nil {
		return err
	}
	if err := l.playRuns(ctx, runs); err != nil {
		return err
	}
	if err := l.prepare(ctx, "before"); err != nil {
		return err
	}
	before, err := l.ask(ctx, "before")
	if err != nil {
		return err
	}
	if err := l.maintain(ctx); err != nil {
		return err
	}
	if err := l.prepare(ctx, "after"); err != nil {
		return err
	}
	after, err := l.inspect(ctx, "after")
	if err != nil {
		return err
	}
	return l.compare(before, after)
}

// repository opens the repository as one job would: with a cache of its own
// kind, and closed when the job ends.
func (l *lifecycle) repository(ctx context.Context) (*gitbranch.Repository, error) {
	return gitbranch.Open(ctx, gitbranch.Options{
		URL:    l.url,
		Cache:  filepath.Join(l.dir, "cache.git"),
		Author: gitbranch.Identity{Name: "lifecycle", Email: "lifecycle@example.invalid"},
	})
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gitledger/gitledger/internal/actions"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/shard"
	"github.com/gitledger/gitledger/txn"
)

// safeOutputs is the safe-outputs job: it is handed requests and the
// configuration, and no storage.
func safeOutputs(configs ledger.Configs, transactionID string, requests []byte) (*txn.Transaction, error) {
	return txn.Normalize(configs, transactionID, bytes.NewReader(requests))
}

// persist is the persistence job: it trusts nothing in the artifact.
func persist(ctx context.Context, branches txn.Branches, configs ledger.Configs, artifact []byte) (*txn.Result, error) {
	return txn.Persist(ctx, branches, configs, artifact, txn.Options{})
}

// refuseInjected shows what a prompt-injected agent gets.
func (l *lifecycle) refuseInjected() error {
	injected, err := file("", "injected.jsonl")
	if err != nil {
		return err
	}
	s := l.screen
	s.job("safe outputs", "trusted", "an injected agent's requests and the configuration; no storage")
	_, err = safeOutputs(l.configs, "4200:1", injected)
	var refused *txn.RequestErrors
	if !errors.As(err, &refused) {
		return nil // the configuration of -workflow may admit them
	}
	s.line("%d requests refused, all at once, nothing written:", len(refused.Errors))
	for _, e := range refused.Errors {
		s.line("  %s", actions.Text(e.Error(), 160))
	}
	return nil
}

// playRuns takes each run through safe outputs and persist.
func (l *lifecycle) playRuns(ctx context.Context, runs [][]byte) error {
	s := l.screen
	s.job("safe outputs", "trusted", "each run's requests and the configuration; no storage")
	s.line("writes the versioned artifact of accepted mutations; a request is queued, not durable")
	s.job("persist", "trusted", "the branches, the configuration, the artifact's bytes")
	start := time.Now()
	var total txn.LedgerResult
	commits := 0
	for i, requests := range runs {
		result, err := l.playRun(ctx, i+1, requests)
		if err != nil {
			return fmt.Errorf("run %d: %w", i+1, err)
		}
		for _, r := range result.Ledgers {
			total.Requested += r.Requested
			total.Persisted += r.Persisted
			total.Pushes += r.Pushes
			commits++
		}
		s.progress(i+1, len(runs), fmt.Sprintf("runs, %d records durable", total.Persisted))
	}
	s.line("%d runs: %d requests became %d durable records in %d commits with %d pushes, %s",
		len(runs), total.Requested, total.Persisted, commits, total.Pushes, took(start))
	return l.persistAgain(ctx, runs)
}

func (l *lifecycle) playRun(ctx context.Context, run int, requests []byte) (*txn.Result, error) {
	t, err := safeOutputs(l.configs, transactionID(run), requests)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(l.dir, "artifacts", fmt.Sprintf("transactions-%03d.json", run))
	if err := txn.WriteFile(path, t); err != nil {
		return nil, err
	}
	artifact, err := txn.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return l.persistArtifact(ctx, artifact)
}

func (l *lifecycle) persistArtifact(ctx context.Context, artifact []byte) (*txn.Result, error) {
	repo, err := l.repository(ctx)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	branches := func(_ context.Context, cfg ledger.Config) (shard.Branch, error) { return repo.Branch(cfg.Branch()) }
	return persist(ctx, branches, l.configs, artifact)
}

// persistAgain retries the last run, as a re-run workflow does.
func (l *lifecycle) persistAgain(ctx context.Context, runs [][]byte) error {
	artifact, err := txn.ReadFile(filepath.Join(l.dir, "artifacts", fmt.Sprintf("transactions-%03d.json", len(runs))))
	if err != nil {
		return err
	}
	again, err := l.persistArtifact(ctx, artifact)
	if err != nil {
		return err
	}
	present, written := 0, 0
	for _, r := range again.Ledgers {
		present += r.AlreadyPresent
		written += r.Persisted
	}
	l.screen.line("the last run persisted again: %d records already present, %d written", present, written)
	return nil
}

func transactionID(run int) string { return fmt.Sprintf("%d:1", 4200+run) }

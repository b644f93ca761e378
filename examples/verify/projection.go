package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay/sqlite"
	"github.com/gitledger/gitledger/shard"
)

// compareProjection rebuilds the projection of a ledger and compares every row
// with the database that was given.
func compareProjection(ctx context.Context, o options, reader shard.Reader, p *printer) {
	cfg, err := declared(o)
	if err != nil {
		p.failed(err)
		return
	}
	dir, err := os.MkdirTemp("", "gitledger-verify-")
	if err != nil {
		p.failed(errors.New("no temporary directory"))
		return
	}
	defer os.RemoveAll(dir)
	rebuilt := filepath.Join(dir, "ledger.db")
	if _, err := sqlite.Prepare(ctx, reader, cfg, rebuilt, sqlite.Options{}); err != nil {
		p.failed(err)
		return
	}
	want, rows, err := digest(ctx, rebuilt, cfg)
	if err != nil {
		p.failed(err)
		return
	}
	got, _, err := digest(ctx, o.projection, cfg)
	if errors.Is(err, sqlite.ErrNotProjection) {
		p.projection(false, rows)
		return
	}
	if err != nil {
		p.failed(err)
		return
	}
	p.projection(got == want, rows)
}

// declared returns the configuration of the ledger.
func declared(o options) (ledger.Config, error) {
	data, err := os.ReadFile(o.config)
	if err != nil {
		return ledger.Config{}, errors.New("the workflow file cannot be read")
	}
	configs, err := ledger.Parser{Files: os.DirFS(filepath.Dir(o.config))}.YAML(data)
	if err != nil {
		return ledger.Config{}, err
	}
	cfg, ok := configs.Lookup(o.ledgers[0])
	if !ok {
		return ledger.Config{}, fmt.Errorf("the workflow file declares no ledger %s", o.ledgers[0])
	}
	return cfg, nil
}

// digest is that of all rows of a projection.
func digest(ctx context.Context, path string, cfg ledger.Config) (sum [sha256.Size]byte, rows int, err error) {
	// A whole projection; an agent's limits are smaller.
	db, err := sqlite.Open(ctx, path, sqlite.Limits{Rows: 1 << 24, Bytes: 1 << 30, Time: 5 * time.Minute})
	if err != nil {
		return sum, 0, err
	}
	defer db.Close()
	tables := []string{"records", "parents", "shards", "diagnostics", "replay_metadata"}
	for _, t := range ledger.Tables(cfg.Type) {
		tables = append(tables, t.Name)
	}
	hash := sha256.New()
	for _, table := range tables {
		result, err := db.Stream(ctx, "SELECT * FROM "+table+" ORDER BY 1, 2")
		if err != nil {
			return sum, 0, err
		}
		fmt.Fprintf(hash, "%q %q\n", table, result.Columns())
		for row, err := range result.All() {
			if err != nil {
				return sum, 0, err
			}
			rows++
			fmt.Fprintf(hash, "%q\n", row)
		}
		if result.Truncated() {
			return sum, 0, errors.New("the projection is too large to compare")
		}
	}
	hash.Sum(sum[:0])
	return sum, rows, nil
}

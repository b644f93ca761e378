package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay/sqlite"
	"github.com/gitledger/gitledger/shard"
)

// prepare is the agent job's preparation: it is handed a branch reader.
func prepare(ctx context.Context, r shard.Reader, cfg ledger.Config, path string) (sqlite.Report, error) {
	return sqlite.Prepare(ctx, r, cfg, path, sqlite.Options{})
}

// query is the agent: it is handed a read-only database file.
func query(ctx context.Context, path, sql string) (*sqlite.Result, error) {
	db, err := sqlite.Open(ctx, path, sqlite.Limits{})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	return db.Query(ctx, sql)
}

// database is where the projection of a ledger is, before or after maintenance.
func (l *lifecycle) database(when string, cfg ledger.Config) string {
	return filepath.Join(l.dir, "db", when, cfg.Name, "ledger.db")
}

func (l *lifecycle) prepare(ctx context.Context, when string) error {
	s := l.screen
	s.job("prepare", "trusted", "a branch reader, the configuration, a path")
	repo, err := l.repository(ctx)
	if err != nil {
		return err
	}
	defer repo.Close()
	start := time.Now()
	records := 0
	for i, cfg := range l.configs {
		reader, err := repo.Reader(cfg.Branch())
		if err != nil {
			return err
		}
		report, err := prepare(ctx, reader, cfg, l.database(when, cfg))
		if err != nil {
			return err
		}
		records += report.Records
		s.progress(i+1, len(l.configs), "projections")
	}
	s.line("%d projections of %d records, %s maintenance, %s", len(l.configs), records, when, took(start))
	return nil
}

// ask shows what an agent sees: some rows of each state, and the notes by rank.
func (l *lifecycle) ask(ctx context.Context, when string) (map[string]state, error) {
	s := l.screen
	s.job("agent", "untrusted", "a read-only database file")
	for _, cfg := range l.configs {
		sql := "SELECT * FROM state"
		switch cfg.Type {
		case ledger.Notes:
			sql = `SELECT c.subject, s.net_votes, s.upvotes, s.downvotes, s.last_positive_vote_at
			       FROM notes c JOIN note_state s ON s.note_id = c.id
			       ORDER BY s.net_votes DESC, c.created_at DESC LIMIT 20`
		case ledger.Raw:
			sql = `SELECT json_extract(payload, '$.run_id') AS run_id, json_extract(payload, '$.status') AS status
			       FROM records WHERE json_extract(payload, '$.record_type') = 'audit'
			       ORDER BY ordinal DESC LIMIT 100`
		}
		result, err := query(ctx, l.database(when, cfg), sql)
		if err != nil {
			return nil, err
		}
		s.line("%s", s.style("1", cfg.Name))
		s.table(result.Columns, cells(result), 3)
	}
	return l.inspect(ctx, when)
}

func cells(r *sqlite.Result) [][]string {
	rows := make([][]string, len(r.Rows))
	for i, row := range r.Rows {
		for _, v := range row {
			text := fmt.Sprint(v)
			if v == nil {
				text = "–"
			}
			rows[i] = append(rows[i], text)
		}
	}
	return rows
}

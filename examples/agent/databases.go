package main

import (
	"context"
	"flag"
	"path/filepath"
	"sync"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay/sqlite"
)

// databases are the projections of the configured ledgers, each opened when it is
// first asked for. It is safe for concurrent use.
type databases struct {
	configs ledger.Configs
	root    string // folder of <ledger>/ledger.db; empty for where the prepare job puts them
	limits  sqlite.Limits

	mu   sync.Mutex
	open map[string]*sqlite.DB
}

func (d *databases) flags(f *flag.FlagSet) {
	f.StringVar(&d.root, "databases", "", "the `folder` of <ledger>/ledger.db, instead of where prepare puts them")
	f.IntVar(&d.limits.Rows, "rows", 0, "the most `rows` of a result; 0 is 1000")
	f.IntVar(&d.limits.Bytes, "bytes", 0, "the most `bytes` of a result; 0 is 1 MiB")
	f.DurationVar(&d.limits.Time, "time", 0, "the longest `time` of a query; 0 is 5s")
}

// get returns the database of a ledger. Without a name it is the only one's.
func (d *databases) get(ctx context.Context, name string) (*sqlite.DB, error) {
	cfg, err := choose(d.configs, name)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if db := d.open[cfg.Name]; db != nil {
		return db, nil
	}
	path := cfg.DatabasePath()
	if d.root != "" {
		path = filepath.Join(d.root, cfg.Name, filepath.Base(path))
	}
	db, err := sqlite.Open(ctx, path, d.limits)
	if err != nil {
		return nil, err
	}
	if db.Type() != cfg.Type {
		_ = db.Close()
		return nil, sqlite.ErrNotProjection
	}
	if d.open == nil {
		d.open = map[string]*sqlite.DB{}
	}
	d.open[cfg.Name] = db
	return db, nil
}

func choose(configs ledger.Configs, name string) (ledger.Config, error) {
	if name == "" {
		if len(configs) == 1 {
			return configs[0], nil
		}
		return ledger.Config{}, refusal{code: "ledger-missing", message: "several ledgers are configured: name one"}
	}
	cfg, ok := configs.Lookup(name)
	if !ok {
		return ledger.Config{}, refusal{code: "unknown-ledger", message: "no ledger of that name is configured"}
	}
	return cfg, nil
}

func (d *databases) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, db := range d.open {
		_ = db.Close() // it was only read
	}
	d.open = nil
}

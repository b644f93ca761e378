package sqlite

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay"
	"github.com/gitledger/gitledger/shard"
)

// Options of [Prepare] and [Write]. The zero value builds a database that its
// owner can replace and delete.
type Options struct {
	// Seal leaves the file with mode 0444 and its folder with 0555, as an agent
	// should find them. The next preparation of the same owner unseals
	// the folder for as long as it takes.
	Seal bool

	// Extend builds on the database that is at path, when it holds the same
	// records in the same places up to a point, and the new ones come after
	// them in replay order. The result has the same content as a new one. Use
	// it only where nobody else can write to path: what is there is trusted.
	Extend bool
}

// Report is what a preparation did. It holds names, counts and identifiers only.
type Report struct {
	Ledger   string        `json:"ledger"`
	Type     ledger.Type   `json:"type"`
	Head     shard.Head    `json:"head"`
	Records  int           `json:"records"`
	Shards   int           `json:"shards"`
	Kept     int           `json:"kept"` // records that the database at path had already; see Options.Extend
	Duration time.Duration `json:"duration_ns"`
}

// Prepare builds the projection of a ledger branch (S5.1): it reads the branch
// within [shard.ProjectionLimits], verifies and replays every record, and puts
// the database at path. The folder of path is made when it is absent. An absent
// branch is an empty ledger.
//
// Any diagnostic, invalid operation or exceeded limit is an error (S4.3-10,
// S5.1-01, S7-04), and then what was at path before is still there: the
// database is built aside and moved into place when it is durable. A process
// that dies in between leaves a file named like path with a leading dot, a
// number and the extension .tmp, which the next preparation removes (on systems
// with flock).
func Prepare(ctx context.Context, reader shard.Reader, cfg ledger.Config, path string, opts Options) (Report, error) {
	start := time.Now()
	d, err := newDraft(ctx, path, &cfg, opts)
	if err != nil {
		return Report{}, fmt.Errorf("ledger %s: %w", cfg.Name, err)
	}
	defer d.discard()
	snap, err := reader.Snapshot(ctx, shard.ProjectionLimits())
	if err != nil {
		return Report{}, fmt.Errorf("sqlite: ledger %s: %w", cfg.Name, err)
	}
	h, err := ledger.Reconstruct(ctx, snap)
	if err != nil {
		return Report{}, err
	}
	return d.write(ctx, h, cfg, opts, start)
}

// Write is [Prepare] for who has the history already.
func Write(ctx context.Context, h *ledger.History, cfg ledger.Config, path string, opts Options) (Report, error) {
	start := time.Now()
	d, err := newDraft(ctx, path, &cfg, opts)
	if err != nil {
		return Report{}, fmt.Errorf("ledger %s: %w", cfg.Name, err)
	}
	defer d.discard()
	return d.write(ctx, h, cfg, opts, start)
}

// write fills the draft with a history and publishes it.
func (d *draft) write(ctx context.Context, h *ledger.History, cfg ledger.Config, opts Options, start time.Time) (Report, error) {
	if err := h.Err(); err != nil {
		return Report{}, fmt.Errorf("sqlite: ledger %s: %w", cfg.Name, err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := contents{cfg: &cfg, history: h, draft: d, cancel: cancel}
	kept, err := c.write(ctx, opts)
	if err != nil {
		if why := context.Cause(ctx); why != nil {
			return Report{}, why
		}
		return Report{}, fmt.Errorf("ledger %s: %w", cfg.Name, err)
	}
	report := Report{Ledger: cfg.Name, Type: cfg.Type, Head: h.Head(), Records: h.Len(), Kept: kept, Duration: time.Since(start)}
	for range h.Shards() {
		report.Shards++
	}
	return report, nil
}

// replayed starts to replay the history, and returns how to get the result. An
// invalid operation ends everything else that the context is for.
func (c *contents) replayed(ctx context.Context) func() (*replay.State, error) {
	var state *replay.State
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		if state, err = replay.Replay(ctx, c.history, *c.cfg); err != nil {
			c.cancel(err)
		}
	}()
	return func() (*replay.State, error) {
		<-done
		return state, err
	}
}

// write puts the database at path, and returns how many records of the one
// before were kept.
func (c *contents) write(ctx context.Context, opts Options) (kept int, err error) {
	if kept, err = c.extend(ctx); err != nil {
		kept = 0
		if err := c.draft.clear(); err != nil {
			return 0, err
		}
		if err := build(ctx, c.draft.temp, c.fill); err != nil {
			return 0, err
		}
	}
	return kept, c.draft.publish(opts.Seal)
}

// build runs fill in one transaction on the database file. Nothing else has
// the file open, and a failure discards it, so there is no journal.
func build(ctx context.Context, path string, fill func(context.Context, *connection) error) (err error) {
	g, err := newGuard()
	if err != nil {
		return err
	}
	defer g.free()
	conn, err := g.capture(func() (*connection, error) {
		return connect(path, url.Values{
			"mode": {"rw"}, "_mutex": {"no"}, "_locking_mode": {"EXCLUSIVE"},
			"_journal_mode": {"OFF"}, "_synchronous": {"OFF"}, "_cache_size": {"-4096"},
		})
	})
	if err != nil {
		return err
	}
	conn.guard = g
	defer func() { err = errors.Join(err, conn.close()) }()
	if err := conn.exec("BEGIN"); err != nil {
		return err
	}
	if err := fill(ctx, conn); err != nil {
		return err
	}
	return conn.exec("COMMIT")
}

//go:build cgo

package threats_test

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/replay/sqlite"
	"github.com/gitledger/gitledger/shard"
	"github.com/gitledger/gitledger/shard/gitbranch"
	"github.com/gitledger/gitledger/txn"
)

// canary is in every payload, and must be in nothing else that jobs say.
const canary = "canary-c4n4ry"

const declared = `
events: { compaction: { min-segments: 2, max-segments: 8 } }
findings: { type: table, key: id, schema: { type: object, required: [id, severity] }, max-record-kb: 2, max-patch-kb: 4 }
seen: { type: set }
knowledge: { type: notes }
`

// world is a repository behind a Git server, and the ledgers on it.
type world struct {
	t       *testing.T
	server  *gittest.Server
	url     string
	path    string
	configs ledger.Configs
	repo    *gitbranch.Repository
	runs    int
}

// newWorld has three runs behind it, each of which left a record on two ledgers:
// they went into the repository's folder, which takes less than the server.
func newWorld(t *testing.T) *world {
	t.Helper()
	configs, err := ledger.ParseYAMLValue([]byte(declared))
	if err != nil {
		t.Fatal(err)
	}
	server, err := gittest.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	w := &world{t: t, server: server, configs: configs}
	if w.url, w.path, err = server.Create("ledgers.git"); err != nil {
		t.Fatal(err)
	}
	w.open(w.path)
	for i := range 3 {
		w.run(fmt.Sprintf(`{"type":"ledger_append","ledger":"events","record":{"n":%d,"text":%q}}`, i, canary),
			fmt.Sprintf(`{"type":"ledger_append","ledger":"findings","operation":"insert","value":{"id":"F-%d","severity":"low"}}`, i))
	}
	w.open(w.url)
	return w
}

// open lets the jobs use the repository at a URL or path from now on.
func (w *world) open(url string) {
	w.t.Helper()
	repo, err := gitbranch.Open(w.t.Context(), gitbranch.Options{URL: url})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = repo.Close() })
	w.repo = repo
}

func (w *world) branches(_ context.Context, cfg ledger.Config) (shard.Branch, error) {
	return w.repo.Branch(cfg.Branch())
}

// run plays a run that is not the adversary's.
func (w *world) run(requests ...string) {
	w.t.Helper()
	if result, err := w.persist(w.artifact(requests...)); err != nil || !result.Durable() {
		w.t.Fatal(err)
	}
}

// artifact is what the safe-outputs job makes of requests.
func (w *world) artifact(requests ...string) []byte {
	w.t.Helper()
	w.runs++
	tx, err := txn.Normalize(w.configs, fmt.Sprintf("%d:1", w.runs), strings.NewReader(strings.Join(requests, "\n")))
	if err != nil {
		w.t.Fatal(err)
	}
	artifact, err := tx.MarshalJSON()
	if err != nil {
		w.t.Fatal(err)
	}
	return artifact
}

func (w *world) persist(artifact []byte) (*txn.Result, error) {
	return txn.Persist(w.t.Context(), w.branches, w.configs, artifact, impatient())
}

// impatient does not wait between attempts.
func impatient() txn.Options {
	return txn.Options{Attempts: 3, Backoff: txn.Backoff{Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}}
}

func (w *world) config(name string) ledger.Config {
	w.t.Helper()
	cfg, ok := w.configs.Lookup(name)
	if !ok {
		w.t.Fatalf("no ledger %s", name)
	}
	return cfg
}

func (w *world) branch(name string) shard.Branch {
	w.t.Helper()
	b, err := w.repo.Branch("ledgers/" + name)
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}

func (w *world) snapshot(name string) *shard.Snapshot {
	w.t.Helper()
	snap, err := w.branch(name).Snapshot(w.t.Context(), shard.MaintenanceLimits())
	if err != nil {
		w.t.Fatal(err)
	}
	return snap
}

func (w *world) history(name string) *ledger.History {
	w.t.Helper()
	h, err := ledger.Reconstruct(w.t.Context(), w.snapshot(name))
	if err != nil {
		w.t.Fatal(err)
	}
	return h
}

// plant commits files as somebody would who can push.
func (w *world) plant(name string, change shard.Change) {
	w.t.Helper()
	if _, err := w.branch(name).Commit(w.t.Context(), w.snapshot(name).Head, change); err != nil {
		w.t.Fatal(err)
	}
}

// plan is an honest plan for the ledger events.
func (w *world) plan() *compact.Plan {
	w.t.Helper()
	p, err := compact.Propose(w.t.Context(), w.branch("events"), w.config("events"), compact.ProposeOptions{Trigger: compact.Requested})
	if err != nil || p.Plan == nil {
		w.t.Fatalf("no plan: %v %+v", err, p)
	}
	return p.Plan
}

func (w *world) apply(plan []byte) (*compact.Outcome, error) {
	return compact.Apply(w.t.Context(), w.branch("events"), w.config("events"), plan, compact.ApplyOptions{Attempts: 3, Backoff: func(ctx context.Context, _ int) error { return ctx.Err() }})
}

// content is everything that the repository's branches hold: each reference,
// and each commit, folder and file that can be reached from it.
func (w *world) content() string {
	w.t.Helper()
	return w.git("for-each-ref") + w.git("rev-list", "--objects", "--all")
}

// unchanged judges that nothing of the content changed, whatever was tried.
func (w *world) unchanged(before, what string) {
	w.t.Helper()
	if w.content() != before {
		w.t.Errorf("%s: the repository changed", what)
	}
}

// visible judges that every record of a history is still visible.
func (w *world) visible(name string, before *ledger.History) {
	w.t.Helper()
	now := map[record.Hash]bool{}
	after := w.history(name)
	for _, r := range after.Records() {
		now[r.SHA()] = true
	}
	for _, r := range before.Records() {
		if !now[r.SHA()] {
			w.t.Errorf("%s: record %s is gone", name, r.ID())
		}
	}
	if err := after.Err(); err != nil {
		w.t.Error(err)
	}
}

// database prepares a ledger and opens what the agent gets.
func (w *world) database(name string) *sqlite.DB {
	w.t.Helper()
	path := filepath.Join(w.t.TempDir(), "ledger.db")
	if _, err := sqlite.Prepare(w.t.Context(), w.branch(name), w.config(name), path, sqlite.Options{}); err != nil {
		w.t.Fatal(err)
	}
	db, err := sqlite.Open(w.t.Context(), path, sqlite.Limits{})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = db.Close() })
	return db
}

func (w *world) git(args ...string) string {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), "git", append([]string{"-C", w.path}, args...)...)
	cmd.Env = gittest.Environ()
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %s: %v: %s", args[0], err, out)
	}
	return string(out)
}

// lines makes a shard's bytes of payloads.
func lines(t *testing.T, family string, payloads ...string) []byte {
	t.Helper()
	var data []byte
	for i, payload := range payloads {
		r, err := record.Seal(record.Draft{ID: record.DeterministicID(family, i), Type: "ledger_append", Payload: []byte(payload)})
		if err != nil {
			t.Fatal(err)
		}
		data = append(append(data, r.Line()...), '\n')
	}
	return data
}

func newShard(t *testing.T, data []byte) shard.Addition {
	t.Helper()
	id, err := shard.NewID()
	if err != nil {
		t.Fatal(err)
	}
	return shard.Addition{ID: id, Data: data}
}

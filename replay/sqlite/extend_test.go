package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/replay"
	"github.com/gitledger/gitledger/replay/sqlite"
	"github.com/gitledger/gitledger/shard"
)

// addConcurrent appends several chains that all start from the same heads, as
// runs that do not know of each other do.
func (m *memory) addConcurrent(tb testing.TB, payloads ...string) {
	tb.Helper()
	from := m.parents
	m.parents = nil
	for _, p := range payloads {
		r := m.seal(tb, p, from)
		m.parents = append(m.parents, r.SHA())
		m.addShard(tb, append(slices.Clone(r.Line()), '\n'))
	}
}

// compact merges all shards into one.
func (m *memory) compact(tb testing.TB) {
	tb.Helper()
	var records []*record.Record
	for _, s := range m.shards {
		for line, err := range record.Lines(s.Data) {
			if err != nil {
				tb.Fatal(err)
			}
			records = append(records, &line.Record)
		}
	}
	merged, err := shard.Replacement(records, []byte(`{"compaction":"gh-aw/ledger-compaction-plan/v1"}`))
	if err != nil {
		tb.Fatal(err)
	}
	m.shards = []shard.Shard{{Name: merged.ID.FileName(), ID: merged.ID, Size: int64(len(merged.Data)), Data: merged.Data}}
}

// An extended database has the content of a new one, however the ledger grew.
func TestExtendIsLikeRebuild(t *testing.T) {
	r := random(t)
	for _, typ := range append(ledger.Types(), ledger.Raw) {
		dir := t.TempDir()
		grownPath, fresh := filepath.Join(dir, "grown.db"), filepath.Join(dir, "fresh.db")
		m := &memory{}
		kept, rebuilt := 0, 0
		for step := range 12 {
			switch r.IntN(6) {
			case 0:
				m.addConcurrent(t, operation(typ, m.n, r), operation(typ, m.n+1, r), operation(typ, m.n+2, r))
			case 1:
				if m.n > 0 {
					m.compact(t)
				}
			case 2: // nothing is new
			default:
				var batch []string
				for i := range 1 + r.IntN(40) {
					batch = append(batch, operation(typ, m.n+i, r))
				}
				m.add(t, batch...)
			}
			before := m.n
			report, err := sqlite.Prepare(t.Context(), m, config(typ), grownPath, sqlite.Options{Extend: true})
			if err != nil {
				t.Fatal(err)
			}
			if report.Kept > before {
				t.Errorf("kept %d of %d", report.Kept, before)
			}
			if report.Kept > 0 {
				kept++
			} else if step > 0 {
				rebuilt++
			}
			prepare(t, m, config(typ), fresh)
			if got, want := dump(t, grownPath), dump(t, fresh); got != want {
				t.Fatalf("%s, step %d: extended\n%s\nnew\n%s", typ, step, got, want)
			}
		}
		if kept == 0 {
			t.Errorf("%s: never extended, rebuilt %d times", typ, rebuilt)
		}
	}
}

func TestExtendOnlyTheSame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	m := grown(t, ledger.Map, 150)
	extend := func(m *memory, cfg ledger.Config) int {
		t.Helper()
		report, err := sqlite.Prepare(t.Context(), m, cfg, path, sqlite.Options{Extend: true})
		if err != nil {
			t.Fatal(err)
		}
		return report.Kept
	}
	if kept := extend(m, config(ledger.Map)); kept != 0 {
		t.Errorf("kept %d of nothing", kept)
	}
	m.add(t, operation(ledger.Map, 1, rand.New(rand.NewPCG(1, 1))))
	if kept := extend(m, config(ledger.Map)); kept != 150 {
		t.Errorf("kept %d", kept)
	}
	other := config(ledger.Map)
	other.Name = "other"
	if kept := extend(m, other); kept != 0 {
		t.Errorf("kept %d of another ledger", kept)
	}
	schema := other
	var err error
	if schema.Schema, err = ledger.CompileSchema([]byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	if kept := extend(m, schema); kept != 0 {
		t.Errorf("kept %d under another schema", kept)
	}
	if kept := extend(grown(t, ledger.Map, 20), schema); kept != 0 {
		t.Errorf("kept %d of a longer history", kept)
	}
	for _, damaged := range []string{"", "nonsense", strings.Repeat("x", 100_000)} {
		if err := os.WriteFile(path, []byte(damaged), 0o600); err != nil {
			t.Fatal(err)
		}
		if kept := extend(m, schema); kept != 0 {
			t.Errorf("kept %d of a damaged file", kept)
		}
		if r, err := open(t, path, sqlite.Limits{}).Query(t.Context(), "SELECT count(*) FROM records"); err != nil || fmt.Sprint(r.Rows) != "[[151]]" {
			t.Error(r, err)
		}
	}
}

// meanwhile is a branch that does something before it is read.
type meanwhile struct {
	*memory
	do func()
}

func (m meanwhile) Snapshot(ctx context.Context, limits shard.Limits) (*shard.Snapshot, error) {
	m.do()
	return m.memory.Snapshot(ctx, limits)
}

// Another preparation may replace the database while this one extends it. What
// is extended is the copy that was made, whatever is at the path by then.
func TestExtendWhileAnotherPublishes(t *testing.T) {
	dir := t.TempDir()
	path, fresh := filepath.Join(dir, "ledger.db"), filepath.Join(dir, "fresh.db")
	m := grown(t, ledger.Log, 100)
	prepare(t, m, config(ledger.Log), path)
	r := rand.New(rand.NewPCG(1, 1))
	report, err := sqlite.Prepare(t.Context(), meanwhile{m, func() {
		m.add(t, operation(ledger.Log, m.n, r))
		prepare(t, m, config(ledger.Log), path)
		m.add(t, operation(ledger.Log, m.n, r))
	}}, config(ledger.Log), path, sqlite.Options{Extend: true})
	if err != nil || report.Kept != 100 || report.Records != 102 {
		t.Fatal(report, err)
	}
	prepare(t, m, config(ledger.Log), fresh)
	if got, want := dump(t, path), dump(t, fresh); got != want {
		t.Errorf("extended\n%s\nnew\n%s", got, want)
	}
}

// A vote that is new meets the notes that are old, and no others.
func TestExtendVotes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	m := &memory{}
	ids := m.add(t, note(0), note(1))
	prepare(t, m, config(ledger.Notes), path)
	votes := m.add(t, vote(ids[0], "up"))
	report, err := sqlite.Prepare(t.Context(), m, config(ledger.Notes), path, sqlite.Options{Extend: true})
	if err != nil || report.Kept != 2 {
		t.Fatal(report, err)
	}
	before := dump(t, path)
	for _, on := range []record.ID{votes[0], record.DeterministicID("another", 0)} {
		worse := &memory{shards: slices.Clone(m.shards), parents: m.parents, n: m.n}
		worse.add(t, vote(on, "up"))
		if _, err := sqlite.Prepare(t.Context(), worse, config(ledger.Notes), path, sqlite.Options{Extend: true}); !errors.Is(err, replay.MissingNote) {
			t.Errorf("a vote on no note: %v", err)
		}
		if dump(t, path) != before {
			t.Error("the database changed")
		}
	}
}

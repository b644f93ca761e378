//go:build cgo

package threats_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
	"github.com/gitledger/gitledger/txn"
)

// The agent's record claims to be another one: the ID that a later run's record
// will have, so that the later run finds its place taken. No spelling of an
// envelope's field is let in by a raw ledger, and no other field by a typed one.
func TestThreatClaimedRecordID(t *testing.T) {
	w := newWorld(t)
	next := record.DeterministicID(fmt.Sprintf("%d:1", w.runs+2), 0).String()
	before := w.content()
	var requests []string
	for _, field := range ledger.ReservedFields() {
		requests = append(requests, fmt.Sprintf(`{"type":"ledger_append","ledger":"events","record":{%q:%q}}`, field, next))
	}
	requests = append(requests,
		fmt.Sprintf(`{"type":"ledger_append","ledger":"events","record":{"\u0069d":%q}}`, next),
		fmt.Sprintf(`{"type":"ledger_append","ledger":"events","record":{"x":1},"id":%q}`, next),
		fmt.Sprintf(`{"type":"ledger_append","ledger":"seen","operation":"add","value":1,"id":%q}`, next),
		fmt.Sprintf(`{"type":"ledger_append","ledger":"seen","operation":"add","value":1,"ID":%q}`, next),
		fmt.Sprintf(`{"type":"ledger_append","ledger":"events","temporary_id":%q,"record":{}}`, next+"{"),
	)
	for _, request := range requests {
		if _, err := txn.Normalize(w.configs, "9:1", strings.NewReader(request)); err == nil {
			t.Errorf("accepted: %s", request)
		}
	}
	w.unchanged(before, "claims")
	// Where an ID is a value it claims nothing.
	w.run(fmt.Sprintf(`{"type":"ledger_append","ledger":"events","record":{"value":{"id":%q}}}`, next),
		fmt.Sprintf(`{"type":"ledger_append","ledger":"seen","operation":"add","value":{"id":%q}}`, next))
	w.run(`{"type":"ledger_append","ledger":"events","record":{"n":"honest"}}`)
	if h := w.history("events"); h.Record(h.Len()-1).ID().String() != next {
		t.Errorf("the ID %s was not the one to claim", next)
	}
}

// A shard under the name of one that the branch has, with fewer of its records,
// lies wherever an agent can write; the persistence job started there (S9-03).
func TestThreatCopiesInEveryFolder(t *testing.T) {
	w := newWorld(t)
	folder := t.TempDir()
	t.Chdir(folder)
	t.Setenv("HOME", folder)
	t.Setenv("TMPDIR", filepath.Join(folder, "tmp"))
	snap, history := w.snapshot("events"), w.history("events")
	for _, root := range []string{"", "tmp", "tmp/gh-aw/ledgers/events", "ledgers/events", ".git"} {
		for _, s := range snap.Shards {
			path := filepath.Join(folder, root, s.ID.Path())
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, s.Data[:len(s.Data)/2], 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	w = w.second() // opened where the copies are
	w.run(`{"type":"ledger_append","ledger":"events","record":{"n":"honest"}}`)
	w.visible("events", history)
	after := w.snapshot("events")
	for _, s := range snap.Shards {
		i, found := 0, false
		for ; i < len(after.Shards) && !found; i++ {
			found = after.Shards[i].ID == s.ID && string(after.Shards[i].Data) == string(s.Data)
		}
		if !found {
			t.Errorf("%s is not what it was", s.ID)
		}
	}
	if len(after.Shards) != len(snap.Shards)+1 {
		t.Errorf("%d shards after %d", len(after.Shards), len(snap.Shards))
	}
}

// Identities that are forged over more than one shard (S9-05).
func TestThreatForgedIdentityAcrossShards(t *testing.T) {
	good := lines(t, "good", `{"n":1}`)
	twin := lines(t, "good", `{"n":"twin"}`)
	w := newWorld(t)
	sound := w.history("events")
	// The same record twice is one record, not a diagnostic.
	w.plant("events", shard.Change{Add: []shard.Addition{newShard(t, good), newShard(t, good)}})
	if h := w.history("events"); h.Err() != nil || h.Len() != sound.Len()+1 {
		t.Errorf("a record twice: %d records, %v", h.Len(), h.Err())
	}
	w.database("events")
	// The same ID with other content is, in whatever order the shards come.
	w.plant("events", shard.Change{Add: []shard.Addition{newShard(t, twin)}})
	before := w.content()
	h := w.history("events")
	if d := h.Diagnostics(); len(d) == 0 || d[0].Code != record.DuplicateIDConflict {
		t.Errorf("%+v", d)
	}
	w.visibleDespite("events", sound)
	if result, err := w.persist(w.artifact(`{"type":"ledger_append","ledger":"events","record":{}}`)); !errors.Is(err, ledger.ErrMalformed) || result.Durable() {
		t.Errorf("persisted: %v", err)
	}
	w.unchanged(before, "an ID with two contents")
}

// visibleDespite is visible on a history that is malformed.
func (w *world) visibleDespite(name string, before *ledger.History) {
	w.t.Helper()
	now := map[record.Hash]bool{}
	for _, r := range w.history(name).Records() {
		now[r.SHA()] = true
	}
	for _, r := range before.Records() {
		if !now[r.SHA()] {
			w.t.Errorf("%s: record %s is gone", name, r.ID())
		}
	}
}

// The bytes of the artifact are overwritten while persistence is at work, after
// they were judged: what is stored is what was judged.
func TestThreatArtifactOverwrittenInMemory(t *testing.T) {
	w := newWorld(t)
	artifact := w.artifact(`{"type":"ledger_append","ledger":"seen","operation":"add","value":"good"}`)
	branches := func(ctx context.Context, cfg ledger.Config) (shard.Branch, error) {
		copy(artifact, strings.Replace(string(artifact), `"good"`, `"evil"`, 1))
		return w.branches(ctx, cfg)
	}
	if _, err := txn.Persist(t.Context(), branches, w.configs, artifact, impatient()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(artifact), "evil") {
		t.Fatal("nothing was overwritten")
	}
	got, err := w.database("seen").Query(t.Context(), "SELECT value FROM state")
	if err != nil || fmt.Sprint(got.Rows) != `[["good"]]` {
		t.Errorf("%+v, %v", got, err)
	}
}

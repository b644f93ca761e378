//go:build cgo

package threats_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/replay/sqlite"
	"github.com/gitledger/gitledger/shard"
	"github.com/gitledger/gitledger/txn"
)

// The agent writes shards, coverage declarations and rows where it can: into its
// folder, its database, its requests and the artifact (S9-02).
func TestThreatForgedLedgerFiles(t *testing.T) {
	w := newWorld(t)
	folder := t.TempDir()
	t.Chdir(folder)
	forged := newShard(t, lines(t, "forged", `{"n":"forged"}`))
	for path, data := range map[string][]byte{
		forged.ID.Path():           forged.Data,
		shard.StatePath:            []byte(`{"version":"gh-aw/ledger-compaction-state/v1"}`),
		"ledger/coverage/all.json": []byte(`{"covers":"everything"}`),
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	before := w.content()
	for _, line := range []string{
		`{"type":"ledger_append","ledger":"events","record":{},"shards":["` + forged.ID.String() + `"]}`,
		`{"type":"ledger_append","ledger":"events","record":{},"coverage":{"all":true}}`,
		`{"type":"ledger_shard","ledger":"events","data":"x"}`,
		`{"type":"ledger_append","ledger":"events","record":{"sha":"` + record.Sum(nil).String() + `"}}`,
	} {
		if _, err := txn.Normalize(w.configs, "9:1", strings.NewReader(line)); err == nil {
			t.Errorf("accepted: %s", line)
		}
	}
	artifact := w.artifact(`{"type":"ledger_append","ledger":"events","record":{"n":"honest"}}`)
	for _, extra := range []string{`{"shards":{"x":"y"},`, `{"coverage":[],`} {
		if _, err := w.persist(bytes.Replace(artifact, []byte("{"), []byte(extra), 1)); !errors.Is(err, txn.ErrArtifact) {
			t.Errorf("%s: %v", extra, err)
		}
	}
	w.unchanged(before, "forged files")

	history := w.history("events")
	if _, err := w.persist(artifact); err != nil {
		t.Fatal(err)
	}
	w.visible("events", history)
	if n := w.history("events").Len(); n != history.Len()+1 {
		t.Errorf("%d records after one honest one", n-history.Len())
	}
	if files := w.git("ls-tree", "-r", "--name-only", "ledgers/events"); strings.Contains(files, "coverage") || strings.Contains(files, forged.ID.String()) {
		t.Errorf("forged files are on the branch:\n%s", files)
	}
}

// A shard that exists is not overwritten, by whatever way its name comes again
// (S9-03).
func TestThreatTruncatedCopy(t *testing.T) {
	w := newWorld(t)
	snap, before := w.snapshot("events"), w.content()
	victim := snap.Shards[0]
	for _, data := range [][]byte{victim.Data[:len(victim.Data)/2], lines(t, "other", `{}`)} {
		change := shard.Change{Add: []shard.Addition{{ID: victim.ID, Data: data}}}
		if _, err := w.branch("events").Commit(t.Context(), snap.Head, change); !errors.Is(err, shard.ErrIdentityCollision) {
			t.Errorf("%v", err)
		}
		w.unchanged(before, "a copy of a shard")
	}
	history := w.history("events")
	opts := impatient()
	opts.NewShardID = func() (shard.ID, error) { return victim.ID, nil }
	result, err := txn.Persist(t.Context(), w.branches, w.configs, w.artifact(`{"type":"ledger_append","ledger":"events","record":{"n":"new"}}`), opts)
	if !errors.Is(err, shard.ErrIdentityCollision) || result.Durable() {
		t.Errorf("%+v, %v", result, err)
	}
	w.unchanged(before, "a shard ID that is taken")
	w.visible("events", history)
}

// What the branch holds is checked on every read, whoever put it there (S9-05).
func TestThreatForgedIdentity(t *testing.T) {
	good := lines(t, "good", `{"n":1}`, `{"n":2}`)
	first := good[:bytes.IndexByte(good, '\n')+1]
	twin, err := record.Seal(record.Draft{ID: record.DeterministicID("good", 0), Type: "ledger_append", Payload: []byte(`{"n":"twin"}`)})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		data []byte
		code record.Code
	}{
		"a payload that was changed":   {bytes.Replace(good, []byte(`"n":1`), []byte(`"n":7`), 1), record.InvalidSHA},
		"another digest":               {bytes.Replace(good, []byte(`"sha":"sha256:`), []byte(`"sha":"sha256:0`), 1), record.InvalidEnvelope},
		"bytes that are not canonical": {bytes.Replace(good, []byte(`{"id"`), []byte(`{ "id"`), 1), record.InvalidEnvelope},
		"a member too many":            {bytes.Replace(good, []byte(`"version":1}`), []byte(`"version":1,"x":1}`), 1), record.InvalidEnvelope},
		"one ID with two contents":     {append(bytes.Clone(first), append(twin.Line(), '\n')...), record.DuplicateIDConflict},
	} {
		w := newWorld(t)
		history := w.history("events")
		w.plant("events", shard.Change{Add: []shard.Addition{newShard(t, test.data)}})
		before := w.content()
		h := w.history("events")
		if d := h.Diagnostics(); len(d) != 1 || d[0].Code != test.code {
			t.Errorf("%s: %+v", name, d)
		}
		if h.Len() < history.Len() {
			t.Errorf("%s: valid records are gone", name)
		}
		path := filepath.Join(t.TempDir(), "ledger.db")
		if _, err := sqlite.Prepare(t.Context(), w.branch("events"), w.config("events"), path, sqlite.Options{}); !errors.Is(err, ledger.ErrMalformed) {
			t.Errorf("%s: prepared: %v", name, err)
		}
		result, err := w.persist(w.artifact(`{"type":"ledger_append","ledger":"events","record":{}}`))
		if !errors.Is(err, ledger.ErrMalformed) || result.Durable() {
			t.Errorf("%s: persisted: %v", name, err)
		}
		w.unchanged(before, name)
	}
}

// The agent asks for more than there is room for (S9-06).
func TestThreatUnboundedGrowth(t *testing.T) {
	w := newWorld(t)
	before := w.content()
	row := func(size int) string {
		return fmt.Sprintf(`{"type":"ledger_append","ledger":"findings","operation":"upsert","value":{"id":"x","severity":%q}}`, strings.Repeat("x", size))
	}
	many := func(line string, n int) string { return strings.Repeat(line+"\n", n) }
	for name, requests := range map[string]string{
		"a record over max-record-kb": row(2048),
		"a batch over max-patch-kb":   many(row(1024), 4),
		"101 requests":                many(`{"type":"ledger_append","ledger":"seen","operation":"add","value":1}`, 101),
		"a line without end":          `{"type":"` + strings.Repeat("x", txn.MaxLineBytes),
		"all lines together":          many(strings.Repeat(" ", 1<<10), txn.MaxArtifactBytes>>10),
	} {
		if _, err := txn.Normalize(w.configs, "9:1", strings.NewReader(requests)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	// Persist bounds what it is given by itself.
	wide := append(ledger.Configs(nil), w.configs...)
	for i := range wide {
		wide[i].Limits = ledger.Limits{RecordBytes: 32 << 10, SegmentBytes: 10 << 20, PatchBytes: 10 << 20}
	}
	tx, err := txn.Normalize(wide, "9:1", strings.NewReader(row(20<<10)))
	if err != nil {
		t.Fatal(err)
	}
	artifact, err := tx.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.persist(artifact); !errors.Is(err, txn.ErrArtifact) {
		t.Errorf("an artifact that was made for larger limits: %v", err)
	}
	w.unchanged(before, "too much")

	// A branch that holds as many shards as may be read takes no more of them.
	change := shard.Change{}
	for i := range shard.ProjectionLimits().Files - len(w.snapshot("seen").Shards) {
		change.Add = append(change.Add, newShard(t, lines(t, fmt.Sprint("full ", i), `{"operation":"add","value":1}`)))
	}
	w.plant("seen", change)
	before = w.content()
	result, err := w.persist(w.artifact(`{"type":"ledger_append","ledger":"seen","operation":"add","value":2}`))
	if !errors.Is(err, txn.ErrBranchFull) || result.Durable() {
		t.Errorf("a full branch: %v", err)
	}
	w.unchanged(before, "a full branch")
}

// The agent writes the artifact itself (S9-10).
func TestThreatForgedTransactions(t *testing.T) {
	w := newWorld(t)
	artifact := w.artifact(`{"type":"ledger_append","ledger":"findings","operation":"insert","value":{"id":"N","severity":"low"}}`)
	before := w.content()
	for name, change := range map[string][2]string{
		"another version":     {`"version":1`, `"version":2`},
		"a version as text":   {`"version":1`, `"version":"1"`},
		"an unknown ledger":   {`"findings"`, `"other"`},
		"a path for a ledger": {`"findings"`, `"../../main"`},
		"another ID":          {`"id":"ldg-`, `"id":"ldg-0`},
		"no ID":               {`"id":"ldg-`, `"ib":"ldg-`},
		"another index":       {`"index":0`, `"index":1`},
		"another transaction": {`"transaction_id":"`, `"transaction_id":"9`},
		"against the schema":  {`"severity":"low"`, `"severitx":"low"`},
		"another operation":   {`"insert"`, `"drop"`},
		"a further field":     {`"operation":"insert"`, `"operation":"insert","sql":"x"`},
		"no key":              {`"id":"N"`, `"ib":"N"`},
		"a key twice":         {`"version":1`, `"version":1,"version":1`},
		"too large":           {`"low"`, `"` + strings.Repeat("x", 4<<10) + `"`},
	} {
		forged := bytes.Replace(artifact, []byte(change[0]), []byte(change[1]), 1)
		if bytes.Equal(forged, artifact) {
			t.Fatalf("%s: nothing was changed", name)
		}
		if _, err := w.persist(forged); !errors.Is(err, txn.ErrArtifact) {
			t.Errorf("%s: %v", name, err)
		}
		w.unchanged(before, name)
	}
	if _, err := w.persist(artifact); err != nil {
		t.Error(err)
	}
	// Well-formed, and not what the state admits: the row is there by now.
	before = w.content()
	result, err := w.persist(w.artifact(`{"type":"ledger_append","ledger":"findings","operation":"insert","value":{"id":"N","severity":"high"}}`))
	if !errors.Is(err, txn.ErrRejected) || result.Durable() {
		t.Errorf("a second insert: %v", err)
	}
	w.unchanged(before, "a second insert")
}

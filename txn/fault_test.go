package txn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gitledger/gitledger/internal/membranch"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// logOf is one ledger of type log, its branch, and an artifact with two records.
func logOf(t testing.TB) (ledger.Configs, *hooked, []byte) {
	t.Helper()
	configs := ledger.Configs{ledger.NewConfig("history", ledger.Log)}
	return configs, newHooked(), artifactOf(t, configs, "42:1", appendLog, appendLog)
}

func on(b shard.Branch) Branches {
	return func(context.Context, ledger.Config) (shard.Branch, error) { return b, nil }
}

func TestFaults(t *testing.T) {
	moved, locked := shard.ErrHeadMoved, shard.ErrLocked
	for _, test := range []struct {
		name   string
		fault  error
		in     string // where it happens
		times  int
		status Status
		code   Code
		pushes int
		waits  int
	}{
		{"head moved twice", moved, "commit", 2, Persisted, "", 3, 2},
		{"head moves for ever", moved, "commit", 1000, Failed, CodeAttempts, DefaultAttempts, DefaultAttempts - 1},
		{"locked for a moment", locked, "commit", 3, Persisted, "", 4, 3},
		{"locked for good", locked, "commit", 1000, Failed, CodeLocked, stubborn, stubborn - 1},
		{"unavailable for a moment", shard.ErrUnavailable, "snapshot", 3, Persisted, "", 1, 3},
		{"unavailable for good", shard.ErrUnavailable, "snapshot", 1000, Failed, CodeUnavailable, 0, stubborn - 1},
		{"unavailable at the push", shard.ErrUnavailable, "commit", 1, Persisted, "", 2, 1},
		{"unauthorized to read", shard.ErrUnauthorized, "snapshot", 1, Failed, CodeUnauthorized, 0, 0},
		{"unauthorized to push", shard.ErrUnauthorized, "commit", 1, Failed, CodeUnauthorized, 1, 0},
		{"refused by a hook", shard.ErrRefused, "commit", 1, Failed, CodeRefused, 1, 0},
		{"too large to read", &shard.LimitError{What: "files", Limit: 1024}, "snapshot", 1, Failed, CodeFull, 0, 0},
		{"shard ID taken", shard.ErrIdentityCollision, "commit", 2, Persisted, "", 3, 0},
		{"lost answer", shard.ErrOutcomeUnknown, "after", 1, AlreadyPresent, "", 1, 1},
		{"lost request", shard.ErrOutcomeUnknown, "commit", 1, Persisted, "", 2, 1},
		{"lost for good", shard.ErrOutcomeUnknown, "commit", 1000, Unknown, CodeOutcome, stubborn, stubborn - 1},
		{"something else", errors.New("boom"), "commit", 1, Failed, CodeInternal, 1, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			configs, b, artifact := logOf(t)
			left := test.times
			fail := func() error {
				if left == 0 {
					return nil
				}
				left--
				return test.fault
			}
			switch test.in {
			case "snapshot":
				b.beforeSnapshot = fail
			case "commit":
				b.beforeCommit = func(shard.Change) error { return fail() }
			case "after":
				b.afterCommit = fail
			}
			opts, waits := fast(), 0
			opts.Backoff.Sleep = func(context.Context, time.Duration) error { waits++; return nil }
			got, err := Persist(t.Context(), on(b), configs, artifact, opts)
			l := got.Ledgers[0]
			if l.Status != test.status || l.Code != test.code || l.Pushes != test.pushes || waits != test.waits {
				t.Errorf("status %s, code %s, %d pushes, %d waits; %v", l.Status, l.Code, l.Pushes, waits, err)
			}
			if test.status.Durable() != (err == nil) || err != nil && !errors.Is(err, test.fault) {
				t.Errorf("error %v", err)
			}
			want := 0
			if test.status.Durable() {
				want = 2
			}
			if n := b.history(t).Len(); n != want {
				t.Errorf("%d records on the branch, want %d", n, want)
			}
		})
	}
}

func TestOneLedgerFailingDoesNotStopTheOthers(t *testing.T) {
	configs := testConfigs(t)
	b := storeFor(configs)
	b["history"].beforeCommit = func(shard.Change) error { return shard.ErrRefused }
	branches := func(ctx context.Context, cfg ledger.Config) (shard.Branch, error) {
		if cfg.Name == "metrics" {
			return nil, shard.ErrUnauthorized
		}
		return b.branches(ctx, cfg)
	}
	got, err := Persist(t.Context(), branches, configs, artifactOf(t, configs, "42:1", everyKind()...), fast())
	if !errors.Is(err, shard.ErrRefused) || !errors.Is(err, shard.ErrUnauthorized) {
		t.Fatalf("error %v", err)
	}
	for i, l := range got.Ledgers {
		if l.Ledger != configs[i].Name {
			t.Errorf("ledger %d is %s", i, l.Ledger)
		}
		failed := l.Ledger == "history" || l.Ledger == "metrics"
		if l.Status.Durable() == failed || (l.Err != nil) != failed {
			t.Errorf("%s: %s, %v", l.Ledger, l.Status, l.Err)
		}
	}
}

func TestContextEndsEverything(t *testing.T) {
	for _, in := range []string{"before", "wait", "snapshot", "commit", "unknown"} {
		t.Run(in, func(t *testing.T) {
			configs, b, artifact := logOf(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			opts, status := Options{}, Failed
			switch in {
			case "before":
				cancel()
			case "wait":
				b.beforeCommit = func(shard.Change) error { return shard.ErrHeadMoved }
				opts.Backoff = Backoff{Base: time.Hour, Max: time.Hour, Jitter: func(w time.Duration) time.Duration { cancel(); return w }}
			case "snapshot":
				b.beforeSnapshot = func() error { cancel(); return nil }
			case "commit":
				b.beforeCommit = func(shard.Change) error { cancel(); return nil }
			case "unknown":
				// What a branch says whose push was cut off by the context.
				status = Unknown
				b.afterCommit = func() error { cancel(); return fmt.Errorf("%w: %w", shard.ErrOutcomeUnknown, ctx.Err()) }
			}
			got, err := Persist(ctx, on(b), configs, artifact, opts)
			if !errors.Is(err, context.Canceled) || got.Ledgers[0].Status != status {
				t.Errorf("%v, %+v", err, got.Ledgers[0])
			}
			again, err := Persist(t.Context(), on(b.Branch), configs, artifact, fast())
			if err != nil || !again.Durable() || b.history(t).Len() != 2 {
				t.Errorf("again: %v, %+v", err, again)
			}
		})
	}
}

// A push whose fate is unknown may land as long as the branch has not moved,
// so nothing that comes after it may be reported as certain.
func TestUnknownIsNotHidden(t *testing.T) {
	configs, b, artifact := logOf(t)
	commits := 0
	b.beforeCommit = func(shard.Change) error {
		if commits++; commits == 1 {
			return shard.ErrOutcomeUnknown
		}
		return shard.ErrUnauthorized
	}
	got, err := Persist(t.Context(), on(b), configs, artifact, fast())
	if !errors.Is(err, shard.ErrOutcomeUnknown) || !errors.Is(err, shard.ErrUnauthorized) || got.Ledgers[0].Status != Unknown {
		t.Errorf("%v, %+v", err, got.Ledgers[0])
	}
	if got.Ledgers[0].Records[0].Status != RecordUnknown {
		t.Errorf("%+v", got.Ledgers[0].Records[0])
	}
}

func TestConflictWritesNothing(t *testing.T) {
	configs, b, artifact := logOf(t)
	forged, err := record.Seal(record.Draft{ID: record.DeterministicID("42:1", 1), Type: "ledger_append", Payload: []byte(`{"operation":"append","value":"other"}`)})
	if err != nil {
		t.Fatal(err)
	}
	b.put(t, forged)
	head := b.Head()
	got, err := Persist(t.Context(), on(b), configs, artifact, fast())
	l := got.Ledgers[0]
	if !errors.Is(err, ErrConflict) || l.Status != Conflict || l.Rejected != 1 || l.Persisted != 0 || b.Head() != head {
		t.Errorf("%v, %+v", err, l)
	}
}

// The gh-aw runtime writes the deterministic ID into the payload, under a
// random envelope ID.
func TestRecordsOfTheRuntimeArePresent(t *testing.T) {
	configs, b, artifact := logOf(t)
	other, err := record.NewID()
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := record.Seal(record.Draft{ID: other, Type: "ledger_append",
		Payload: fmt.Appendf(nil, `{"operation":"append","value":"x","id":"%s"}`, record.DeterministicID("42:1", 0))})
	if err != nil {
		t.Fatal(err)
	}
	b.put(t, theirs)
	got, err := Persist(t.Context(), on(b), configs, artifact, fast())
	if l := got.Ledgers[0]; err != nil || l.Status != Persisted || l.AlreadyPresent != 1 || l.Persisted != 1 || *l.Records[0].SHA != theirs.SHA() {
		t.Errorf("%v, %+v", err, l)
	}
	if n := b.history(t).Len(); n != 2 {
		t.Errorf("%d records", n)
	}
}

func TestMalformedHistoryFailsTheLedger(t *testing.T) {
	for name, plant := range map[string]func(files map[string]membranch.File){
		"line": func(f map[string]membranch.File) {
			f["ledger/shards/1422c880-9df1-422b-8076-73dfc73d3f56.jsonl"] = membranch.File{Data: []byte("{}\n")}
		},
		"name": func(f map[string]membranch.File) {
			f["ledger/shards/x.jsonl"] = membranch.File{Data: []byte("")}
		},
		"operation": func(f map[string]membranch.File) {
			r, err := record.Seal(record.Draft{ID: record.DeterministicID("x", 0), Type: "t", Payload: []byte(`{"operation":"add"}`)})
			if err != nil {
				t.Fatal(err)
			}
			f["ledger/shards/1422c880-9df1-422b-8076-73dfc73d3f56.jsonl"] = membranch.File{Data: append(r.Line(), '\n')}
		},
	} {
		t.Run(name, func(t *testing.T) {
			configs, b, artifact := logOf(t)
			b.Edit(plant)
			head := b.Head()
			got, err := Persist(t.Context(), on(b), configs, artifact, fast())
			if l := got.Ledgers[0]; !errors.Is(err, ledger.ErrMalformed) || l.Code != CodeHistory || b.Head() != head {
				t.Errorf("%v, %+v", err, l)
			}
			if name == "operation" {
				return
			}
			// Neither is a batch that is there already reported as durable.
			b = newHooked()
			if _, err := Persist(t.Context(), on(b), configs, artifact, fast()); err != nil {
				t.Fatal(err)
			}
			b.Edit(plant)
			if got, err := Persist(t.Context(), on(b), configs, artifact, fast()); !errors.Is(err, ledger.ErrMalformed) {
				t.Errorf("%v, %+v", err, got)
			}
		})
	}
}

func TestBranchThatLostRecordsIsLeftAlone(t *testing.T) {
	for name, lose := range map[string]func(map[string]membranch.File){
		"deleted": func(f map[string]membranch.File) { clear(f) },
		"rewound": func(f map[string]membranch.File) {
			for path, file := range f {
				line, _, _ := strings.Cut(string(file.Data), "\n")
				f[path] = membranch.File{Data: []byte(line + "\n")}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			configs, b, artifact := logOf(t)
			if _, err := Persist(t.Context(), on(b), configs, artifact, fast()); err != nil {
				t.Fatal(err)
			}
			b.beforeCommit = func(shard.Change) error { b.beforeCommit = nil; b.Edit(lose); return nil }
			next := artifactOf(t, configs, "43:1", appendLog)
			got, err := Persist(t.Context(), on(b), configs, next, fast())
			if !errors.Is(err, ErrBranchLost) || got.Ledgers[0].Code != CodeLost || len(b.messages) != 1 {
				t.Errorf("%v, %+v", err, got.Ledgers[0])
			}
		})
	}
}

func TestFullBranchNeedsCompaction(t *testing.T) {
	configs, b, artifact := logOf(t)
	limit := shard.ProjectionLimits().Files
	b.Edit(func(files map[string]membranch.File) {
		for i := range limit {
			r, err := record.Seal(record.Draft{ID: record.DeterministicID("old", i), Type: "t", Payload: []byte(`{"operation":"append","value":1}`)})
			if err != nil {
				t.Fatal(err)
			}
			files[shard.ID(record.FoldUUID(r.SHA())).Path()] = membranch.File{Data: append(r.Line(), '\n')}
		}
	})
	got, err := Persist(t.Context(), on(b), configs, artifact, fast())
	if l := got.Ledgers[0]; !errors.Is(err, ErrBranchFull) || l.Code != CodeFull || l.Pushes != 0 {
		t.Errorf("%v, %+v", err, l)
	}
	// One shard fewer and there is room.
	b.Edit(func(files map[string]membranch.File) {
		for path := range files {
			delete(files, path)
			break
		}
	})
	if _, err := Persist(t.Context(), on(b), configs, artifact, fast()); err != nil {
		t.Error(err)
	}
	// It is full now, and what is on it is still recognised.
	if got, err := Persist(t.Context(), on(b), configs, artifact, fast()); err != nil || got.Ledgers[0].Status != AlreadyPresent {
		t.Errorf("%v, %+v", err, got)
	}
}

// With more than 64 heads the new records do not come after all others.
func TestManyHeads(t *testing.T) {
	findings := ledger.NewConfig("findings", ledger.Table)
	findings.Key = "id"
	configs := ledger.Configs{findings}
	b := newHooked()
	const heads = 70
	var rows []record.Record
	for i := range heads {
		r, err := record.Seal(record.Draft{ID: record.DeterministicID("old", i), Type: "t",
			Payload: fmt.Appendf(nil, `{"operation":"insert","value":{"id":"row %d"}}`, i)})
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	b.put(t, rows...)
	got, err := Persist(t.Context(), on(b), configs, artifactOf(t, configs, "42:1", `{"operation":"insert","value":{"id":"new"}}`), fast())
	if err != nil {
		t.Fatal(err)
	}
	h := b.history(t)
	if len(h.Heads()) != heads-record.MaxParents+1 {
		t.Errorf("%d heads, %+v", len(h.Heads()), got)
	}
	if _, err := Persist(t.Context(), on(b), configs, artifactOf(t, configs, "43:1", `{"operation":"delete","key":"new"}`), fast()); err != nil {
		t.Fatal(err)
	}
	if n := len(b.history(t).Heads()); n != 1 {
		t.Errorf("the next append left %d heads", n)
	}
}

// The new record follows 64 of 65 heads, so it comes before what the last one
// stands for: the state after everything would admit it, the replay does not.
func TestManyHeadsAreReplayedAsAWhole(t *testing.T) {
	findings := ledger.NewConfig("findings", ledger.Table)
	findings.Key = "id"
	configs := ledger.Configs{findings}
	seal := func(name string, payload string, parents ...record.Hash) record.Record {
		r, err := record.Seal(record.Draft{ID: record.DeterministicID(name, 0), Type: "t", Parents: parents, Payload: []byte(payload)})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	inserted := seal("insert", `{"operation":"insert","value":{"id":"k"}}`)
	updated := seal("update", `{"operation":"update","key":"k","patch":{"a":1}}`, inserted.SHA())
	deleted := updated
	for i := 0; deleted.SHA()[0] < 0xc0; i++ { // so that it is the last head in SHA order
		deleted = seal(fmt.Sprint("delete ", i), `{"operation":"delete","key":"k"}`, updated.SHA())
	}
	history := []record.Record{inserted, updated, deleted}
	for i := 0; len(history) < 3+record.MaxParents; i++ {
		if r := seal(fmt.Sprint("other ", i), `{"operation":"delete","key":"x"}`); r.SHA().Compare(deleted.SHA()) < 0 {
			history = append(history, r)
		}
	}
	b := newHooked()
	b.put(t, history...)
	head := b.Head()
	mine := artifactOf(t, configs, "42:1", `{"operation":"insert","value":{"id":"k"}}`)
	if got, err := Persist(t.Context(), on(b), configs, mine, fast()); !errors.Is(err, ErrRejected) || b.Head() != head || got.Ledgers[0].Rejected != 1 {
		t.Errorf("%v, %+v", err, got)
	}
}

func TestFullByBytes(t *testing.T) {
	configs, b, artifact := logOf(t)
	if _, err := Persist(t.Context(), on(b), configs, artifact, fast()); err != nil {
		t.Fatal(err)
	}
	b.afterSnapshot = func(snap *shard.Snapshot) { snap.Shards[0].Size = shard.ProjectionLimits().Bytes - 100 }
	next := artifactOf(t, configs, "43:1", appendLog)
	if got, err := Persist(t.Context(), on(b), configs, next, fast()); !errors.Is(err, ErrBranchFull) || got.Ledgers[0].Pushes != 0 {
		t.Errorf("%v, %+v", err, got)
	}
}

func TestSegmentLimit(t *testing.T) {
	cfg := ledger.NewConfig("free", ledger.Raw)
	cfg.Limits = ledger.Limits{RecordBytes: 1024, SegmentBytes: 1024, PatchBytes: 10240}
	configs := ledger.Configs{cfg}
	big := fmt.Sprintf(`{"record":{"a":"%s"}}`, strings.Repeat("x", 600))
	if _, err := Normalize(configs, "42:1", strings.NewReader(big+"\n"+big)); !errors.Is(err, &RequestError{Reason: ReasonSegmentSize}) {
		t.Errorf("two large records: %v", err)
	}
	// One fits without parents, but not with 64 of them.
	artifact := artifactOf(t, configs, "42:1", big)
	b := newHooked()
	for i := range record.MaxParents {
		r, err := record.Seal(record.Draft{ID: record.DeterministicID("old", i), Type: "t", Payload: []byte(`{}`)})
		if err != nil {
			t.Fatal(err)
		}
		b.put(t, r)
	}
	if got, err := Persist(t.Context(), on(b), configs, artifact, fast()); !errors.Is(err, ErrSegmentSize) || got.Ledgers[0].Code != CodeSegmentSize {
		t.Errorf("%v", err)
	}
}

func TestLineBytes(t *testing.T) {
	for parents := range 4 {
		d := record.Draft{ID: record.DeterministicID("x", 0), Type: recordType, Payload: []byte(`{"a":1}`)}
		for i := range parents {
			d.Parents = append(d.Parents, record.Sum([]byte{byte(i)}))
		}
		r, err := record.Seal(d)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := lineBytes(len(d.Payload), parents), int64(len(r.Line())+1); got != want {
			t.Errorf("%d parents: %d bytes, want %d", parents, got, want)
		}
	}
}

func TestAudit(t *testing.T) {
	configs, b, artifact := logOf(t)
	opts := fast()
	opts.AuditFile = filepath.Join(t.TempDir(), "audit.jsonl")
	if _, err := Persist(t.Context(), on(b), configs, artifact, opts); err != nil {
		t.Fatal(err)
	}
	if _, err := Persist(t.Context(), on(b), configs, []byte(`{"version":2,"transaction_id":"secret","ledgers":{}}`), opts); !errors.Is(err, ErrArtifact) {
		t.Fatal(err)
	}
	data, err := os.ReadFile(opts.AuditFile)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(text) != 2 || strings.Contains(string(data), "secret") {
		t.Fatalf("%s", data)
	}
	var entry map[string]any
	if err := json.Unmarshal([]byte(text[0]), &entry); err != nil {
		t.Fatal(err)
	}
	if entry["status"] != "persisted" || entry["commit"] != string(b.Head()) || entry["time"] != "2026-01-02T03:04:05.006Z" || entry["shard"] == nil {
		t.Errorf("%s", text[0])
	}

	// A failure to write it changes nothing of what is durable.
	opts.AuditFile = t.TempDir()
	got, err := Persist(t.Context(), on(b), configs, artifactOf(t, configs, "43:1", appendLog), opts)
	if err != nil || !got.Durable() || !got.AuditFailed {
		t.Errorf("%v, %+v", err, got)
	}
}

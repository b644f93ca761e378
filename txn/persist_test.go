package txn

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// testConfigs are one ledger of each kind.
func testConfigs(t testing.TB) ledger.Configs {
	t.Helper()
	object, err := ledger.CompileSchema([]byte(`{"type":"object","required":["id","severity"],"properties":{"id":{"type":"string"},"severity":{"type":"string"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	findings := ledger.NewConfig("findings", ledger.Table)
	findings.Key, findings.Schema = "id", object
	return ledger.Configs{
		findings,
		ledger.NewConfig("free", ledger.Raw),
		ledger.NewConfig("history", ledger.Log),
		ledger.NewConfig("knowledge", ledger.Notes),
		ledger.NewConfig("metrics", ledger.Counter),
		ledger.NewConfig("processed", ledger.Set),
		ledger.NewConfig("repositories", ledger.Map),
	}
}

func artifactOf(t testing.TB, configs ledger.Configs, transactionID string, requests ...string) []byte {
	t.Helper()
	tx, err := Normalize(configs, transactionID, strings.NewReader(strings.Join(requests, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	data, err := tx.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// fast is options that wait for nothing and have a fixed clock.
func fast() Options {
	return Options{
		Now:     func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC) },
		Backoff: Backoff{Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }},
	}
}

const (
	appendLog  = `{"ledger":"history","operation":"append","value":"x"}`
	insertRow  = `{"ledger":"findings","operation":"insert","value":{"id":"a","severity":"high"}}`
	addNote    = `{"type":"ledger_note_add","temp_id":"n","subject":"S","note":"N","reason":"R","citations":[{"type":"repository","path":"docs/a.md"}]}`
	voteOnNote = `{"type":"ledger_note_vote","note_id":"#n","vote":"up"}`
)

func everyKind() []string {
	return []string{
		appendLog, insertRow, addNote, voteOnNote,
		`{"ledger":"metrics","operation":"increment","name":"runs","amount":3}`,
		`{"ledger":"processed","operation":"add","value":{"b":1,"a":[null]}}`,
		`{"type":"ledger_map_put","key":"k","value":[1]}`,
		`{"ledger":"free","temp_id":"r","record":{"z":1}}`,
		`{"ledger":"free","record":{"ref":"#r"}}`,
	}
}

func TestPersistEveryKindOnceOnly(t *testing.T) {
	configs := testConfigs(t)
	branches := storeFor(configs)
	artifact := artifactOf(t, configs, "42:1", everyKind()...)
	got, err := Persist(t.Context(), branches.branches, configs, artifact, fast())
	if err != nil {
		t.Fatal(err)
	}
	if !got.Durable() || len(got.Ledgers) != len(configs) {
		t.Fatalf("%+v", got)
	}
	stored := 0
	for name, b := range branches {
		h := b.history(t)
		stored += h.Len()
		for _, r := range h.Records() {
			if strings.Contains(string(r.Payload()), record.IDPrefix) && name != "knowledge" && name != "free" {
				t.Errorf("%s: payload holds an ID: %s", name, r.Payload())
			}
			if r.Type() != "ledger_append" {
				t.Errorf("type %s", r.Type())
			}
		}
	}
	if stored != len(everyKind()) {
		t.Fatalf("%d records are stored", stored)
	}
	knowledge := got.Ledgers[3]
	if knowledge.NotesAdded != 1 || knowledge.VotesAdded != 1 || knowledge.Persisted != 2 || knowledge.Pushes != 1 {
		t.Errorf("%+v", knowledge)
	}

	again, err := Persist(t.Context(), branches.branches, configs, artifact, fast())
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range again.Ledgers {
		if l.Status != AlreadyPresent || l.Pushes != 0 || l.AlreadyPresent != l.Requested || l.Commit != got.Ledgers[i].Commit {
			t.Errorf("again: %+v", l)
		}
	}
	for name, b := range branches {
		if len(b.messages) != 1 {
			t.Errorf("%s has %d commits", name, len(b.messages))
		}
	}
}

func TestResultHoldsNoValue(t *testing.T) {
	configs := testConfigs(t)[2:3]
	b := storeFor(configs)
	artifact := artifactOf(t, configs, "42:1", `{"operation":"append","value":"secret-canary"}`)
	got, err := Persist(t.Context(), b.branches, configs, artifact, fast())
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	r := b["history"].history(t).Record(0)
	want := `{"transaction_id":"42:1","ledgers":[{"ledger":"history","type":"log","branch":"ledgers/history",` +
		`"status":"persisted","commit":"` + string(b["history"].Head()) + `","requested":1,"validated":1,"persisted":1,"already_present":0,"rejected":0,` +
		`"fetches":1,"pushes":1,"records":[{"index":0,"operation":"append","id":"ldg-5d1e0714-8bcf-4be2-998b-3eb810b7f1f7",` +
		`"sha":"` + r.SHA().String() + `","validation":"valid","status":"persisted"}]}]}`
	if string(text) != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	if msg := b["history"].messages[0]; msg != "Append 1 record to history\n\nTransaction: 42:1\n" {
		t.Errorf("message %q", msg)
	}
}

func TestMovedHeadValidatesAgain(t *testing.T) {
	configs := testConfigs(t)
	b := storeFor(configs)
	mine := artifactOf(t, configs, "mine", insertRow, appendLog)
	theirs := artifactOf(t, configs, "theirs", insertRow, appendLog)
	for _, name := range []string{"findings", "history"} {
		m := b[name]
		m.beforeCommit = func(shard.Change) error {
			m.beforeCommit = nil
			if _, err := Persist(t.Context(), b.branches, configs, only(t, theirs, configs, name), fast()); err != nil {
				t.Error(err)
			}
			return nil
		}
	}
	got, err := Persist(t.Context(), b.branches, configs, mine, fast())
	if !errors.Is(err, ErrRejected) || got.Durable() {
		t.Fatalf("%v, %+v", err, got)
	}
	findings, history := got.Ledgers[0], got.Ledgers[1]
	if findings.Status != Rejected || findings.Code != CodeRejected || findings.Rejected != 1 || findings.Persisted != 0 ||
		findings.Records[0].Validation != Invalid || findings.Records[0].Status != RecordNotWritten || findings.Commit != "" {
		t.Errorf("%+v", findings)
	}
	if history.Status != Persisted || history.Pushes != 2 || history.Fetches != 2 {
		t.Errorf("%+v", history)
	}
	if n := b["findings"].history(t).Len(); n != 1 {
		t.Errorf("findings has %d records", n)
	}
	h := b["history"].history(t)
	if h.Len() != 2 || h.Record(1).Parent(0) != h.Record(0).SHA() {
		t.Error("the log is not a chain of two")
	}
	var one *LedgerError
	if !errors.As(err, &one) || one.Ledger != "findings" {
		t.Errorf("%v", err)
	}
}

// only returns an artifact with one ledger's part of another, under an ID of
// its own.
func only(t testing.TB, artifact []byte, configs ledger.Configs, name string) []byte {
	t.Helper()
	for _, request := range []string{insertRow, appendLog} {
		if strings.Contains(request, `"`+name+`"`) {
			return artifactOf(t, configs, "theirs-"+name, request)
		}
	}
	t.Fatal(name)
	return nil
}

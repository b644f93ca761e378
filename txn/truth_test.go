package txn

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/gitledger/gitledger/internal/membranch"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// What is known of a branch before it was rewound says nothing of it after.
func TestPresenceIsForgottenWithTheBranch(t *testing.T) {
	configs, b, artifact := logOf(t)
	first := artifactOf(t, configs, "42:1", appendLog)
	if _, err := Persist(t.Context(), on(b), configs, first, fast()); err != nil {
		t.Fatal(err)
	}
	b.beforeCommit = func(shard.Change) error {
		b.Edit(func(files map[string]membranch.File) { clear(files) })
		return nil
	}
	got, err := Persist(t.Context(), on(b), configs, artifact, fast())
	if !errors.Is(err, ErrBranchLost) {
		t.Fatal(err)
	}
	l := got.Ledgers[0]
	if l.AlreadyPresent != 0 || l.Validated != 0 || l.Records[0].Status != RecordNotWritten || l.Records[0].SHA != nil {
		t.Errorf("%+v", l)
	}
}

// A push whose answer was lost has landed; then the branch cannot be judged
// any more. Nobody may say that nothing was written.
func TestUnknownOutcomeIsNeverFailed(t *testing.T) {
	const stranger = "ledger/shards/1422c880-9df1-422b-8076-73dfc73d3f56.jsonl"
	for name, test := range map[string]struct {
		then func(b *hooked)
		also error
	}{
		"malformed": {func(b *hooked) {
			b.Edit(func(f map[string]membranch.File) { f[stranger] = membranch.File{Data: []byte("{}\n")} })
		}, ledger.ErrMalformed},
		"lost": {func(b *hooked) {
			b.Edit(func(f map[string]membranch.File) { clear(f) })
		}, ErrBranchLost},
		"too large": {func(b *hooked) {
			b.beforeSnapshot = func() error { return &shard.LimitError{What: "files", Limit: 1} }
		}, ErrBranchFull},
	} {
		t.Run(name, func(t *testing.T) {
			configs, b, artifact := logOf(t)
			if _, err := Persist(t.Context(), on(b), configs, artifactOf(t, configs, "1", appendLog), fast()); err != nil {
				t.Fatal(err)
			}
			b.afterCommit = func() error {
				b.afterCommit = nil
				test.then(b)
				return shard.ErrOutcomeUnknown
			}
			got, err := Persist(t.Context(), on(b), configs, artifact, fast())
			l := got.Ledgers[0]
			if !errors.Is(err, test.also) || l.Status != Unknown || l.Code != CodeOutcome || l.Records[0].Status != RecordUnknown {
				t.Errorf("%v, %+v", err, l)
			}
		})
	}
}

// A branch that says for ever that it moved does not keep the job for ever.
func TestAttemptsAreBoundedWithoutAPush(t *testing.T) {
	configs, b, artifact := logOf(t)
	b.beforeSnapshot = func() error { return fmt.Errorf("%w: at once", shard.ErrHeadMoved) }
	got, err := Persist(t.Context(), on(b), configs, artifact, fast())
	if l := got.Ledgers[0]; !errors.Is(err, ErrAttempts) || l.Code != CodeAttempts || l.Fetches > DefaultAttempts+2 {
		t.Errorf("%v, %+v", err, l)
	}
}

// One record that claims the IDs of two requests with equal content is not both.
func TestOneRecordIsNotTwo(t *testing.T) {
	configs, b, artifact := logOf(t)
	forged, err := record.Seal(record.Draft{ID: record.DeterministicID("42:1", 0), Type: "t",
		Payload: fmt.Appendf(nil, `{"operation":"append","value":"x","id":"%s"}`, record.DeterministicID("42:1", 1))})
	if err != nil {
		t.Fatal(err)
	}
	b.put(t, forged)
	head := b.Head()
	got, err := Persist(t.Context(), on(b), configs, artifact, fast())
	if l := got.Ledgers[0]; !errors.Is(err, ErrConflict) || l.Rejected != 1 || l.Records[1].Validation != Invalid || b.Head() != head {
		t.Errorf("%v, %+v", err, l)
	}
}

// Operations of a batch see those before them. Of a batch with bad ones each
// bad one is named and nothing is written, with a clock that runs backwards.
func TestOperationsOfABatchBuildOnEachOther(t *testing.T) {
	findings := ledger.NewConfig("findings", ledger.Table)
	findings.Key = "id"
	configs := ledger.Configs{findings}
	b := newHooked()
	opts, now := fast(), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	opts.Now = func() time.Time { now = now.Add(-time.Hour); return now }
	const insert, update, remove = `{"operation":"insert","value":{"id":"k"}}`, `{"operation":"update","key":"k","patch":{"a":1}}`, `{"operation":"delete","key":"k"}`
	got, err := Persist(t.Context(), on(b), configs, artifactOf(t, configs, "1", insert, update, insert, remove, update), opts)
	l := got.Ledgers[0]
	if !errors.Is(err, ErrRejected) || l.Rejected != 2 || l.Validated != 3 || b.Head() != "" {
		t.Fatalf("%v, %+v", err, l)
	}
	for i, want := range []Validity{Valid, Valid, Invalid, Valid, Invalid} {
		if r := l.Records[i]; r.Validation != want || r.Status != RecordNotWritten {
			t.Errorf("%d: %+v", i, r)
		}
	}
	b.beforeCommit = func(shard.Change) error { b.beforeCommit = nil; return shard.ErrHeadMoved }
	got, err = Persist(t.Context(), on(b), configs, artifactOf(t, configs, "2", insert, update, remove, insert), opts)
	if err != nil || got.Ledgers[0].Persisted != 4 || b.history(t).Len() != 4 {
		t.Errorf("%v, %+v", err, got)
	}
}

package txn

import (
	"errors"
	"fmt"
	"testing"

	"github.com/gitledger/gitledger/internal/membranch"
	"github.com/gitledger/gitledger/ledger"
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

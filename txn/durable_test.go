package txn

import (
	"errors"
	"testing"

	"github.com/gitledger/gitledger/shard"
)

// Before the branch has confirmed the commit nothing of the result says that
// anything is durable: not the batch, not a count, not one of its records
// (S5.2-07).
func TestNothingIsDurableBeforeThePush(t *testing.T) {
	for name, c := range map[string]struct {
		fault  error
		record RecordStatus
	}{
		"moved for ever":  {shard.ErrHeadMoved, RecordNotWritten},
		"locked for good": {shard.ErrLocked, RecordNotWritten},
		"unavailable":     {shard.ErrUnavailable, RecordNotWritten},
		"unauthorized":    {shard.ErrUnauthorized, RecordNotWritten},
		"refused":         {shard.ErrRefused, RecordNotWritten},
		"ID taken":        {shard.ErrIdentityCollision, RecordNotWritten},
		"unknown":         {shard.ErrOutcomeUnknown, RecordUnknown},
		"something else":  {errors.New("something else"), RecordNotWritten},
	} {
		t.Run(name, func(t *testing.T) {
			configs, b, artifact := logOf(t)
			b.beforeCommit = func(shard.Change) error { return c.fault }
			got, err := Persist(t.Context(), on(b), configs, artifact, fast())
			if !errors.Is(err, c.fault) || b.Head() != "" {
				t.Fatalf("%v, head %q", err, b.Head())
			}
			l := got.Ledgers[0]
			if got.Durable() || l.Status.Durable() || l.Persisted != 0 || l.AlreadyPresent != 0 || l.Commit != "" || len(l.Records) != 2 {
				t.Errorf("%+v", l)
			}
			for _, r := range l.Records {
				if r.Status != c.record || r.SHA != nil {
					t.Errorf("%+v, want %s", r, c.record)
				}
			}
		})
	}
}

// Persist commits under the head that it validated against and no later one:
// what another run pushed in between is replayed first, so that of two inserts
// of one row the second is rejected (S5.5-01).
func TestPersistCommitsUnderTheValidatedHead(t *testing.T) {
	configs := testConfigs(t)[:1]
	b := storeFor(configs)
	findings := b["findings"]
	findings.afterSnapshot = func(*shard.Snapshot) {
		findings.afterSnapshot = nil
		if _, err := Persist(t.Context(), b.branches, configs, artifactOf(t, configs, "theirs", insertRow), fast()); err != nil {
			t.Error(err)
		}
	}
	got, err := Persist(t.Context(), b.branches, configs, artifactOf(t, configs, "mine", insertRow), fast())
	if !errors.Is(err, ErrRejected) || got.Durable() {
		t.Errorf("%v, %+v", err, got)
	}
	if n := findings.history(t).Len(); n != 1 {
		t.Errorf("%d records, want theirs alone", n)
	}
}

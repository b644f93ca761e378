package ledger_test

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/gitledger/gitledger/internal/membranch"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// grown is a branch of n commits, each of which appends a shard with a record.
func grown(t testing.TB, n int) *membranch.Branch {
	t.Helper()
	b := &membranch.Branch{}
	b.Keep()
	var parents []record.Hash
	for i := range n {
		r, err := record.Seal(record.Draft{ID: record.DeterministicID("chain", i), Type: "t", Parents: parents, Payload: []byte("1")})
		if err != nil {
			t.Fatal(err)
		}
		parents = []record.Hash{r.SHA()}
		data := append(append([]byte{}, r.Line()...), '\n')
		add := shard.Addition{ID: shard.ID(record.FoldUUID(r.SHA())), Data: data}
		if _, err := b.Commit(t.Context(), b.Head(), shard.Change{Add: []shard.Addition{add}}); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func collect(ctx context.Context, log shard.Log) (found []ledger.Finding, errs []error, s ledger.Summary) {
	v := ledger.Verifier{Log: log}
	for f, err := range v.Verify(ctx) {
		if err != nil {
			errs = append(errs, err)
		} else {
			found = append(found, f)
		}
	}
	return found, errs, v.Summary()
}

// bent is a log of which a part is another.
type bent struct {
	shard.Log
	snapshot func(*shard.Snapshot, error) (*shard.Snapshot, error)
	folder   func() error
	commits  func(yield func(shard.Commit, error) bool)
}

func (b *bent) Snapshot(ctx context.Context, limits shard.Limits) (*shard.Snapshot, error) {
	snap, err := b.Log.Snapshot(ctx, limits)
	if b.snapshot != nil {
		return b.snapshot(snap, err)
	}
	return snap, err
}

func (b *bent) Folder(ctx context.Context, o shard.Object) ([]shard.Entry, error) {
	if b.folder != nil {
		if err := b.folder(); err != nil {
			return nil, err
		}
	}
	return b.Log.Folder(ctx, o)
}

func (b *bent) Commits(ctx context.Context) iter.Seq2[shard.Commit, error] {
	if b.commits != nil {
		return b.commits
	}
	return b.Log.Commits(ctx)
}

func TestVerifyReaderThatLies(t *testing.T) {
	b := grown(t, 3)
	found, errs, s := collect(t.Context(), b.Log("ledgers/x"))
	if len(found)+len(errs) > 0 || !s.Sound() || s.Records != 3 || s.Heads != 1 {
		t.Fatal(found, errs, s)
	}
	for name, change := range map[string]func(*shard.Snapshot){
		"a shard less": func(s *shard.Snapshot) { s.Shards = s.Shards[1:] },
		"another record": func(s *shard.Snapshot) {
			r, err := record.Seal(record.Draft{ID: record.DeterministicID("lie", 0), Type: "t", Payload: []byte("1")})
			if err != nil {
				t.Fatal(err)
			}
			s.Shards[0].Data = append(append([]byte{}, r.Line()...), '\n')
		},
	} {
		log := &bent{Log: b.Log("ledgers/x"), snapshot: func(s *shard.Snapshot, err error) (*shard.Snapshot, error) {
			change(s)
			return s, err
		}}
		found, errs, s := collect(t.Context(), log)
		if len(found) != 1 || found[0].Kind != ledger.TipDiffers || len(errs) > 0 || !s.Complete {
			t.Errorf("%s: %v %v %+v", name, found, errs, s)
		}
	}
}

func TestVerifyErrorsAreNoFindings(t *testing.T) {
	b := grown(t, 3)
	large := &shard.LimitError{What: "files", Limit: 1}
	calls := 0
	for name, c := range map[string]struct {
		log  *bent
		want error
		errs int
	}{
		"the branch moves": {&bent{snapshot: func(s *shard.Snapshot, err error) (*shard.Snapshot, error) {
			s.Head = "elsewhere"
			return s, err
		}}, shard.ErrHeadMoved, 1},
		"the snapshot fails": {&bent{snapshot: func(*shard.Snapshot, error) (*shard.Snapshot, error) {
			return nil, shard.ErrUnavailable
		}}, shard.ErrUnavailable, 1},
		"the history fails": {&bent{commits: func(yield func(shard.Commit, error) bool) {
			yield(shard.Commit{}, shard.ErrUnavailable)
		}}, shard.ErrUnavailable, 1},
		"a folder cannot be read": {&bent{folder: func() error { return shard.ErrUnavailable }}, shard.ErrUnavailable, 1},
		"a folder is too large": {&bent{folder: func() error {
			if calls++; calls == 1 {
				return large
			}
			return nil
		}}, shard.ErrTooLarge, 1},
	} {
		c.log.Log = b.Log("ledgers/x")
		found, errs, s := collect(t.Context(), c.log)
		if len(found) > 0 || len(errs) != c.errs || !errors.Is(errs[0], c.want) || s.Complete || s.Errors != c.errs {
			t.Errorf("%s: %v %v %+v", name, found, errs, s)
		}
	}
}

// A caller that has enough gets nothing more.
func TestVerifyStops(t *testing.T) {
	b := grown(t, 3)
	b.Edit(func(files map[string]membranch.File) {
		files[shard.Folder+"/x.jsonl"] = membranch.File{}
		files[shard.Folder+"/y.jsonl"] = membranch.File{}
	})
	found, _, _ := collect(t.Context(), b.Log("ledgers/x"))
	if len(found) != 2 {
		t.Fatal(found)
	}
	for range ledger.Verify(t.Context(), b.Log("ledgers/x")) {
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	for f, err := range ledger.Verify(ctx, b.Log("ledgers/x")) {
		cancel()
		if n++; n == 2 && !errors.Is(err, context.Canceled) {
			t.Errorf("%v %v", f, err)
		}
	}
	if n != 2 {
		t.Errorf("%d after the context ended", n)
	}
}

package txn

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/gitledger/gitledger/internal/membranch"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
	"github.com/gitledger/gitledger/shard/branchtest"
)

// hooked is a branch in memory with seams around what it does.
type hooked struct {
	*membranch.Branch

	mu       sync.Mutex
	messages []string

	beforeSnapshot func() error
	afterSnapshot  func(*shard.Snapshot)
	beforeCommit   func(shard.Change) error // an error is the commit's, and nothing is committed
	afterCommit    func() error             // the change is there already
}

var _ shard.Branch = (*hooked)(nil)

func newHooked() *hooked { return &hooked{Branch: &membranch.Branch{}} }

func (h *hooked) Snapshot(ctx context.Context, limits shard.Limits) (*shard.Snapshot, error) {
	if h.beforeSnapshot != nil {
		if err := h.beforeSnapshot(); err != nil {
			return nil, err
		}
	}
	snap, err := h.Branch.Snapshot(ctx, limits)
	if err != nil {
		return nil, err
	}
	if h.afterSnapshot != nil {
		h.afterSnapshot(snap)
	}
	return snap, nil
}

func (h *hooked) Commit(ctx context.Context, expect shard.Head, change shard.Change) (shard.Head, error) {
	if h.beforeCommit != nil {
		if err := h.beforeCommit(change); err != nil {
			return "", err
		}
	}
	head, err := h.Branch.Commit(ctx, expect, change)
	if err != nil {
		return "", err
	}
	h.mu.Lock()
	h.messages = append(h.messages, change.Message)
	h.mu.Unlock()
	if h.afterCommit != nil {
		if err := h.afterCommit(); err != nil {
			return "", err
		}
	}
	return head, nil
}

func TestBranchOfTheseTests(t *testing.T) {
	branchtest.Test(t, func() (*branchtest.Store, error) {
		h := newHooked()
		return &branchtest.Store{Open: func() (shard.Branch, error) { return h, nil }}, nil
	})
}

// put adds records as a shard, as another writer would.
func (h *hooked) put(t testing.TB, records ...record.Record) {
	t.Helper()
	id, err := shard.NewID()
	if err != nil {
		t.Fatal(err)
	}
	h.Edit(func(files map[string]membranch.File) {
		files[id.Path()] = membranch.File{Data: slices.Clone(lines(records))}
	})
}

// history reads the branch in full, and fails the test when it is not sound.
func (h *hooked) history(t testing.TB) *ledger.History {
	t.Helper()
	return historyOf(t, h.Branch)
}

func historyOf(t testing.TB, r shard.Reader) *ledger.History {
	t.Helper()
	snap, err := r.Snapshot(context.Background(), shard.MaintenanceLimits())
	if err != nil {
		t.Fatal(err)
	}
	h, err := ledger.Reconstruct(context.Background(), snap)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Err(); err != nil {
		t.Fatal(err)
	}
	return h
}

// store is a set of branches in memory.
type store map[string]*hooked

func (s store) branches(_ context.Context, cfg ledger.Config) (shard.Branch, error) {
	return s[cfg.Name], nil
}

func storeFor(configs ledger.Configs) store {
	s := store{}
	for _, c := range configs {
		s[c.Name] = newHooked()
	}
	return s
}

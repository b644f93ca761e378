package txn

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// memory is a Branch in memory, with seams before and after what it does.
type memory struct {
	mu      sync.Mutex
	version int // 0 is absent
	files   map[shard.ID][]byte
	names   map[string]shard.Fault // files that are no shards
	state   []byte
	commits []string // messages

	beforeSnapshot func() error
	beforeCommit   func(shard.Change) error // an error is the commit's
	afterCommit    func() error             // the change is there already
}

var _ shard.Branch = (*memory)(nil)

func newMemory() *memory { return &memory{files: map[shard.ID][]byte{}} }

func (m *memory) head() shard.Head {
	if m.version == 0 {
		return ""
	}
	return shard.Head(fmt.Sprintf("head-%d", m.version))
}

func (m *memory) Snapshot(ctx context.Context, limits shard.Limits) (*shard.Snapshot, error) {
	if m.beforeSnapshot != nil {
		if err := m.beforeSnapshot(); err != nil {
			return nil, err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	snap := &shard.Snapshot{Head: m.head(), State: m.state}
	total := int64(0)
	for id, data := range m.files {
		s := shard.Shard{Name: id.FileName(), ID: id, Size: int64(len(data)), Data: data}
		if s.Size > limits.FileBytes {
			s.Data, s.Fault = nil, shard.FaultSize
		} else {
			total += s.Size
		}
		snap.Shards = append(snap.Shards, s)
	}
	for name, fault := range m.names {
		snap.Shards = append(snap.Shards, shard.Shard{Name: name, Fault: fault})
	}
	if len(snap.Shards) > limits.Files {
		return nil, &shard.LimitError{What: "files", Limit: int64(limits.Files)}
	}
	if total > limits.Bytes {
		return nil, &shard.LimitError{What: "bytes", Limit: limits.Bytes}
	}
	slices.SortFunc(snap.Shards, func(a, b shard.Shard) int { return strings.Compare(a.Name, b.Name) })
	return snap, nil
}

func (m *memory) Commit(ctx context.Context, expect shard.Head, change shard.Change) (shard.Head, error) {
	if m.beforeCommit != nil {
		if err := m.beforeCommit(change); err != nil {
			return "", err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if m.head() != expect {
		return "", shard.ErrHeadMoved
	}
	for _, a := range change.Add {
		if old, ok := m.files[a.ID]; ok && string(old) != string(a.Data) {
			return "", shard.ErrIdentityCollision
		}
	}
	for _, id := range change.Delete {
		if _, ok := m.files[id]; !ok {
			return "", shard.ErrShardMissing
		}
	}
	for _, a := range change.Add {
		m.files[a.ID] = slices.Clone(a.Data)
	}
	for _, id := range change.Delete {
		delete(m.files, id)
	}
	if change.State != nil {
		m.state = slices.Clone(change.State)
	}
	m.version++
	m.commits = append(m.commits, change.Message)
	if m.afterCommit != nil {
		if err := m.afterCommit(); err != nil {
			return "", err
		}
	}
	return m.head(), nil
}

// put adds records as a shard, as another writer would.
func (m *memory) put(t testing.TB, records ...record.Record) {
	t.Helper()
	id, err := shard.NewID()
	if err != nil {
		t.Fatal(err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files[id] = lines(records)
	m.version++
}

// history reads the branch in full, and fails the test when it is not sound.
func (m *memory) history(t testing.TB) *ledger.History {
	t.Helper()
	saved := m.beforeSnapshot
	m.beforeSnapshot = nil
	defer func() { m.beforeSnapshot = saved }()
	return historyOf(t, m)
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
type store map[string]*memory

func (s store) branches(_ context.Context, cfg ledger.Config) (shard.Branch, error) {
	return s[cfg.Name], nil
}

func storeFor(configs ledger.Configs) store {
	s := store{}
	for _, c := range configs {
		s[c.Name] = newMemory()
	}
	return s
}

package branchtest_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gitledger/gitledger/shard"
	"github.com/gitledger/gitledger/shard/branchtest"
)

// memory is a correct store in memory. Its flaws make it break one rule each.
type memory struct {
	mu      sync.Mutex
	files   map[string]string // nil: no branch
	serial  int
	history map[shard.Head]map[string]string
	shared  map[string][]byte // slices of callers, kept by mistake
	step    func()
	looked  chan struct{} // a snapshot was taken
	flaws   map[flaw]bool
}

type flaw string

const (
	ignoresHead      flaw = "ignores the expected head"
	comparesTooEarly flaw = "compares the head but does not hold it until it publishes"
	dropsDeletion    flaw = "drops a deletion"
	showsHalf        flaw = "shows half a change"
	publishesEarly   flaw = "publishes before it is asked whether it may"
	overwrites       flaw = "overwrites a shard that exists"
	refusesSame      flaw = "refuses the same bytes"
	recreates        flaw = "makes a deleted branch again"
	forgetsOthers    flaw = "keeps only its own files"
	ignoresMissing   flaw = "deletes what is not there without an error"
	keepsState       flaw = "does not write the state"
	dropsState       flaw = "drops the state when a change has none"
	sharesBytes      flaw = "keeps the caller's slice"
	unordered        flaw = "lists shards in another order"
	ignoresContext   flaw = "ignores its context"
	ignoresFiles     flaw = "does not count files"
	ignoresBytes     flaw = "does not count bytes"
	ignoresFileBytes flaw = "reads a shard of any size"
	countsLarge      flaw = "counts the bytes of a shard that is too large"
	acceptsInvalid   flaw = "accepts a change that contradicts itself"
	halfRefused      flaw = "writes part of a change that it refuses"
	writesOnRead     flaw = "changes the store in a snapshot"
	trimsBytes       flaw = "changes a shard's bytes"
	staleHeads       flaw = "returns an old head"
	leaksPath        flaw = "puts a path into an error"
	twoErrors        flaw = "returns errors that are two things at once"
	anyName          flaw = "takes any name for a shard"
	anyState         flaw = "reads a state file of any size"
	writableReader   flaw = "hands out a reader that can write"
	panics           flaw = "panics on an unknown head"
	vanishes         flaw = "loses the branch with its last shard"
)

var allFlaws = []flaw{
	ignoresHead, comparesTooEarly, dropsDeletion, showsHalf, publishesEarly, overwrites, refusesSame, recreates,
	forgetsOthers, ignoresMissing, keepsState, dropsState, sharesBytes, unordered, ignoresContext,
	ignoresFiles, ignoresBytes, ignoresFileBytes, countsLarge, acceptsInvalid, halfRefused,
	writesOnRead, trimsBytes, staleHeads, leaksPath, twoErrors, anyName, anyState, writableReader, panics, vanishes,
}

func newMemory(flaws ...flaw) *memory {
	m := &memory{history: map[shard.Head]map[string]string{}, shared: map[string][]byte{}, looked: make(chan struct{}, 1), flaws: map[flaw]bool{}}
	for _, f := range flaws {
		m.flaws[f] = true
	}
	return m
}

func (m *memory) store() *branchtest.Store {
	return &branchtest.Store{
		Open: func() (shard.Branch, error) { return memoryBranch{memoryReader{m}}, nil },
		Reader: func() (shard.Reader, error) {
			if m.flaws[writableReader] {
				return memoryBranch{memoryReader{m}}, nil
			}
			return memoryReader{m}, nil
		},
		Race: func(step func()) { m.mu.Lock(); m.step = step; m.mu.Unlock() },
		Plant: func(path string, data []byte) error {
			m.mu.Lock()
			defer m.mu.Unlock()
			files := maps.Clone(m.files)
			if files == nil {
				files = map[string]string{}
			}
			files[path] = string(data)
			m.publish(files)
			return nil
		},
		Files: func() (map[string]string, error) {
			m.mu.Lock()
			defer m.mu.Unlock()
			return maps.Clone(m.files), nil
		},
		Fingerprint: func() (string, error) {
			m.mu.Lock()
			defer m.mu.Unlock()
			return fmt.Sprint(m.serial, m.files), nil
		},
		Delete: func() error {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.files = nil
			return nil
		},
		Rewind: func(to shard.Head) error {
			m.mu.Lock()
			defer m.mu.Unlock()
			files, ok := m.history[to]
			if !ok {
				return errors.New("no such head")
			}
			m.files = files
			return nil
		},
		Secrets: []string{"/srv/secret"},
	}
}

func (m *memory) publish(files map[string]string) shard.Head {
	m.serial++
	m.files = files
	head := m.head()
	m.history[head] = files
	return head
}

// head is a digest of the content; a test's histories never return to one.
func (m *memory) head() shard.Head {
	if m.files == nil || m.flaws[vanishes] && !slices.ContainsFunc(slices.Collect(maps.Keys(m.files)), isShard) {
		return ""
	}
	sum := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(m.files)) {
		fmt.Fprintf(sum, "%q %q\n", path, m.files[path])
	}
	return shard.Head(fmt.Sprintf("%x", sum.Sum(nil)))
}

func isShard(path string) bool {
	name, ok := strings.CutPrefix(path, shard.Folder+"/")
	return ok && !strings.Contains(name, "/") && strings.HasSuffix(name, shard.Extension)
}

type memoryReader struct{ *memory }

func (m memoryReader) Snapshot(ctx context.Context, limits shard.Limits) (*shard.Snapshot, error) {
	if err := ctx.Err(); err != nil && !m.flaws[ignoresContext] {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	defer func() {
		select {
		case m.looked <- struct{}{}:
		default:
		}
	}()
	if m.flaws[writesOnRead] {
		m.serial++
	}
	snap := &shard.Snapshot{Head: m.head()}
	if snap.Head == "" {
		return snap, nil
	}
	var total int64
	paths := slices.Sorted(maps.Keys(m.files))
	if m.flaws[unordered] {
		slices.Reverse(paths)
	}
	for _, path := range paths {
		if !isShard(path) {
			continue
		}
		name := strings.TrimPrefix(path, shard.Folder+"/")
		id, ok := shard.FileID(name)
		s := shard.Shard{Name: name, ID: id, Size: int64(len(m.files[path]))}
		switch {
		case !ok && !m.flaws[anyName]:
			s.Fault = shard.FaultName
		case s.Size > limits.FileBytes && !m.flaws[ignoresFileBytes]:
			s.Fault = shard.FaultSize
		default:
			s.Data = []byte(m.files[path])
			if shared, ok := m.shared[path]; ok {
				s.Data = shared
			}
		}
		if s.Fault == "" || s.Fault == shard.FaultSize && m.flaws[countsLarge] {
			total += s.Size
		}
		snap.Shards = append(snap.Shards, s)
	}
	if len(snap.Shards) > limits.Files && !m.flaws[ignoresFiles] {
		return nil, &shard.LimitError{What: "files", Limit: int64(limits.Files)}
	}
	if total > limits.Bytes && !m.flaws[ignoresBytes] {
		return nil, &shard.LimitError{What: "bytes", Limit: limits.Bytes}
	}
	if state, ok := m.files[shard.StatePath]; ok && (int64(len(state)) <= limits.StateBytes() || m.flaws[anyState]) {
		snap.State = []byte(state)
	}
	return snap, nil
}

type memoryBranch struct{ memoryReader }

func (m memoryBranch) Commit(ctx context.Context, expect shard.Head, c shard.Change) (shard.Head, error) {
	head, err := m.commit(ctx, expect, c)
	switch {
	case err == nil && m.flaws[staleHeads]:
		return "old", nil
	case err != nil && m.flaws[leaksPath]:
		return "", fmt.Errorf("/srv/secret: %w", err)
	case err != nil && m.flaws[twoErrors]:
		return "", errors.Join(err, shard.ErrUnavailable)
	}
	return head, err
}

func (m memoryBranch) commit(ctx context.Context, expect shard.Head, c shard.Change) (shard.Head, error) {
	if err := ctx.Err(); err != nil && !m.flaws[ignoresContext] {
		return "", err
	}
	if err := c.Validate(); err != nil && !m.flaws[acceptsInvalid] {
		return "", err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	before := m.head()
	if m.flaws[recreates] && m.files == nil {
		before = expect
	}
	if m.flaws[panics] && expect == "nonsense" {
		panic("unknown head")
	}
	if expect != before && !m.flaws[ignoresHead] {
		return "", shard.ErrHeadMoved
	}
	files, err := m.changed(c)
	if err != nil {
		return "", err
	}
	if m.flaws[publishesEarly] {
		m.publish(files)
	}
	if step := m.step; step != nil {
		m.step = nil
		m.mu.Unlock()
		step()
		m.mu.Lock()
		if now := m.head(); now != before && !m.flaws[ignoresHead] && !m.flaws[comparesTooEarly] && !m.flaws[publishesEarly] {
			return "", shard.ErrHeadMoved
		}
	}
	if m.flaws[showsHalf] && len(c.Delete) > 0 && len(c.Add) > 0 {
		m.half(c)
	}
	return m.publish(files), nil
}

// half shows the branch with the additions alone until somebody has looked.
func (m memoryBranch) half(c shard.Change) {
	files := maps.Clone(m.files)
	for _, a := range c.Add {
		files[a.ID.Path()] = string(a.Data)
	}
	m.publish(files)
	select {
	case <-m.looked: // an earlier look
	default:
	}
	m.mu.Unlock()
	select {
	case <-m.looked:
	case <-time.After(50 * time.Millisecond): // nobody reads beside this writer
	}
	m.mu.Lock()
}

// changed applies c to a copy of the files.
func (m memoryBranch) changed(c shard.Change) (map[string]string, error) {
	files := maps.Clone(m.files)
	if files == nil {
		files = map[string]string{}
	}
	if m.flaws[forgetsOthers] {
		maps.DeleteFunc(files, func(path, _ string) bool { return !isShard(path) && path != shard.StatePath })
	}
	refused := func(err error) (map[string]string, error) {
		if m.flaws[halfRefused] && m.files != nil {
			m.files = files
		}
		return nil, err
	}
	for _, a := range c.Add {
		old, exists := files[a.ID.Path()]
		if exists && (old != string(a.Data) && !m.flaws[overwrites] || m.flaws[refusesSame]) {
			return refused(shard.ErrIdentityCollision)
		}
		data := string(a.Data)
		if m.flaws[trimsBytes] {
			data = strings.TrimRight(data, "\r\n") + "\n"
		}
		files[a.ID.Path()] = data
	}
	for _, id := range c.Delete {
		if _, ok := files[id.Path()]; !ok && !m.flaws[ignoresMissing] {
			return refused(shard.ErrShardMissing)
		}
		if !m.flaws[dropsDeletion] {
			delete(files, id.Path())
		}
	}
	switch {
	case c.State != nil && !m.flaws[keepsState]:
		files[shard.StatePath] = string(c.State)
	case c.State == nil && m.flaws[dropsState]:
		delete(files, shard.StatePath)
	}
	if m.flaws[sharesBytes] {
		for _, a := range c.Add {
			m.shared[a.ID.Path()] = a.Data
		}
	}
	return files, nil
}

// Package membranch is a ledger branch in memory, for tests: a [shard.Branch]
// with the real rules of comparing and swapping, whose files a test can plant
// and look at.
package membranch

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// File is one file of the branch.
type File struct {
	Data      []byte
	Irregular bool // a symlink or the like
}

// Branch is a branch in memory. The zero Branch is absent. It may be used by
// many goroutines.
type Branch struct {
	mu    sync.Mutex
	head  shard.Head
	files map[string]File // by slash-separated path; replaced, never changed
	step  func()          // see Between
	kept  *[]Version      // see Keep
}

var _ shard.Branch = (*Branch)(nil)

// New returns a branch with those files; without any it is absent.
func New(files map[string][]byte) *Branch {
	b := &Branch{}
	if len(files) > 0 {
		b.Edit(func(m map[string]File) {
			for name, data := range files {
				m[name] = File{Data: data}
			}
		})
	}
	return b
}

// Edit changes files in one commit, as another program may.
func (b *Branch) Edit(change func(files map[string]File)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	next := maps.Clone(b.files)
	if next == nil {
		next = map[string]File{}
	}
	change(next)
	b.publish(next)
}

// publish makes files the content. Its head depends on the head before, so
// that no state comes back under the same head.
func (b *Branch) publish(files map[string]File) {
	text := []byte(b.head)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		sum := record.Sum(files[name].Data)
		text = fmt.Appendf(text, "\n%s %t %s", name, files[name].Irregular, sum)
	}
	sum := record.Sum(text)
	b.head, b.files = shard.Head(hex.EncodeToString(sum[:])), files
	if b.kept != nil {
		*b.kept = append(*b.kept, Version{b.head, files})
	}
}

// Head returns the current head.
func (b *Branch) Head() shard.Head {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.head
}

// Files returns the content. It must not be modified.
func (b *Branch) Files() map[string]File {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.files
}

// Snapshot implements [shard.Reader].
func (b *Branch) Snapshot(ctx context.Context, limits shard.Limits) (*shard.Snapshot, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b.mu.Lock()
	head, files := b.head, b.files
	b.mu.Unlock()
	snap := &shard.Snapshot{Head: head}
	var total int64
	for path, f := range files {
		name, in := strings.CutPrefix(path, shard.Folder+"/")
		if !in || strings.Contains(name, "/") || !strings.HasSuffix(name, shard.Extension) {
			continue
		}
		s := shard.Shard{Name: name, Size: int64(len(f.Data))}
		var ok bool
		if s.ID, ok = shard.FileID(name); !ok {
			s.Fault = shard.FaultName
		} else if f.Irregular {
			s.Fault = shard.FaultNotRegular
		} else if s.Size > limits.FileBytes {
			s.Fault = shard.FaultSize
		}
		if s.Fault == "" {
			s.Data = bytes.Clone(f.Data)
			total += s.Size
		}
		snap.Shards = append(snap.Shards, s)
	}
	if len(snap.Shards) > limits.Files {
		return nil, &shard.LimitError{What: "files", Limit: int64(limits.Files)}
	}
	if total > limits.Bytes {
		return nil, &shard.LimitError{What: "bytes", Limit: limits.Bytes}
	}
	slices.SortFunc(snap.Shards, func(a, b shard.Shard) int { return cmp.Compare(a.Name, b.Name) })
	if f, ok := files[shard.StatePath]; ok && !f.Irregular && int64(len(f.Data)) <= limits.StateBytes() {
		snap.State = append([]byte{}, f.Data...)
	}
	return snap, nil
}

// Commit implements [shard.Branch].
func (b *Branch) Commit(ctx context.Context, expect shard.Head, c shard.Change) (shard.Head, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if err := c.Validate(); err != nil {
		return "", err
	}
	b.mu.Lock()
	head, files, step := b.head, b.files, b.step
	b.step = nil
	b.mu.Unlock()
	if head != expect {
		return "", shard.ErrHeadMoved
	}
	next, err := apply(files, c)
	if err != nil {
		return "", err
	}
	if step != nil {
		step()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.head != expect {
		return "", shard.ErrHeadMoved
	}
	b.publish(next)
	return b.head, nil
}

// Between makes the next Commit call step once, after it has compared the head
// and before it compares and swaps.
func (b *Branch) Between(step func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.step = step
}

// apply returns the files with the change made to them.
func apply(files map[string]File, c shard.Change) (map[string]File, error) {
	next := maps.Clone(files)
	if next == nil {
		next = map[string]File{}
	}
	for _, a := range c.Add {
		if f, ok := next[a.ID.Path()]; ok && (f.Irregular || !bytes.Equal(f.Data, a.Data)) {
			return nil, shard.ErrIdentityCollision
		}
		next[a.ID.Path()] = File{Data: bytes.Clone(a.Data)}
	}
	for _, id := range c.Delete {
		if _, ok := next[id.Path()]; !ok {
			return nil, shard.ErrShardMissing
		}
		delete(next, id.Path())
	}
	if c.State != nil {
		next[shard.StatePath] = File{Data: bytes.Clone(c.State)}
	}
	return next, nil
}

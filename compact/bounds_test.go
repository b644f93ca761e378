package compact_test

import (
	"context"
	"errors"
	"testing"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/internal/membranch"
	"github.com/gitledger/gitledger/shard"
)

// Maintenance reads 8192 files, and not one more.
func TestReadBounds(t *testing.T) {
	cfg := configure(2, 256, 10<<20)
	id := func(i int) string { return shard.ID{0: byte(i >> 8), 1: byte(i), 6: 0x40, 8: 0x80}.Path() }
	limits := shard.MaintenanceLimits()
	if limits.Files != 8192 || limits.Bytes != 256<<20 {
		t.Errorf("limits are %+v", limits)
	}
	files := map[string][]byte{}
	for i := range limits.Files { // most of them are empty, which costs nothing and counts
		files[id(i)] = nil
	}
	files[id(0)], files[id(limits.Files-1)] = pack(seal(t, "bounds", 0, `0`)), pack(seal(t, "bounds", 1, `0`))
	b := membranch.New(files)
	p, plan := mustPropose(t, b, cfg)
	mustApply(t, b, cfg, plan, compact.Applied) // two files became one
	b.Edit(func(files map[string]membranch.File) { files[id(limits.Files)] = membranch.File{} })
	if p, err := compact.Propose(t.Context(), b, cfg, compact.ProposeOptions{}); err != nil || p.Plan != nil {
		t.Errorf("8192 files: %+v, %v", p, err)
	}
	b.Edit(func(files map[string]membranch.File) { files[id(limits.Files+1)] = membranch.File{} })
	unchanged(t, b, func() {
		if p, err := compact.Propose(t.Context(), b, cfg, compact.ProposeOptions{}); p != nil || !errors.Is(err, shard.ErrTooLarge) {
			t.Errorf("8193 files: %+v, %v", p, err)
		}
		if out, err := compact.Apply(t.Context(), b, cfg, p.Plan.Append(nil), compact.ApplyOptions{}); out != nil || !errors.Is(err, shard.ErrTooLarge) {
			t.Errorf("8193 files: %+v, %v", out, err)
		}
	})
}

// limited is a reader that says what it was asked for.
type limited struct {
	shard.Branch
	asked []shard.Limits
}

func (l *limited) Snapshot(ctx context.Context, limits shard.Limits) (*shard.Snapshot, error) {
	l.asked = append(l.asked, limits)
	return l.Branch.Snapshot(ctx, limits)
}

func TestReadsWithinMaintenanceLimits(t *testing.T) {
	l, cfg := &limited{Branch: populate(t, "limits", 3, 1)}, configure(2, 8, 100<<10)
	_, plan := mustPropose(t, l, cfg)
	mustApply(t, l, cfg, plan, compact.Applied)
	if want := shard.MaintenanceLimits(); len(l.asked) != 2 || l.asked[0] != want || l.asked[1] != want {
		t.Errorf("read within %+v", l.asked)
	}
}

package compact_test

import (
	"context"
	"testing"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/internal/membranch"
	"github.com/gitledger/gitledger/shard"
)

// overtaken is a branch that somebody changes right after it was first read.
type overtaken struct {
	shard.Branch
	change func()
}

func (o *overtaken) Snapshot(ctx context.Context, limits shard.Limits) (*shard.Snapshot, error) {
	snap, err := o.Branch.Snapshot(ctx, limits)
	if change := o.change; change != nil {
		o.change = nil
		change()
	}
	return snap, err
}

// Apply commits under the head that it verified and no later one, however late
// it learns that there is one: what came in between is looked at before it is
// built upon (S5.3-08).
func TestApplyCommitsUnderTheVerifiedHead(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*stage) // to the branch, after the look
		want   compact.Status
	}{
		"a source grows": {func(s *stage) {
			s.set(s.source(1), &membranch.File{Data: append(s.Files()[s.source(1)].Data, pack(seal(t, "late", 0, `1`))...)})
		}, compact.Conflict},
		"the replacement's ID is taken": {func(s *stage) {
			s.set(s.p.Replacement.ID.Path(), &membranch.File{Data: pack(seal(t, "late", 0, `1`))})
		}, compact.Conflict},
		"a shard comes": {func(s *stage) {
			_, path := file(pack(seal(t, "late", 0, `1`)))
			s.set(path, &membranch.File{Data: pack(seal(t, "late", 0, `1`))})
		}, compact.Applied},
	} {
		t.Run(name, func(t *testing.T) {
			s := setStage(t, "verified")
			b := &overtaken{Branch: s, change: func() { c.change(s) }}
			o := compact.ApplyOptions{Now: clock(noon), Backoff: func(context.Context, int) error { return nil }}
			out, err := compact.Apply(t.Context(), b, s.cfg, s.plan, o)
			if err != nil || out.Status != c.want || out.Attempts != 2 {
				t.Errorf("%+v, %v; want %s after a second look", out, err, c.want)
			}
			if n := len(order(t, s)); n != 4*2+1 {
				t.Errorf("%d records, want the 8 of the sources and the late one", n)
			}
		})
	}
}

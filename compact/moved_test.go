//go:build cgo && unix

package compact_test

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/shard"
)

// Between the look at the branch and the push somebody deletes, rewinds or
// overtakes it. What that somebody left is looked at again, and is neither
// brought back nor overwritten.
func TestBranchMovedBeforeThePush(t *testing.T) {
	for name, c := range map[string]struct {
		move func(*grave)
		want compact.Status
	}{
		"deleted":   {func(g *grave) { g.git("update-ref", "-d", "refs/heads/"+g.cfg.Branch()) }, compact.Stale},
		"rewound":   {func(g *grave) { g.git("update-ref", "refs/heads/"+g.cfg.Branch(), g.cfg.Branch()+"~1") }, compact.Applied},
		"overtaken": {func(g *grave) { g.append("overtaken") }, compact.Applied},
	} {
		t.Run(name, func(t *testing.T) {
			g := dig(t, nil)
			g.append("late")
			late := maps.Clone(g.files())
			data, err := compact.ReadFile(g.plan)
			if err != nil {
				t.Fatal(err)
			}
			moved := false
			b := stepped{Branch: g.branch, yield: func(point byte) {
				if point == 'p' && !moved {
					moved = true
					c.move(g)
				}
			}}
			o := compact.ApplyOptions{Now: clock(noon), Backoff: func(context.Context, int) error { return nil }}
			out, err := compact.Apply(t.Context(), b, g.cfg, data, o)
			if err != nil || out.Status != c.want || out.Attempts != 2 {
				t.Fatalf("%+v, %v; want %s", out, err, c.want)
			}
			want := maps.Clone(g.new)
			switch name {
			case "deleted":
				if refs := g.git("for-each-ref"); refs != "" {
					t.Errorf("the branch came back: %s", refs)
				}
				return
			case "overtaken":
				for path, data := range late {
					if g.old[path] == "" {
						want[path] = data
					}
				}
				want[path(t, "overtaken")] = string(pack(seal(t, "overtaken", 0, `1`)))
			}
			if !maps.Equal(g.files(), want) {
				t.Errorf("%d files, want %d", len(g.files()), len(want))
			}
		})
	}
}

func path(t *testing.T, family string) string {
	_, path := file(pack(seal(t, family, 0, `1`)))
	return path
}

// append commits a shard of one record.
func (g *grave) append(family string) {
	g.t.Helper()
	data := pack(seal(g.t, family, 0, `1`))
	id, _ := file(data)
	head := shard.Head(strings.TrimSpace(g.git("rev-parse", g.cfg.Branch())))
	if _, err := g.branch.Commit(g.t.Context(), head, shard.Change{Add: []shard.Addition{{ID: id, Data: data}}}); err != nil {
		g.t.Fatal(err)
	}
}

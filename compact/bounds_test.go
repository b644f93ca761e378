package compact_test

import (
	"errors"
	"testing"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/internal/membranch"
	"github.com/gitledger/gitledger/shard"
)

// Maintenance reads 8192 files and 256 MiB, and not one more of either.
func TestReadBounds(t *testing.T) {
	cfg := configure(2, 256, 10<<20)
	id := func(i int) string { return shard.ID{0: byte(i >> 8), 1: byte(i), 6: 0x40, 8: 0x80}.Path() }
	limits := shard.MaintenanceLimits()
	judge := func(t *testing.T, files map[string][]byte, what string) {
		b := membranch.New(files)
		p, err := compact.Propose(t.Context(), b, cfg, compact.ProposeOptions{Now: clock(noon)})
		if what == "" {
			if err != nil || p.Plan == nil {
				t.Fatalf("%+v, %v", p, err)
			}
			return
		}
		var limit *shard.LimitError
		if p != nil || !errors.As(err, &limit) || limit.What != what {
			t.Fatalf("%+v, %v; want too many %s", p, err, what)
		}
		plan := bigPlan(2, 1)
		if out, err := compact.Apply(t.Context(), b, cfg, plan.Append(nil), compact.ApplyOptions{}); out != nil || !errors.Is(err, shard.ErrTooLarge) {
			t.Errorf("apply: %+v, %v", out, err)
		}
	}
	t.Run("files", func(t *testing.T) {
		files := map[string][]byte{}
		for i := range limits.Files { // most of them are empty, which costs nothing and counts
			files[id(i)] = nil
		}
		files[id(0)], files[id(limits.Files-1)] = pack(seal(t, "bounds", 0, `0`)), pack(seal(t, "bounds", 1, `0`))
		judge(t, files, "")
		files[id(limits.Files)] = nil
		judge(t, files, "files")
	})
	t.Run("bytes", func(t *testing.T) {
		files := map[string][]byte{id(0): pack(seal(t, "bounds", 0, `0`)), id(1): pack(seal(t, "bounds", 1, `0`))}
		left := limits.Bytes - int64(len(files[id(0)])+len(files[id(1)]))
		garbage := make([]byte, limits.FileBytes)
		for i := 2; left > 0; i++ {
			n := min(left, limits.FileBytes)
			files[id(i)] = garbage[:n]
			left -= n
		}
		judge(t, files, "")
		files[id(4000)] = garbage[:1]
		judge(t, files, "bytes")
	})
}

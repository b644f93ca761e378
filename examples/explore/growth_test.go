package main

import (
	"fmt"
	"testing"

	"github.com/gitledger/gitledger/internal/membranch"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// The chart and the compactions are bounded, cover the whole history, and say how
// many shards there really were.
func TestGrowth(t *testing.T) {
	for _, commits := range []int{1, 2, maxPoints, maxPoints + 1, 2*maxPoints - 1, 2 * maxPoints, 2*maxPoints + 1, 5*maxPoints + 7} {
		b := &membranch.Branch{}
		b.Keep()
		var want []int // shards after each commit
		compactions := 0
		for i := range commits {
			b.Edit(func(files map[string]membranch.File) {
				if i%10 == 9 { // a compaction
					clear(files)
					compactions++
					files[shard.StatePath] = membranch.File{Data: fmt.Appendf(nil, `{"last_applied_at":"2026-03-01T12:00:00.000Z","last_plan_id":"%s","last_trigger":"scheduled","ledger":"tasks","recent_plan_ids":[],"version":"gh-aw/ledger-compaction-state/v1"}`+"\n", record.Sum(fmt.Append(nil, i)))}
				}
				files[shard.ID(record.FoldUUID(record.Sum(fmt.Append(nil, i)))).Path()] = membranch.File{Data: []byte{'\n'}}
				n := len(files)
				if _, ok := files[shard.StatePath]; ok {
					n--
				}
				want = append(want, n)
			})
		}
		v, err := gather(t.Context(), b.Log("ledgers/tasks"), ledger.NewConfig("tasks", ledger.Raw), 5)
		if err != nil {
			t.Fatal(err)
		}
		n := len(v.Growth)
		if v.Commits != commits || n > maxPoints+1 || n < min(commits, maxPoints/2) || v.Growth[0].Commit != 1 || v.Growth[n-1].Commit != commits {
			t.Errorf("%d commits: %d points of %d commits", commits, n, v.Commits)
		}
		for i, p := range v.Growth {
			if i > 0 && i < n-1 && p.Commit-v.Growth[i-1].Commit != v.Growth[1].Commit-1 {
				t.Errorf("%d commits: the points are not evenly apart at %+v", commits, p)
			}
			if i > 0 && p.Commit <= v.Growth[i-1].Commit || p.Shards != want[p.Commit-1] {
				t.Errorf("%d commits: %+v, want %d shards", commits, p, want[p.Commit-1])
			}
		}
		if len(v.Compactions) != min(compactions, maxCompactions) {
			t.Errorf("%d commits: %d compactions, want %d", commits, len(v.Compactions), compactions)
		}
		for i, c := range v.Compactions {
			at := 10 * (compactions - i) // the latest first
			if c.Plan != record.Sum(fmt.Append(nil, at-1)).String() || c.Before != want[at-2] || c.After != want[at-1] {
				t.Errorf("%d commits: %+v", commits, c)
			}
		}
	}
}

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"plain é 日本 👍":                   "plain é 日本 👍",
		"\x1b[2J\r\x00":                  `\u001b[2J\u000d\u0000`,
		"\u202e\u200b\u009b":             `\u202e\u200b\u009b`,
		"\U000e0041\xff\ufffd":           `\u{e0041}\xff` + "\ufffd",
		"a\U000e0101\u034f\u3164\ufe0fb": `a\u{e0101}\u034f\u3164\ufe0fb`, // printable, and not seen
		"\u2028\u00a0\ufeff\xc3":         `\u2028\u00a0\ufeff\xc3`,
	} {
		if got := visible(text, true); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := visible("a\n\tb", true) + visible("a\n\tb", false); got != "a\n\tb"+`a\n\tb` {
		t.Errorf("%q", got)
	}
}

// Command apply is the maintenance job that carries a compaction plan out; -h
// tells how to use it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/internal/actions"
	"github.com/gitledger/gitledger/internal/actions/repository"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/shard"
)

const usage = `usage: apply [flags] [LEDGER PLAN]

Carries a compaction plan out, in one commit. The plan is hostile input: apply
reads the branch again, rebuilds the merged shard from the branch's own records,
and proves that none is lost. A plan that is stale or conflicts changes nothing
and is a warning; the next maintenance run plans again. Whatever happens here
must not stop other jobs, so let the step continue on error.

Run it only when plan said plan_created=true: without a plan's file it fails.
Without arguments there must be one ledger whose compaction is enabled.

Reads   GH_AW_LEDGER_COMPACTION_CONFIG, GH_AW_LEDGER_COMPACTION_PLAN_FILE (PLAN),
        GITHUB_SERVER_URL, GITHUB_REPOSITORY, GH_TOKEN
Writes  the ledger branch, and the step's summary

  GH_TOKEN=… apply findings findings.plan.json
  apply -config "$(bin/jobs -maintenance -base64 workflow.md)" -repo /srv/memory.git findings findings.plan.json
`

func main() {
	var repo string
	actions.Main(actions.Program{
		Name:     "apply",
		Usage:    usage,
		Settings: []actions.Setting{actions.MaintainedLedgers()},
		Flags: func(f *flag.FlagSet) {
			repository.Flag(f, &repo)
		},
		Run: func(ctx context.Context, c *actions.Call) error { return apply(ctx, c, repo) },
	})
}

func apply(ctx context.Context, c *actions.Call, repo string) error {
	cfg, path, err := c.Maintenance()
	if err != nil {
		return err
	}
	plan, err := compact.ReadFile(path)
	if err != nil {
		return err
	}
	r, err := repository.Open(ctx, c, repo, "")
	if err != nil {
		return err
	}
	defer r.Close()
	branch, err := r.Branch(cfg.Branch())
	if err != nil {
		return err
	}
	before := sizes(ctx, c, branch)
	c.Progress("applying to %s", cfg.Branch())
	outcome, err := compact.Apply(ctx, branch, cfg, plan, compact.ApplyOptions{})
	if outcome == nil {
		return err
	}
	if outcome.Status == compact.Stale || outcome.Status == compact.Conflict {
		c.Warning("ledger %s: the plan is not applied: %s: %s", cfg.Name, outcome.Status, outcome.Reason)
	}
	c.Print("%s: %s: %s", cfg.Name, outcome.Status, outcome.Reason)
	return errors.Join(err, c.Result(outcome), c.Summary(summary(cfg, outcome, before, sizes(ctx, c, branch))))
}

func summary(cfg ledger.Config, o *compact.Outcome, before, after []int64) string {
	rows := [][]string{{cfg.Name, string(o.Status), string(o.Reason.Code), fmt.Sprint(o.Stats.SourceSegments), fmt.Sprint(o.Stats.ReplacementRecords)}}
	return "### Compaction\n\n" + actions.Table([]string{"ledger", "status", "why", "merged", "records"}, rows) +
		"\n" + actions.Table([]string{"shards", "count", "bytes", "sizes"}, [][]string{row("before", before), row("after", after)})
}

func row(when string, sizes []int64) []string {
	if sizes == nil {
		return []string{when, "unknown", "", ""}
	}
	var total int64
	for _, size := range sizes {
		total += size
	}
	return []string{when, fmt.Sprint(len(sizes)), fmt.Sprint(total), marks(sizes)}
}

// marks draws the sizes of shards, one mark each and at most 100 of them, on a
// scale of powers of four from 1 KiB.
func marks(sizes []int64) string {
	var b strings.Builder
	for i, size := range sizes {
		if i == 100 {
			b.WriteString("…")
			break
		}
		level := 0
		for bound := int64(1 << 10); size > bound && level < 7; bound <<= 2 {
			level++
		}
		b.WriteRune([]rune("▁▂▃▄▅▆▇█")[level])
	}
	return b.String()
}

// sizes reads how large the shards are, ascending, for a summary. It is nil when
// there is none, or they cannot be read: the summary must not be in the way of what
// it is about.
func sizes(ctx context.Context, c *actions.Call, r shard.Reader) []int64 {
	if !c.Summarised() {
		return nil
	}
	snap, err := r.Snapshot(ctx, shard.MaintenanceLimits())
	if err != nil {
		return nil
	}
	all := []int64{}
	for _, s := range snap.Shards {
		all = append(all, s.Size)
	}
	slices.Sort(all)
	return all
}

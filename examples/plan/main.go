// Command plan is the maintenance job that proposes a compaction; -h tells how to
// use it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/internal/actions"
	"github.com/gitledger/gitledger/internal/actions/repository"
	"github.com/gitledger/gitledger/ledger"
)

const usage = `usage: plan [flags] [LEDGER PLAN]

Decides whether a ledger is due for compaction, and writes a plan if there is
something to merge. It only reads the branch, and nobody has to believe what it
writes: apply checks all of it.

A ledger is due when it has as many shards as its min-segments, 32 unless it says
otherwise; "too-few-segments: 11 of 32" is no failure. Without arguments there must
be one ledger whose compaction is enabled. PLAN must not exist yet.

Reads   GH_AW_LEDGER_COMPACTION_CONFIG, GH_AW_LEDGER_COMPACTION_PLAN_FILE (PLAN),
        GH_AW_LEDGER_COMPACTION_TRIGGER (scheduled, the default, or requested),
        GH_AW_LEDGER_COMPACTION_REQUESTED (the ledger that was asked for),
        GITHUB_SERVER_URL, GITHUB_REPOSITORY, GH_TOKEN
Writes  the plan, the output plan_created (true or false), and the step's summary

  GH_TOKEN=… plan findings findings.plan.json
  plan -config "$(bin/jobs -maintenance -base64 workflow.md)" -repo /srv/memory.git findings findings.plan.json
`

// notRequested is why there is no plan when maintenance was asked for another
// ledger, or compaction is disabled for this one.
const notRequested compact.Code = "not-requested"

func main() {
	var repo string
	actions.Main(actions.Program{
		Name:  "plan",
		Usage: usage,
		Settings: []actions.Setting{
			actions.MaintainedLedgers(),
			{Variable: ledger.EnvTrigger, Flag: "trigger", About: "scheduled or requested: `why` maintenance runs"},
			{Variable: ledger.EnvRequested, Flag: "requested", About: "the `ledger` that maintenance was asked for, in this spelling; every one if it is empty"},
		},
		Flags: func(f *flag.FlagSet) {
			repository.Flag(f, &repo)
		},
		Run: func(ctx context.Context, c *actions.Call) error { return plan(ctx, c, repo) },
	})
}

func plan(ctx context.Context, c *actions.Call, repo string) error {
	cfg, path, err := c.Maintenance()
	if err != nil {
		return err
	}
	trigger := compact.Trigger(c.Setting(ledger.EnvTrigger, string(compact.Scheduled)))
	if trigger != compact.Scheduled && trigger != compact.Requested {
		return actions.Usage(ledger.EnvTrigger + " is neither scheduled nor requested")
	}
	if !cfg.Requested(c.Setting(ledger.EnvRequested, "")) {
		return report(c, cfg, &compact.Proposal{Reason: compact.Reason{Code: notRequested}})
	}
	r, err := repository.Open(ctx, c, repo, "")
	if err != nil {
		return err
	}
	defer r.Close()
	reader, err := r.Reader(cfg.Branch())
	if err != nil {
		return err
	}
	c.Progress("reading %s", cfg.Branch())
	proposal, err := compact.Propose(ctx, reader, cfg, compact.ProposeOptions{Trigger: trigger})
	if err != nil {
		return err
	}
	if proposal.Plan != nil {
		if err := actions.Folder(path); err != nil {
			return err
		}
		if err := compact.WriteFile(path, proposal.Plan); errors.Is(err, fs.ErrExist) {
			return actions.Usage("the plan exists already: remove it, or name another file")
		} else if err != nil {
			return errors.New("the plan cannot be written")
		}
	}
	return report(c, cfg, proposal)
}

func report(c *actions.Call, cfg ledger.Config, p *compact.Proposal) error {
	if p.Invalid > 0 {
		c.Warning("ledger %s: %d shards are malformed, and are left alone", cfg.Name, p.Invalid)
	}
	made := "no plan"
	if p.Plan != nil {
		made = "a plan"
	}
	c.Print("%s: %s: %s", cfg.Name, made, p.Reason)
	row := []string{cfg.Name, fmt.Sprint(p.Plan != nil), string(p.Reason.Code), fmt.Sprint(p.Eligible), "", "", ""}
	if p.Plan != nil {
		row = append(row[:4], fmt.Sprint(p.Stats.SourceSegments), fmt.Sprint(p.Stats.BytesBefore), fmt.Sprint(p.Stats.BytesAfter))
	}
	type answer struct {
		Ledger  string         `json:"ledger"`
		Due     bool           `json:"due"`
		Created bool           `json:"plan_created"`
		Reason  compact.Reason `json:"reason"`
		Stats   compact.Stats  `json:"stats,omitzero"`
		Invalid int            `json:"invalid_segments"`
	}
	columns := []string{"ledger", "plan", "why", "shards", "merged", "bytes before", "bytes after"}
	return errors.Join(
		c.Result(answer{cfg.Name, p.Due, p.Plan != nil, p.Reason, p.Stats, p.Invalid}),
		c.Output(ledger.OutputPlanCreated, fmt.Sprint(p.Plan != nil)),
		c.Summary("### Compaction plan\n\n"+actions.Table(columns, [][]string{row})),
	)
}

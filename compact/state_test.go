package compact_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

func TestParseState(t *testing.T) {
	id := record.Sum([]byte("plan"))
	good := fmt.Sprintf(`{"last_applied_at":"2026-03-01T12:00:00.000Z","last_plan_id":"%s","last_trigger":"scheduled","ledger":"findings","recent_plan_ids":["%s"],"version":"gh-aw/ledger-compaction-state/v1"}`+"\n", id, id)
	s, err := compact.ParseState([]byte(good))
	if err != nil || string(s.Append(nil)) != good || s.LastPlanID != id || len(s.RecentPlanIDs) != 1 {
		t.Fatalf("%+v, %v", s, err)
	}
	twenty := strings.Repeat(fmt.Sprintf(`"%s",`, id), 20)
	for name, change := range map[string][2]string{
		"another version":       {"state/v1", "state/v2"},
		"another key":           {`"ledger"`, `"ledgers"`},
		"a key more":            {`{`, `{"more":1,`},
		"a key less":            {`"last_trigger":"scheduled",`, ``},
		"a key twice":           {`{`, `{"ledger":"findings",`},
		"an unknown trigger":    {"scheduled", "cron"},
		"no digest":             {`"last_plan_id":"sha256`, `"last_plan_id":"sha255`},
		"a recent non-digest":   {`[`, `["x",`},
		"21 recent plans":       {`[`, `[` + twenty},
		"recent is no array":    {fmt.Sprintf(`["%s"]`, id), `{}`},
		"no real instant":       {"03-01T", "13-01T"},
		"no ledger name":        {`"findings"`, `"../findings"`},
		"something after it":    {"}\n", "} {}"},
		"not UTF-8":             {"findings", "find\xffings"},
		"64 KiB of white space": {"\n", strings.Repeat("\n", 64<<10)},
	} {
		text := strings.Replace(good, change[0], change[1], 1)
		if text == good {
			t.Fatalf("%s: nothing was changed", name)
		}
		if s, err := compact.ParseState([]byte(text)); !errors.Is(err, compact.ErrInvalidState) || s != nil {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

// The state remembers the last 20 plans, newest first.
func TestStateRemembers(t *testing.T) {
	cfg := configure(2, 8, 100<<10)
	b := populate(t, "remember", 2, 1)
	var plans [][]byte
	var ids []record.Hash
	for round := range compact.MaxRecentPlans + 3 {
		_, plan := mustPropose(t, b, cfg)
		out := mustApply(t, b, cfg, plan, compact.Applied)
		plans, ids = append(plans, plan), append([]record.Hash{out.PlanID}, ids...)
		data := pack(seal(t, "more", round, `1`))
		id, _ := file(data)
		if _, err := b.Commit(t.Context(), b.Head(), shard.Change{Add: []shard.Addition{{ID: id, Data: data}}}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := compact.ParseState(b.Files()[shard.StatePath].Data)
	if err != nil || s.LastPlanID != ids[0] || fmt.Sprint(s.RecentPlanIDs) != fmt.Sprint(ids[:compact.MaxRecentPlans]) {
		t.Errorf("%+v, %v", s, err)
	}
	// Its replacement was merged on, but the plan is known; one too old is not.
	mustApply(t, b, cfg, plans[3], compact.AlreadyApplied)
	mustApply(t, b, cfg, plans[2], compact.Stale)
}

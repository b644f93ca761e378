package compact_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/internal/membranch"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

func TestDue(t *testing.T) {
	state := func(ledgerName, at string) []byte {
		return (&compact.State{Ledger: ledgerName, LastTrigger: compact.Scheduled, LastAppliedAt: at, RecentPlanIDs: []record.Hash{{1}}}).Append(nil)
	}
	ago := func(d time.Duration) []byte { return state("findings", record.FormatTime(noon.Add(-d))) }
	for _, c := range []struct {
		name     string
		schedule ledger.Schedule
		trigger  compact.Trigger
		state    []byte
		due      bool
		why      compact.Code
	}{
		{"daily, never before", ledger.Daily, "", nil, true, compact.DueFirst},
		{"daily, 20 h", ledger.Daily, compact.Scheduled, ago(20 * time.Hour), true, compact.DueSchedule},
		{"daily, 1 ms less", ledger.Daily, "", ago(20*time.Hour - time.Millisecond), false, compact.NotDueYet},
		{"daily, in the future", ledger.Daily, "", ago(-time.Hour), false, compact.NotDueYet},
		{"daily, requested", ledger.Daily, compact.Requested, ago(0), true, compact.DueRequested},
		{"weekly, 164 h", ledger.Weekly, "", ago(164 * time.Hour), true, compact.DueSchedule},
		{"weekly, 1 ms less", ledger.Weekly, "", ago(164*time.Hour - time.Millisecond), false, compact.NotDueYet},
		{"weekly, never before", ledger.Weekly, "", nil, true, compact.DueFirst},
		{"manual, never before", ledger.Manual, "", nil, false, compact.NotDueManual},
		{"manual, long ago", ledger.Manual, "", ago(10000 * time.Hour), false, compact.NotDueManual},
		{"manual, requested", ledger.Manual, compact.Requested, ago(0), true, compact.DueRequested},
		{"daily, state is not JSON", ledger.Daily, "", []byte("{"), true, compact.DueFirst},
		{"daily, state of another ledger", ledger.Daily, "", state("others", record.FormatTime(noon)), true, compact.DueFirst},
		{"daily, state without a real day", ledger.Daily, "", state("findings", "2026-02-30T12:00:00.000Z"), true, compact.DueFirst},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := populate(t, c.name, 3, 1)
			if c.state != nil {
				b.Edit(func(files map[string]membranch.File) { files[shard.StatePath] = membranch.File{Data: c.state} })
			}
			cfg := configure(2, 8, 100<<10)
			cfg.Compaction.Schedule = c.schedule
			p, err := compact.Propose(t.Context(), b, cfg, compact.ProposeOptions{Trigger: c.trigger, Now: clock(noon)})
			if err != nil {
				t.Fatal(err)
			}
			if p.Due != c.due || p.Reason.Code != c.why || (p.Plan != nil) != c.due {
				t.Errorf("due %t because %s, plan %t; want %t, %s", p.Due, p.Reason, p.Plan != nil, c.due, c.why)
			}
			cfg.Compaction = ledger.Compaction{Disabled: true}
			p, err = compact.Propose(t.Context(), b, cfg, compact.ProposeOptions{Trigger: compact.Requested, Now: clock(noon)})
			if err != nil || p.Due || p.Plan != nil || p.Reason.Code != compact.NotDueDisabled {
				t.Errorf("disabled: %+v, %v", p, err)
			}
		})
	}
}

func TestSelect(t *testing.T) {
	line := func(i int) record.Record { return seal(t, "select", i, `{"n":1}`) }
	size := int64(len(pack(line(0)))) // all of these lines are of one length
	good := func(i int) []byte { return pack(line(i)) }
	malformed := append(pack(line(90)), "{}\n"...)
	type want struct {
		selected, eligible, invalid int
		why                         compact.Code
		first                       int // the first one that is selected
	}
	for _, c := range []struct {
		name  string
		cfg   ledger.Config
		files [][]byte
		want  want
	}{
		{"two are enough", configure(2, 8, 10*size), [][]byte{good(1), good(2)}, want{2, 2, 0, "", 0}},
		{"one is not", configure(2, 8, 10*size), [][]byte{good(1)}, want{0, 1, 0, compact.TooFew, 0}},
		{"an empty branch", configure(2, 8, 10*size), nil, want{0, 0, 0, compact.TooFew, 0}},
		{"below min", configure(4, 8, 10*size), [][]byte{good(1), good(2), good(3)}, want{0, 3, 0, compact.TooFew, 0}},
		{"malformed ones do not count for min", configure(3, 8, 10*size), [][]byte{good(1), good(2), malformed}, want{0, 2, 1, compact.TooFew, 0}},
		{"full ones do not count for min", configure(3, 8, 2*size), [][]byte{good(1), good(2), pack(line(3), line(4))}, want{0, 2, 0, compact.TooFew, 0}},
		{"a full one is no source", configure(2, 8, 2*size), [][]byte{good(1), good(2), pack(line(3), line(4))}, want{2, 2, 0, "", 0}},
		{"a larger one is no source", configure(2, 8, 2*size), [][]byte{good(1), good(2), pack(line(3), line(4), line(5))}, want{2, 2, 0, "", 0}},
		{"at most max", configure(2, 3, 10*size), [][]byte{good(1), good(2), good(3), good(4), good(5)}, want{3, 5, 0, "", 0}},
		{"the union is exactly full", configure(2, 8, 3*size), [][]byte{good(1), good(2), good(3)}, want{3, 3, 0, "", 0}},
		{"the union is one byte too large", configure(2, 8, 3*size-1), [][]byte{good(1), good(2), good(3)}, want{2, 3, 0, "", 0}},
		{"nothing fits", configure(2, 8, 2*size-1), [][]byte{good(1), good(2), good(3)}, want{0, 3, 0, compact.NothingFits, 0}},
		{"one in the middle is passed over", configure(2, 8, 3*size), [][]byte{good(1), pack(line(2), line(3), line(4))[1:], pack(line(5), line(6))}, want{2, 2, 1, "", 0}},
		{"one that does not fit is passed over", configure(2, 8, 4*size-1), [][]byte{good(1), pack(line(2), line(3), line(4)), pack(line(5), line(6))}, want{2, 3, 0, "", 0}},
		{"a first one without room for others is passed over", configure(2, 8, 3*size-1), [][]byte{pack(line(1), line(2)), good(3), good(4)}, want{2, 3, 0, "", 1}},
		{"a first one has room for what it has", configure(2, 8, 3*size-1), [][]byte{pack(line(1), line(2)), good(3), good(2)}, want{2, 3, 0, "", 0}},
		{"a first one with room for others, but not for what they repeat, is passed over", configure(2, 8, 4*size-1),
			[][]byte{pack(line(1), line(2)), pack(line(3), line(4), line(5)), pack(line(3), line(4))}, want{2, 3, 0, "", 1}},
		{"one that fits by what is new in it, and not by what is shared", configure(2, 8, 4*size), [][]byte{pack(line(1), line(2), line(3)), pack(line(4), line(5), line(6)), pack(line(1), line(4), line(7))}, want{0, 3, 0, compact.NothingFits, 0}},
		{"an empty file is no source", configure(2, 8, 10*size), [][]byte{good(1), {}}, want{0, 1, 1, compact.TooFew, 0}},
		{"no last newline is malformed", configure(2, 8, 10*size), [][]byte{good(1), bytes.TrimSpace(good(2))}, want{0, 1, 1, compact.TooFew, 0}},
		{"repetitions count once", configure(2, 8, 3*size), [][]byte{pack(line(1), line(2)), pack(line(2), line(3)), pack(line(3), line(1))}, want{3, 3, 0, "", 0}},
		{"repetitions within a shard count once", configure(2, 8, 4*size), [][]byte{pack(line(1), line(1), line(1)), good(2), good(3), good(4)}, want{4, 4, 0, "", 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string][]byte{}
			for i, data := range c.files {
				files[shard.ID{0: byte(i), 6: 0x40, 8: 0x80}.Path()] = data
			}
			b := membranch.New(files)
			unchanged(t, b, func() {
				p, err := compact.Propose(t.Context(), b, c.cfg, compact.ProposeOptions{Now: clock(noon)})
				if err != nil {
					t.Fatal(err)
				}
				if len(p.Selected) != c.want.selected || p.Eligible != c.want.eligible || p.Invalid != c.want.invalid {
					t.Errorf("selected %d of %d, %d invalid; want %+v", len(p.Selected), p.Eligible, p.Invalid, c.want)
				}
				if c.want.why != "" && (p.Plan != nil || p.Reason.Code != c.want.why) {
					t.Errorf("because %s, want %s", p.Reason, c.want.why)
				}
				if !slices.IsSortedFunc(p.Selected, func(a, b shard.ID) int { return bytes.Compare(a[:], b[:]) }) {
					t.Errorf("not in order: %v", p.Selected)
				}
			})
			if c.want.selected == 0 {
				return
			}
			p, plan := mustPropose(t, b, c.cfg)
			if int(p.Selected[0][0]) != c.want.first {
				t.Errorf("selected %v", p.Selected)
			}
			before := sorted(order(t, b))
			mustApply(t, b, c.cfg, plan, compact.Applied)
			if after := sorted(order(t, b)); !slices.Equal(after, before) {
				t.Errorf("%d records, were %d", len(after), len(before))
			}
		})
	}
}

// Shards that overlap can be arranged so that a great many look as if they had
// room for a second one, and none has. Trying them is bounded.
func TestSelectGivesUp(t *testing.T) {
	line := func(i int) record.Record { return seal(t, "gives up", i, `1`) }
	size := int64(len(pack(line(0))))
	for inVain, selected := range map[int]int{32: 2, 33: 0} { // the first one is seen not to fit without a try
		files := map[string][]byte{}
		add := func(data []byte) { files[shard.ID{0: byte(len(files)), 6: 0x40, 8: 0x80}.Path()] = data }
		for i := range inVain { // each adds one record to those before it, and any two hold three
			add(pack(line(i), line(i+1)))
		}
		add(pack(line(90)))
		add(pack(line(91)))
		p, err := compact.Propose(t.Context(), membranch.New(files), configure(2, 8, 3*size-1), compact.ProposeOptions{})
		if err != nil || len(p.Selected) != selected || selected == 0 && p.Reason.Code != compact.NothingFits {
			t.Errorf("%d in vain: selected %d (%s), %v", inVain, len(p.Selected), p.Reason, err)
		}
	}
}

// The records that a plan names are bounded, and Propose must not make a plan
// that Apply would then reject.
func TestSelectBoundsRecords(t *testing.T) {
	var records []record.Record
	for i := range 600 {
		records = append(records, seal(t, "many", i, `0`))
	}
	files := map[string][]byte{}
	for s := range 200 { // 200 shards that overlap in 599 of 600 records: 120,000 in all
		data := pack(append([]record.Record{seal(t, "own", s, `0`)}, records[:599]...)...)
		_, path := file(data)
		files[path] = data
	}
	b := membranch.New(files)
	p, plan := mustPropose(t, b, configure(2, 256, 10<<20))
	if len(p.Plan.Sources) != compact.MaxPlanRecords/600 {
		t.Errorf("%d sources", len(p.Plan.Sources))
	}
	if _, err := compact.ParsePlan(plan); err != nil {
		t.Error(err)
	}
}

func TestProposeAgainstMergedShard(t *testing.T) {
	b := populate(t, "again", 4, 2)
	cfg := configure(2, 8, 100<<10)
	old := b.Files()
	p, plan := mustPropose(t, b, cfg)
	mustApply(t, b, cfg, plan, compact.Applied)
	// Two sources come back, as from a writer that did not see the compaction.
	b.Edit(func(files map[string]membranch.File) {
		for _, s := range p.Plan.Sources[:2] {
			files[s.ID.Path()] = old[s.ID.Path()]
		}
	})
	again, plan := mustPropose(t, b, cfg)
	if len(again.Selected) != 3 || len(again.Plan.Sources) != 2 || again.Plan.Replacement.ID != p.Plan.Replacement.ID {
		t.Fatalf("selected %v, sources %d", again.Selected, len(again.Plan.Sources))
	}
	out := mustApply(t, b, cfg, plan, compact.Applied)
	if out.Stats != again.Stats {
		t.Errorf("stats %+v, proposed %+v", out.Stats, again.Stats)
	}
	mustApply(t, b, cfg, plan, compact.AlreadyApplied)
}

func TestProposeRefuses(t *testing.T) {
	good := configure(2, 8, 100<<10)
	for name, c := range map[string]struct {
		edit func(*ledger.Config)
		o    compact.ProposeOptions
	}{
		"no name":          {func(c *ledger.Config) { c.Name = "" }, compact.ProposeOptions{}},
		"no limits":        {func(c *ledger.Config) { c.Limits = ledger.Limits{} }, compact.ProposeOptions{}},
		"no policy":        {func(c *ledger.Config) { c.Compaction = ledger.Compaction{} }, compact.ProposeOptions{}},
		"no schedule":      {func(c *ledger.Config) { c.Compaction.Schedule = "" }, compact.ProposeOptions{}},
		"max over 256":     {func(c *ledger.Config) { c.Compaction.MaxSegments = 257 }, compact.ProposeOptions{}},
		"max under min":    {func(c *ledger.Config) { c.Compaction.MinSegments = 9 }, compact.ProposeOptions{}},
		"a strange commit": {func(*ledger.Config) {}, compact.ProposeOptions{BaseCommit: "--force"}},
		"a strange cause":  {func(*ledger.Config) {}, compact.ProposeOptions{Trigger: "cron"}},
	} {
		cfg := good
		c.edit(&cfg)
		if p, err := compact.Propose(t.Context(), populate(t, "refuse", 3, 1), cfg, c.o); err == nil || p != nil {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := compact.Propose(ctx, populate(t, "refuse", 3, 1), good, compact.ProposeOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestProposePassesOnWhatTheReaderSays(t *testing.T) {
	r := failing{fmt.Errorf("wrapped: %w", &shard.LimitError{What: "files", Limit: 8192})}
	if _, err := compact.Propose(t.Context(), r, configure(2, 8, 100<<10), compact.ProposeOptions{}); !errors.Is(err, shard.ErrTooLarge) {
		t.Errorf("got %v", err)
	}
}

type failing struct{ err error }

func (f failing) Snapshot(_ context.Context, limits shard.Limits) (*shard.Snapshot, error) {
	if limits != shard.MaintenanceLimits() {
		return nil, errors.New("other limits than maintenance's")
	}
	return nil, f.err
}

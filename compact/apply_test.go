package compact_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/internal/membranch"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// stage is a branch with a plan for it.
type stage struct {
	*membranch.Branch
	cfg  ledger.Config
	plan []byte
	p    *compact.Plan
}

func setStage(t *testing.T, name string) *stage {
	t.Helper()
	s := &stage{Branch: populate(t, name, 4, 2), cfg: configure(2, 8, 100<<10)}
	p, plan := mustPropose(t, s, s.cfg)
	s.p, s.plan = p.Plan, plan
	return s
}

func (s *stage) set(path string, f *membranch.File) {
	s.Edit(func(files map[string]membranch.File) {
		if f == nil {
			delete(files, path)
		} else {
			files[path] = *f
		}
	})
}

func (s *stage) source(i int) string { return s.p.Sources[i].ID.Path() }

func TestApplyOutcomes(t *testing.T) {
	replacement := func(t *testing.T, s *stage) []byte {
		copied := membranch.New(nil)
		copied.Edit(func(files map[string]membranch.File) {
			for path, f := range s.Files() {
				files[path] = f
			}
		})
		mustApply(t, copied, s.cfg, s.plan, compact.Applied)
		return copied.Files()[s.p.Replacement.ID.Path()].Data
	}
	for _, c := range []struct {
		name string
		edit func(*testing.T, *stage)
		want compact.Status
		why  compact.Code
	}{
		{"as it was", func(*testing.T, *stage) {}, compact.Applied, compact.Verified},
		{"a shard was appended", func(t *testing.T, s *stage) {
			data := pack(seal(t, "late", 0, `1`))
			_, path := file(data)
			s.set(path, &membranch.File{Data: data})
		}, compact.Applied, compact.Verified},
		{"a line was added to a source", func(t *testing.T, s *stage) {
			data := append(slices.Clone(s.Files()[s.source(1)].Data), pack(seal(t, "late", 0, `1`))...)
			s.set(s.source(1), &membranch.File{Data: data})
		}, compact.Conflict, compact.SourceChanged},
		{"the lines of a source were reordered", func(t *testing.T, s *stage) {
			lines := strings.SplitAfter(string(s.Files()[s.source(2)].Data), "\n")
			s.set(s.source(2), &membranch.File{Data: []byte(lines[1] + lines[0])})
		}, compact.Conflict, compact.SourceChanged},
		{"a source lost its last newline", func(t *testing.T, s *stage) {
			data := s.Files()[s.source(0)].Data
			s.set(s.source(0), &membranch.File{Data: data[:len(data)-1]})
		}, compact.Conflict, compact.SourceMalformed},
		{"a source is a symlink", func(t *testing.T, s *stage) {
			s.set(s.source(0), &membranch.File{Data: []byte("elsewhere"), Irregular: true})
		}, compact.Conflict, compact.SourceMalformed},
		{"a source is empty", func(t *testing.T, s *stage) {
			s.set(s.source(3), &membranch.File{})
		}, compact.Conflict, compact.SourceMalformed},
		{"a source is gone", func(t *testing.T, s *stage) { s.set(s.source(0), nil) }, compact.Stale, compact.SomeSourcesGone},
		{"all sources are gone", func(t *testing.T, s *stage) {
			for i := range s.p.Sources {
				s.set(s.source(i), nil)
			}
		}, compact.Stale, compact.SourcesGone},
		{"all sources are gone and the replacement is there", func(t *testing.T, s *stage) {
			data := replacement(t, s)
			for i := range s.p.Sources {
				s.set(s.source(i), nil)
			}
			s.set(s.p.Replacement.ID.Path(), &membranch.File{Data: data})
		}, compact.AlreadyApplied, compact.SourcesRetired},
		{"all sources are gone and the state recalls the plan", func(t *testing.T, s *stage) {
			for i := range s.p.Sources {
				s.set(s.source(i), nil)
			}
			state := compact.State{Ledger: "findings", LastPlanID: record.Hash{9}, LastTrigger: compact.Scheduled,
				LastAppliedAt: "2026-03-01T12:00:00.000Z", RecentPlanIDs: []record.Hash{{9}, s.p.ID()}}
			s.set(shard.StatePath, &membranch.File{Data: state.Append(nil)})
		}, compact.AlreadyApplied, compact.SourcesRetired},
		{"only the last plan is recalled", func(t *testing.T, s *stage) {
			for i := range s.p.Sources {
				s.set(s.source(i), nil)
			}
			state := compact.State{Ledger: "findings", LastPlanID: s.p.ID(), LastTrigger: compact.Scheduled, LastAppliedAt: "2026-03-01T12:00:00.000Z"}
			s.set(shard.StatePath, &membranch.File{Data: state.Append(nil)})
		}, compact.AlreadyApplied, compact.SourcesRetired},
		{"the state recalls the plan, and the replacement's ID was taken since", func(t *testing.T, s *stage) {
			for i := range s.p.Sources {
				s.set(s.source(i), nil)
			}
			state := compact.State{Ledger: "findings", LastPlanID: s.p.ID(), LastTrigger: compact.Scheduled,
				LastAppliedAt: "2026-03-01T12:00:00.000Z", RecentPlanIDs: []record.Hash{s.p.ID()}}
			s.set(shard.StatePath, &membranch.File{Data: state.Append(nil)})
			s.set(s.p.Replacement.ID.Path(), &membranch.File{Data: pack(seal(t, "squatter", 0, `1`))})
		}, compact.AlreadyApplied, compact.SourcesRetired},
		{"all sources are gone and the replacement's ID is taken", func(t *testing.T, s *stage) {
			for i := range s.p.Sources {
				s.set(s.source(i), nil)
			}
			s.set(s.p.Replacement.ID.Path(), &membranch.File{Data: pack(seal(t, "squatter", 0, `1`))})
		}, compact.Conflict, compact.ReplacementTaken},
		{"the state is another ledger's", func(t *testing.T, s *stage) {
			for i := range s.p.Sources {
				s.set(s.source(i), nil)
			}
			state := compact.State{Ledger: "others", LastPlanID: s.p.ID(), LastTrigger: compact.Scheduled,
				LastAppliedAt: "2026-03-01T12:00:00.000Z", RecentPlanIDs: []record.Hash{s.p.ID()}}
			s.set(shard.StatePath, &membranch.File{Data: state.Append(nil)})
		}, compact.Stale, compact.SourcesGone},
		{"the replacement is there already", func(t *testing.T, s *stage) {
			s.set(s.p.Replacement.ID.Path(), &membranch.File{Data: replacement(t, s)})
		}, compact.Applied, compact.Verified},
		{"the replacement's ID is taken", func(t *testing.T, s *stage) {
			s.set(s.p.Replacement.ID.Path(), &membranch.File{Data: pack(seal(t, "squatter", 0, `1`))})
		}, compact.Conflict, compact.ReplacementTaken},
		{"the replacement's ID is taken by less", func(t *testing.T, s *stage) {
			data := string(replacement(t, s))
			s.set(s.p.Replacement.ID.Path(), &membranch.File{Data: []byte(data[:strings.Index(data, "\n")+1])})
		}, compact.Conflict, compact.ReplacementTaken},
		{"the replacement's ID is taken by garbage", func(t *testing.T, s *stage) {
			s.set(s.p.Replacement.ID.Path(), &membranch.File{Data: []byte("x")})
		}, compact.Conflict, compact.ReplacementTaken},
		{"the replacement's ID is taken by a symlink", func(t *testing.T, s *stage) {
			s.set(s.p.Replacement.ID.Path(), &membranch.File{Data: replacement(t, s), Irregular: true})
		}, compact.Conflict, compact.ReplacementTaken},
		{"the branch is gone", func(t *testing.T, s *stage) { *s.Branch = *membranch.New(nil) }, compact.Stale, compact.SourcesGone},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := setStage(t, "outcomes")
			c.edit(t, s)
			s.set("ledger/coverage/x.json", &membranch.File{Data: []byte(`{"replacement":"forged","sources":["all"]}`)})
			head, before, files := s.Head(), order(t, s), tree(s.Branch)
			checked, err := compact.Check(t.Context(), s, s.cfg, s.plan, compact.ApplyOptions{Now: clock(noon)})
			if err != nil || checked.Status != c.want && (checked.Status != compact.Ready || c.want != compact.Applied) || s.Head() != head {
				t.Errorf("check: %+v, %v", checked, err)
			}
			out := mustApply(t, s, s.cfg, s.plan, c.want)
			if out.Reason.Code != c.why || out.PlanID != s.p.ID() || out.Ledger != "findings" || out.Trigger != compact.Requested || out.Attempts != 1 {
				t.Errorf("%+v, want %s", out, c.why)
			}
			if !slices.Equal(order(t, s), before) {
				t.Error("other records, or another order")
			}
			if out.Head != s.Head() || c.want != compact.Applied && s.Head() != head {
				t.Errorf("head %s, was %s, outcome says %s", s.Head(), head, out.Head)
			}
			if c.want == compact.Applied {
				checkTransition(t, s, files)
				mustApply(t, s, s.cfg, s.plan, compact.AlreadyApplied)
			}
		})
	}
}

// checkTransition checks that the sources are gone, replacement and state are
// there, and nothing else changed.
func checkTransition(t *testing.T, s *stage, before map[string]string) {
	t.Helper()
	want := before
	for i := range s.p.Sources {
		delete(want, s.source(i))
	}
	got := tree(s.Branch)
	replacement := s.p.Replacement.ID.Path()
	if record.Sum([]byte(got[replacement])) != s.p.Replacement.SHA256 {
		t.Error("the replacement is not the plan's")
	}
	want[replacement], want[shard.StatePath] = got[replacement], got[shard.StatePath]
	for path, data := range want {
		if got[path] != data {
			t.Errorf("%s changed", path)
		}
		delete(got, path)
	}
	for path := range got {
		t.Errorf("%s is there", path)
	}
}

// A plan that fits another ledger, or a ledger as it was configured before, is
// rejected before the branch is read.
func TestApplyOtherConfiguration(t *testing.T) {
	s := setStage(t, "configuration")
	for name, edit := range map[string]func(*ledger.Config){
		"another ledger":    func(c *ledger.Config) { c.Name = "others" },
		"disabled":          func(c *ledger.Config) { c.Compaction = ledger.Compaction{Disabled: true} },
		"fewer segments":    func(c *ledger.Config) { c.Compaction.MaxSegments = 3 },
		"smaller segments":  func(c *ledger.Config) { c.Limits.SegmentBytes = s.p.Replacement.Bytes - 1 },
		"smaller than each": func(c *ledger.Config) { c.Limits.SegmentBytes = 1024 / 2 },
	} {
		cfg := s.cfg
		edit(&cfg)
		unchanged(t, s.Branch, func() {
			out, err := compact.Apply(t.Context(), s, cfg, s.plan, compact.ApplyOptions{})
			if out == nil || out.Status != compact.Rejected || !errors.Is(err, compact.ErrRejected) || out.Attempts != 0 {
				t.Errorf("%s: %+v, %v", name, out, err)
			}
		})
	}
	if out, err := compact.Apply(t.Context(), s, ledger.Config{Name: "findings"}, s.plan, compact.ApplyOptions{}); err == nil || out != nil || errors.Is(err, compact.ErrRejected) {
		t.Errorf("no configuration: %+v, %v", out, err)
	}
}

// scripted answers the calls of a branch with errors, or lets them through.
type scripted struct {
	shard.Branch
	snapshot, commit []error // one a call; nil lets it through
	after            []error // what Commit says after it did its work
}

func next(list *[]error) error {
	if len(*list) == 0 {
		return nil
	}
	err := (*list)[0]
	*list = (*list)[1:]
	return err
}

func (s *scripted) Snapshot(ctx context.Context, limits shard.Limits) (*shard.Snapshot, error) {
	if err := next(&s.snapshot); err != nil {
		return nil, err
	}
	return s.Branch.Snapshot(ctx, limits)
}

func (s *scripted) Commit(ctx context.Context, expect shard.Head, c shard.Change) (shard.Head, error) {
	if err := next(&s.commit); err != nil {
		return "", err
	}
	head, err := s.Branch.Commit(ctx, expect, c)
	if late := next(&s.after); late != nil {
		return "", late
	}
	return head, err
}

func TestApplyRetries(t *testing.T) {
	times := func(n int, err error) (list []error) {
		for range n {
			list = append(list, err)
		}
		return list
	}
	type want struct {
		status   compact.Status
		err      error
		attempts int
	}
	for _, c := range []struct {
		name   string
		script scripted
		want   want
	}{
		{"the store is away once", scripted{snapshot: times(1, shard.ErrUnavailable)}, want{compact.Applied, nil, 2}},
		{"the head moved three times", scripted{commit: times(3, shard.ErrHeadMoved)}, want{compact.Applied, nil, 4}},
		{"locked twice", scripted{commit: times(2, shard.ErrLocked)}, want{compact.Applied, nil, 3}},
		{"sent and no answer", scripted{after: times(1, shard.ErrOutcomeUnknown)}, want{compact.AlreadyApplied, nil, 2}},
		{"not sent and no answer", scripted{commit: times(1, shard.ErrOutcomeUnknown)}, want{compact.Applied, nil, 2}},
		{"a source vanished under the head", scripted{commit: times(1, shard.ErrShardMissing)}, want{compact.Applied, nil, 2}},
		{"the place is taken", scripted{commit: times(1, shard.ErrIdentityCollision)}, want{compact.Conflict, nil, 1}},
		{"the head moves for ever", scripted{commit: times(99, shard.ErrHeadMoved)}, want{"", shard.ErrHeadMoved, 5}},
		{"the store stays away", scripted{snapshot: times(99, shard.ErrUnavailable)}, want{"", shard.ErrUnavailable, 5}},
		{"not allowed", scripted{commit: times(99, shard.ErrUnauthorized)}, want{"", shard.ErrUnauthorized, 1}},
		{"refused", scripted{commit: times(99, shard.ErrRefused)}, want{"", shard.ErrRefused, 1}},
		{"too large", scripted{snapshot: times(99, &shard.LimitError{What: "bytes", Limit: 1})}, want{"", shard.ErrTooLarge, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := setStage(t, "retries")
			before := order(t, s)
			b := c.script
			b.Branch = s.Branch
			waits := 0
			o := compact.ApplyOptions{Now: clock(noon), Attempts: 5, Backoff: func(_ context.Context, attempts int) error {
				if waits++; attempts != waits {
					t.Errorf("wait %d after %d attempts", waits, attempts)
				}
				return nil
			}}
			out, err := compact.Apply(t.Context(), &b, s.cfg, s.plan, o)
			if c.want.err != nil {
				if out != nil || !errors.Is(err, c.want.err) {
					t.Errorf("%+v, %v; want %v", out, err, c.want.err)
				}
			} else if err != nil || out.Status != c.want.status || out.Attempts != c.want.attempts {
				t.Errorf("%+v, %v; want %+v", out, err, c.want)
			}
			if waits != c.want.attempts-1 {
				t.Errorf("%d waits, want %d", waits, c.want.attempts-1)
			}
			if !slices.Equal(order(t, s), before) {
				t.Error("other records, or another order")
			}
			out, err = compact.Apply(t.Context(), s, s.cfg, s.plan, compact.ApplyOptions{})
			if err != nil || out.Status != compact.Applied && out.Status != compact.AlreadyApplied {
				t.Errorf("applied again: %+v, %v", out, err)
			}
		})
	}
}

// A writer that publishes between look and commit keeps its shard.
func TestApplyKeepsWhatCameMeanwhile(t *testing.T) {
	s := setStage(t, "meanwhile")
	late := seal(t, "late", 0, `1`)
	id, path := file(pack(late))
	s.Between(func() {
		if _, err := s.Commit(t.Context(), s.Head(), shard.Change{Add: []shard.Addition{{ID: id, Data: pack(late)}}}); err != nil {
			t.Error(err)
		}
	})
	out, err := compact.Apply(t.Context(), s, s.cfg, s.plan, compact.ApplyOptions{Now: clock(noon), Backoff: func(context.Context, int) error { return nil }})
	if err != nil || out.Status != compact.Applied || out.Attempts != 2 {
		t.Fatalf("%+v, %v", out, err)
	}
	if string(s.Files()[path].Data) != string(pack(late)) {
		t.Error("the late shard is gone")
	}
}

// ending ends the context while it commits.
type ending struct {
	shard.Branch
	end context.CancelFunc
}

func (e ending) Commit(context.Context, shard.Head, shard.Change) (shard.Head, error) {
	e.end()
	return "", shard.ErrHeadMoved
}

func TestApplyHonoursTheContext(t *testing.T) {
	s := setStage(t, "context")
	ctx, cancel := context.WithCancel(t.Context())
	unchanged(t, s.Branch, func() {
		out, err := compact.Apply(ctx, ending{s, cancel}, s.cfg, s.plan, compact.ApplyOptions{Attempts: 1 << 30})
		if out != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("ended before the wait: %+v, %v", out, err)
		}
		if out, err := compact.Apply(ctx, s, s.cfg, s.plan, compact.ApplyOptions{}); out != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("ended before the call: %+v, %v", out, err)
		}
	})
}

// plainOrder returns the record with its payload in another key order. Its
// digest is the one that it had, or that of its new bytes.
func plainOrder(t *testing.T, r record.Record, payload string, sealAgain bool) record.Record {
	t.Helper()
	text := strings.Replace(string(r.Line()), string(r.Payload()), payload, 1)
	if sealAgain {
		sha := `"sha":"` + r.SHA().String() + `",`
		sum := record.Sum([]byte(strings.Replace(text, sha, "", 1)))
		text = strings.Replace(text, r.SHA().String(), sum.String(), 1)
	}
	plain, err := record.Parse([]byte(text))
	if err != nil || text == string(r.Line()) {
		t.Fatalf("%v: %s", err, text)
	}
	return plain
}

// A record in plain RFC 8785 order keeps its digest. Its bytes are those that
// the digest was taken over.
func TestApplyPlainOrder(t *testing.T) {
	const inOrder, payload = `{"9":1,"10":2,"-a":3}`, `{"-a":3,"10":2,"9":1}`
	written := seal(t, "plain", 0, inOrder)
	for _, c := range []struct{ stored, want record.Record }{
		{written, written},
		{plainOrder(t, written, payload, false), written},
		{plainOrder(t, written, payload, true), plainOrder(t, written, payload, true)},
	} {
		files := map[string][]byte{}
		for _, data := range [][]byte{pack(c.stored), pack(seal(t, "plain", 1, `1`))} {
			_, path := file(data)
			files[path] = data
		}
		b, cfg := membranch.New(files), configure(2, 8, 100<<10)
		before := order(t, b)
		p, plan := mustPropose(t, b, cfg)
		mustApply(t, b, cfg, plan, compact.Applied)
		if got := string(b.Files()[p.Plan.Replacement.ID.Path()].Data); !strings.Contains(got, string(pack(c.want))) {
			t.Errorf("the replacement is %s", got)
		}
		if !slices.Equal(order(t, b), before) {
			t.Error("other records, or another order")
		}
	}
}

// One record may be stored in two forms under one digest. A shard that brings
// the other form after a merge must not make the ledger one that every plan
// conflicts with.
func TestApplyTwoForms(t *testing.T) {
	written := seal(t, "forms", 0, `{"9":1,"10":2,"-a":3}`)
	plain := plainOrder(t, written, `{"-a":3,"10":2,"9":1}`, false)
	id := func(i byte) string { return shard.ID{0: i, 6: 0x40, 8: 0x80}.Path() }
	for _, forms := range [][2]record.Record{{written, plain}, {plain, written}, {plain, plain}} {
		for _, at := range []byte{0, 0xff} { // before and after the merged shard
			b, cfg := membranch.New(map[string][]byte{id(1): pack(forms[0]), id(2): pack(seal(t, "forms", 1, `1`))}), configure(2, 8, 100<<10)
			_, plan := mustPropose(t, b, cfg)
			mustApply(t, b, cfg, plan, compact.Applied)
			b.Edit(func(files map[string]membranch.File) { files[id(at)] = membranch.File{Data: pack(forms[1])} })
			_, plan = mustPropose(t, b, cfg)
			mustApply(t, b, cfg, plan, compact.Applied)
		}
	}
}

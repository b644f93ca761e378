package compact_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

func TestPlanReadsBack(t *testing.T) {
	p, plan := mustPropose(t, populate(t, "read", 5, 3), configure(2, 8, 100<<10))
	if !record.IsCanonical(plan) {
		t.Error("not canonical")
	}
	parsed, err := compact.ParsePlan(plan)
	if err != nil {
		t.Fatal(err)
	}
	if parsed.ID() != p.Plan.ID() || !bytes.Equal(parsed.Append(nil), plan) {
		t.Errorf("read back as\n%s\nwant\n%s", parsed.Append(nil), plan)
	}
	text, err := json.Marshal(p.Plan)
	if err != nil || !bytes.Equal(text, plan) {
		t.Errorf("encoding/json gives %s, %v", text, err)
	}
	var decoded compact.Plan
	if err := json.Unmarshal(text, &decoded); err != nil || decoded.ID() != p.Plan.ID() {
		t.Errorf("encoding/json reads %v, %v", decoded.ID(), err)
	}
	// Everything but the version, sources and replacement is out of the ID.
	other := *parsed
	other.Trigger, other.CreatedAt, other.BaseCommit = compact.Scheduled, "2026-01-01T00:00:00Z", strings.Repeat("b", 64)
	if other.ID() != parsed.ID() {
		t.Error("the ID depends on when and why")
	}
}

// bigPlan returns a plan of n sources with per records each, which need not exist.
func bigPlan(n, per int) *compact.Plan {
	p := &compact.Plan{
		Ledger: "findings", Branch: "ledgers/findings", Trigger: compact.Scheduled,
		CreatedAt: "2026-03-01T12:00:00.000Z", BaseCommit: strings.Repeat("a", 40),
	}
	hash := func(i int) (h record.Hash) {
		copy(h[:], fmt.Sprintf("%032d", i))
		return h
	}
	id := func(i int) shard.ID { return shard.ID{0: byte(i >> 8), 1: byte(i), 6: 0x40, 8: 0x80} }
	for s := range n {
		source := compact.Segment{ID: id(s), SHA256: hash(s), Bytes: 1}
		for i := range per {
			source.Records = append(source.Records, hash(s*per+i))
		}
		p.Sources = append(p.Sources, source)
		p.Replacement.Records = append(p.Replacement.Records, source.Records...)
	}
	p.Replacement.ID, p.Replacement.Bytes = id(0xffff), 1
	return p
}

func TestPlanBounds(t *testing.T) {
	for _, c := range []struct {
		name   string
		n, per int
		field  string
	}{
		{"256 sources", 256, 1, ""},
		{"257 sources", 257, 1, "sources"},
		{"100,000 records", 100, 1000, ""},
		{"100,001 records", 11, 9091, "replacement.records"},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan := bigPlan(c.n, c.per).Append(nil)
			_, err := compact.ParsePlan(plan)
			var rejected *compact.RejectedError
			switch {
			case c.field == "" && err != nil:
				t.Errorf("got %v", err)
			case c.field != "" && (!errors.As(err, &rejected) || rejected.Reason.Field != c.field):
				t.Errorf("got %v, want %s", err, c.field)
			}
		})
	}
	t.Run("100,001 records with repetitions", func(t *testing.T) {
		p := bigPlan(1, 50_001)
		again := p.Sources[0]
		again.ID = shard.ID{1: 1, 6: 0x40, 8: 0x80}
		p.Sources = append(p.Sources, again)
		var rejected *compact.RejectedError
		if _, err := compact.ParsePlan(p.Append(nil)); !errors.As(err, &rejected) || rejected.Reason.Field != "sources[1].records" {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a source record that the replacement lacks", func(t *testing.T) {
		p := bigPlan(2, 3)
		p.Replacement.Records = p.Replacement.Records[:5]
		var rejected *compact.RejectedError
		if _, err := compact.ParsePlan(p.Append(nil)); !errors.As(err, &rejected) || rejected.Reason.Field != "replacement.records" {
			t.Errorf("got %v", err)
		}
	})
	t.Run("16 MiB", func(t *testing.T) {
		plan := bigPlan(2, 2).Append(nil)
		fill := bytes.Repeat([]byte(" "), compact.MaxPlanBytes-len(plan))
		if _, err := compact.ParsePlan(append(plan, fill...)); err != nil {
			t.Errorf("exactly: %v", err)
		}
		if _, err := compact.ParsePlan(append(append(plan, fill...), ' ')); !errors.Is(err, compact.ErrRejected) {
			t.Errorf("one byte more: %v", err)
		}
	})
}

func TestPlanFields(t *testing.T) {
	_, plan := mustPropose(t, populate(t, "fields", 3, 2), configure(2, 8, 100<<10))
	for _, c := range []struct{ old, new, field string }{
		{`"trigger":"requested"`, `"trigger":"Requested"`, "trigger"},
		{`"version":"gh-aw/ledger-compaction-plan/v1"`, `"version":1`, "version"},
		{`"ledger":"findings"`, `"ledger":"find/ings"`, "ledger"},
		{`"branch":"ledgers/findings"`, `"branch":"ledgers/other"`, "branch"},
		{`"created_at":"2026-03-01T12:00:00.000Z"`, `"created_at":"2026-02-29T12:00:00.000Z"`, "created_at"},
		{`"created_at":"2026-03-01T12:00:00.000Z"`, `"created_at":"2026-03-01T12:00:00,000Z"`, "created_at"},
		{`"created_at":"2026-03-01T12:00:00.000Z"`, `"created_at":"2026-03-01T12:00:00.0000Z"`, "created_at"},
		{`"created_at":"2026-03-01T12:00:00.000Z"`, `"created_at":"2026-03-01T12:00:00+00:00"`, "created_at"},
		{`"created_at":"2026-03-01T12:00:00.000Z"`, `"created_at":"2026-03-01T12:00:00.Z"`, "created_at"},
		{`"plan_id":"sha256:`, `"plan_id":"sha512:`, "plan_id"},
		{`"sources":[`, `"sources":[[],`, "sources[0]"},
		{`"bytes":`, `"bytes":1.0e3,"bytes":`, ""},
		{`,"records":`, `.0,"records":`, ""},
		{`,"records":`, `e0,"records":`, ""},
		{`"bytes":`, `"bytes":-`, ""},
		{`"bytes":`, `"bytes":9999999`, "replacement.bytes"},
		{`"replacement":{`, `"replacement":{"path":"x",`, "replacement"},
		{`{`, `{"command":"x",`, "keys"},
		{`{`, `{"ledger":"findings",`, ""},
		{`{`, `[{`, ""},
	} {
		text := strings.Replace(string(plan), c.old, c.new, 1)
		if text == string(plan) {
			t.Fatalf("%s is not in the plan", c.old)
		}
		_, err := compact.ParsePlan([]byte(text))
		var rejected *compact.RejectedError
		want := compact.PlanInvalid
		if c.field == "" {
			want = compact.PlanMalformed
		}
		if !errors.As(err, &rejected) || rejected.Reason.Field != c.field || rejected.Reason.Code != want {
			t.Errorf("%s: %v, want %s", c.new, err, c.field)
		}
	}
	for _, at := range []string{"2026-03-01T12:00:00Z", "2026-03-01T12:00:00.0Z", "2026-03-01T12:00:00.25Z"} {
		text := strings.Replace(string(plan), "2026-03-01T12:00:00.000Z", at, 1)
		if p, err := compact.ParsePlan([]byte(text)); err != nil || string(p.Append(nil)) != text {
			t.Errorf("%s: %v", at, err)
		}
	}
}

func TestPlanFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "plan.json")
	b, cfg := populate(t, "file", 3, 2), configure(2, 8, 100<<10)
	p, _ := mustPropose(t, b, cfg)
	if err := compact.WriteFile(path, p.Plan); err != nil {
		t.Fatal(err)
	}
	if err := compact.WriteFile(path, p.Plan); !errors.Is(err, fs.ErrExist) {
		t.Errorf("written twice: %v", err)
	}
	data, err := compact.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	link, large := filepath.Join(dir, "link"), filepath.Join(dir, "large")
	if err := errors.Join(os.Symlink(path, link), os.WriteFile(large, nil, 0o600), os.Truncate(large, compact.MaxPlanBytes+1)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]error{link: compact.ErrRejected, large: compact.ErrRejected, dir: compact.ErrRejected, path + "x": fs.ErrNotExist} {
		data, err := compact.ReadFile(name)
		if err == nil || !errors.Is(err, want) || data != nil || strings.Contains(fmt.Sprint(err), dir) {
			t.Errorf("%s: %v", filepath.Base(name), err)
		}
	}
	mustApply(t, b, cfg, data, compact.Applied)
}

// What ReadFile or Apply would refuse is not written.
func TestPlanFileIsAPlan(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plan.json")
	large := bigPlan(2, 1)
	large.BaseCommit = strings.Repeat("0", compact.MaxPlanBytes)
	for name, c := range map[string]struct {
		plan *compact.Plan
		why  compact.Code
	}{
		"none":        {nil, compact.PlanMalformed},
		"zero":        {&compact.Plan{}, compact.PlanInvalid},
		"257 sources": {bigPlan(257, 1), compact.PlanInvalid},
		"too large":   {large, compact.PlanTooLarge},
	} {
		var rejected *compact.RejectedError
		if err := compact.WriteFile(path, c.plan); !errors.As(err, &rejected) || rejected.Reason.Code != c.why {
			t.Errorf("%s: %v, want %s", name, err, c.why)
		}
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: a file is there", name)
		}
	}
}

// The error of a plan names the ledger that it was for, and what is wrong.
func TestRejectionNamesTheLedger(t *testing.T) {
	b, cfg := populate(t, "names", 3, 1), configure(2, 8, 100<<10)
	_, plan := mustPropose(t, b, cfg)
	forged := bytes.Replace(plan, []byte(`"ledger":"findings"`), []byte(`"ledger":"secret"`), 1)
	for want, text := range map[string]string{
		"compact: ledger findings: plan rejected: plan-malformed":        "{",
		"compact: ledger findings: plan rejected: plan-too-large":        strings.Repeat(" ", compact.MaxPlanBytes+1),
		"compact: ledger findings: plan rejected: plan-invalid: version": "{}",
		"compact: ledger findings: plan rejected: plan-invalid: keys":    `{"secret":1}`,
		"compact: ledger findings: plan rejected: plan-invalid: branch":  string(forged),
	} {
		for call, f := range map[string]func() (*compact.Outcome, error){
			"Check": func() (*compact.Outcome, error) {
				return compact.Check(t.Context(), b, cfg, []byte(text), compact.ApplyOptions{})
			},
			"Apply": func() (*compact.Outcome, error) {
				return compact.Apply(t.Context(), b, cfg, []byte(text), compact.ApplyOptions{})
			},
		} {
			out, err := f()
			if err == nil || err.Error() != want || out == nil || out.Ledger != "findings" {
				t.Errorf("%s: %+v, %v; want %s", call, out, err, want)
			}
		}
	}
	cfg.Limits.SegmentBytes = 1
	if _, err := compact.Apply(t.Context(), b, cfg, plan, compact.ApplyOptions{}); err == nil || err.Error() != "compact: ledger findings: plan rejected: plan-invalid: replacement.bytes" {
		t.Error(err)
	}
}

package compact_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/internal/membranch"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/replay"
	"github.com/gitledger/gitledger/shard"
)

// author makes random operations of one type that are valid wherever they end
// up in replay order.
type author struct {
	rng   *rand.Rand
	typ   ledger.Type
	made  int
	notes []record.ID
	rows  []string // inserted; never deleted
}

// operation returns the payload of the record with that ID. The rows and notes
// it refers to are among its ancestors when past is the whole history.
func (a *author) operation(id record.ID, past bool) string {
	a.made++
	pick := func(options ...string) string { return options[a.rng.IntN(len(options))] }
	value := pick(`1`, `"x"`, `null`, `{"10":1,"9":[true,"é"]}`, `[[],{}]`, fmt.Sprint(a.rng.IntN(5)))
	key := pick(`"a"`, `"é"`, `"\u0000"`, `"10"`, `"9"`, `"😀"`)
	switch a.typ {
	case ledger.Log:
		return fmt.Sprintf(`{"operation":"append","value":%s}`, value)
	case ledger.Set:
		return fmt.Sprintf(`{"operation":%s,"value":%s}`, pick(`"add"`, `"remove"`), value)
	case ledger.Map:
		if a.rng.IntN(4) == 0 {
			return fmt.Sprintf(`{"operation":"delete","key":%s}`, key)
		}
		return fmt.Sprintf(`{"operation":"put","key":%s,"value":%s}`, key, value)
	case ledger.Counter:
		return fmt.Sprintf(`{"operation":%s,"name":%s,"amount":%d}`, pick(`"increment"`, `"decrement"`), key, a.rng.IntN(1000))
	case ledger.Table:
		switch kind := a.rng.IntN(5); {
		case kind == 0:
			row := fmt.Sprintf(`"row %d"`, a.made)
			a.rows = append(a.rows, row)
			return fmt.Sprintf(`{"operation":"insert","value":{"id":%s,"v":%s}}`, row, value)
		case kind == 1 && past && len(a.rows) > 0:
			return fmt.Sprintf(`{"operation":"update","key":%s,"patch":{"w":%s}}`, a.rows[a.rng.IntN(len(a.rows))], value)
		case kind == 2:
			return fmt.Sprintf(`{"operation":"delete","key":%s}`, key)
		}
		return fmt.Sprintf(`{"operation":"upsert","value":{"id":%s,"v":%s}}`, key, value)
	case ledger.Notes:
		if len(a.notes) > 0 && a.rng.IntN(2) == 0 {
			return fmt.Sprintf(`{"operation":"vote","note_id":"%s","vote":%s}`, a.notes[a.rng.IntN(len(a.notes))], pick(`"up"`, `"down"`))
		}
		a.notes = append(a.notes, id)
		return fmt.Sprintf(`{"operation":"note","subject":"s","note":"n %d","reason":"r","citations":[{"type":"repository","path":"a.md"}]}`, a.made)
	}
	return fmt.Sprintf(`{"any":%s}`, value)
}

// world is a ledger that is compacted, and the same ledger that never is.
type world struct {
	t       *testing.T
	cfg     ledger.Config
	rng     *rand.Rand
	author  author
	branch  *membranch.Branch
	shadow  *membranch.Branch
	records []record.Record
	family  string
}

// heads returns the heads of the records so far.
func heads(records []record.Record) []record.Hash {
	set := map[record.Hash]bool{}
	for i := range records {
		set[records[i].SHA()] = true
	}
	for i := range records {
		for p := range records[i].Parents() {
			delete(set, p)
		}
	}
	var out []record.Hash
	for h := range set {
		out = append(out, h)
	}
	return sorted(out)
}

// write appends what several writers make of one state of the branch, so that
// they leave several heads. Some repeat older records in their shards.
func (w *world) write() {
	base := w.records
	for range 1 + w.rng.IntN(3) {
		parents := heads(base)
		parents = parents[:min(len(parents), record.MaxParents)]
		var batch []record.Record
		past := len(heads(w.records)) == len(heads(base)) && len(w.records) == len(base)
		for range 1 + w.rng.IntN(4) {
			n := len(w.records)
			payload := w.author.operation(record.DeterministicID(w.family, n), past)
			r := seal(w.t, w.family, n, payload, parents...)
			parents = []record.Hash{r.SHA()}
			batch, w.records = append(batch, r), append(w.records, r)
		}
		for range w.rng.IntN(3) {
			batch = append(batch, w.records[w.rng.IntN(len(w.records))])
		}
		w.rng.Shuffle(len(batch), func(i, j int) { batch[i], batch[j] = batch[j], batch[i] })
		data := pack(batch...)
		id, _ := file(data)
		for _, b := range []*membranch.Branch{w.branch, w.shadow} {
			if _, err := b.Commit(w.t.Context(), b.Head(), shard.Change{Add: []shard.Addition{{ID: id, Data: data}}}); err != nil {
				w.t.Fatal(err)
			}
		}
	}
}

// state returns everything that can be read of a branch, in one text.
func (w *world) state(b *membranch.Branch) string {
	snap, err := b.Snapshot(w.t.Context(), shard.MaintenanceLimits())
	if err != nil {
		w.t.Fatal(err)
	}
	h, err := ledger.Reconstruct(w.t.Context(), snap)
	if err != nil {
		w.t.Fatal(err)
	}
	s, err := replay.Replay(w.t.Context(), h, w.cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	var out strings.Builder
	fmt.Fprintln(&out, "heads", h.Heads())
	for _, r := range h.Records() {
		fmt.Fprintf(&out, "%s\n", r.Line())
	}
	for _, table := range s.Tables() {
		fmt.Fprintln(&out, table.Name, table.Columns)
		if table.Rows != nil {
			for row := range table.Rows {
				fmt.Fprintf(&out, "%q\n", row)
			}
		}
	}
	return out.String()
}

// compact runs one round of plan and apply and reports whether it merged
// anything.
func (w *world) compact(at time.Time) bool {
	cfg := w.cfg
	cfg.Compaction.MinSegments = 2
	cfg.Compaction.MaxSegments = 2 + w.rng.IntN(8)
	cfg.Limits.SegmentBytes = int64(1+w.rng.IntN(8)) << 10
	p, err := compact.Propose(w.t.Context(), w.branch, cfg, compact.ProposeOptions{Trigger: compact.Requested, Now: clock(at)})
	if err != nil {
		w.t.Fatal(err)
	}
	if p.Plan == nil {
		return false
	}
	if w.rng.IntN(3) == 0 {
		w.write() // after planning
	}
	shards := len(w.branch.Files())
	plan := p.Plan.Append(nil)
	mustApply(w.t, w.branch, cfg, plan, compact.Applied)
	if len(w.branch.Files()) > shards {
		w.t.Errorf("%d files became %d", shards, len(w.branch.Files()))
	}
	mustApply(w.t, w.branch, cfg, plan, compact.AlreadyApplied)
	return true
}

// TestModel: whatever is compacted, in whatever layout and however often, the
// ledger reads as if it never had been.
func TestModel(t *testing.T) {
	_, seed := random(t)
	for _, typ := range append(ledger.Types(), "") {
		name := string(typ)
		if name == "" {
			name = "raw"
		}
		t.Run(name, func(t *testing.T) {
			merged, runs := 0, 12
			if testing.Short() {
				runs = 3
			}
			for run := range runs {
				rng := rand.New(rand.NewPCG(seed, uint64(run)))
				cfg := ledger.NewConfig("model", typ)
				if typ == ledger.Table {
					cfg.Key = "id"
				}
				w := &world{t: t, cfg: cfg, rng: rng, author: author{rng: rng, typ: typ}, branch: membranch.New(nil), shadow: membranch.New(nil), family: fmt.Sprintf("%s %d", typ, run)}
				for round := range 8 {
					for range 1 + rng.IntN(4) {
						w.write()
					}
					for range 1 + rng.IntN(2) {
						if w.compact(noon.Add(time.Duration(round) * time.Hour)) {
							merged++
						}
						if got, want := w.state(w.branch), w.state(w.shadow); got != want {
							t.Fatalf("run %d, round %d: the state is\n%s\nwant\n%s", run, round, got, want)
						}
					}
				}
				if got := w.state(w.branch); strings.Count(got, `"version":1}`) != len(w.records) {
					t.Fatalf("run %d: %d records, want %d", run, strings.Count(got, `"version":1}`), len(w.records))
				}
				if !slices.Equal(heads(w.records), w.heads()) {
					t.Errorf("run %d: other heads", run)
				}
			}
			if merged < 4*runs {
				t.Errorf("merged %d times only", merged)
			}
		})
	}
}

func (w *world) heads() []record.Hash {
	snap, err := w.branch.Snapshot(w.t.Context(), shard.MaintenanceLimits())
	if err != nil {
		w.t.Fatal(err)
	}
	h, err := ledger.Reconstruct(w.t.Context(), snap)
	if err != nil {
		w.t.Fatal(err)
	}
	return h.Heads()
}

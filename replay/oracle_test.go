package replay_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/replay"
	"github.com/gitledger/gitledger/shard"
)

var seed = flag.Uint64("seed", uint64(time.Now().UnixNano()), "seed of the random tests")

// oracle is a naive state of one ledger: decoded values in maps, every rule
// written out again.
type oracle struct {
	t     ledger.Type
	log   []string
	rows  map[string]string
	sums  map[string]int64
	table map[string]map[string]any
	notes map[string][]string
	votes map[string][]string
	cites map[string][][]string
}

func newOracle(t ledger.Type) *oracle {
	return &oracle{t: t, rows: map[string]string{}, sums: map[string]int64{}, table: map[string]map[string]any{},
		notes: map[string][]string{}, votes: map[string][]string{}, cites: map[string][][]string{}}
}

func jsonOf(tb testing.TB, v any) string {
	out, err := record.Marshal(v)
	if err != nil {
		tb.Fatal(err)
	}
	return string(out)
}

// apply reports whether the operation is valid here.
func (o *oracle) apply(tb testing.TB, op replay.Operation) bool {
	var p map[string]any
	if err := json.Unmarshal(op.Payload, &p); err != nil {
		tb.Fatal(err)
	}
	key, _ := p["key"].(string)
	switch o.t.String() + " " + p["operation"].(string) {
	case "log append":
		o.log = append(o.log, jsonOf(tb, p["value"]))
	case "set add":
		o.rows[jsonOf(tb, p["value"])] = jsonOf(tb, p["value"])
	case "set remove":
		delete(o.rows, jsonOf(tb, p["value"]))
	case "map put":
		o.rows[key] = jsonOf(tb, p["value"])
	case "map delete":
		delete(o.rows, key)
	case "table delete":
		delete(o.table, key)
	case "table insert", "table upsert":
		row := p["value"].(map[string]any)
		if o.table[row["id"].(string)] != nil && p["operation"] == "insert" {
			return false
		}
		o.table[row["id"].(string)] = row
	case "table update":
		if o.table[key] == nil {
			return false
		}
		o.table[key] = maps.Clone(o.table[key])
		maps.Copy(o.table[key], p["patch"].(map[string]any))
	case "counter increment", "counter decrement":
		amount := int64(p["amount"].(float64))
		if p["operation"] == "decrement" {
			amount = -amount
		}
		sum := o.sums[p["name"].(string)] + amount
		if sum > 1<<53-1 || sum < -(1<<53-1) {
			return false
		}
		o.sums[p["name"].(string)] = sum
	case "notes note":
		id := op.ID.String()
		o.notes[id] = []string{id, p["subject"].(string), p["note"].(string), p["reason"].(string), op.Timestamp, op.SHA.String()}
		for i, c := range p["citations"].([]any) {
			o.cites[id] = append(o.cites[id], []string{id, fmt.Sprint(i), "repository", c.(map[string]any)["path"].(string), "<nil>", "<nil>"})
		}
	case "notes vote":
		target := p["note_id"].(string)
		if o.notes[target] == nil {
			return false
		}
		o.votes[op.ID.String()] = []string{op.ID.String(), target, p["vote"].(string), fmt.Sprint(p["reason"]), op.Timestamp}
	}
	return true
}

func units(a, b string) int {
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}

func sortedKeys[V any](m map[string]V) []string { return slices.SortedFunc(maps.Keys(m), units) }

// dump writes the rows as the dump of a State does.
func (o *oracle) dump(tb testing.TB) string {
	var b strings.Builder
	line := func(cells ...string) { fmt.Fprintf(&b, "\t%q\n", cells) }
	if o.t == ledger.Notes {
		b.WriteString("notes\n")
		for _, id := range sortedKeys(o.notes) {
			line(o.notes[id]...)
		}
		b.WriteString("note_citations\n")
		for _, id := range sortedKeys(o.notes) {
			for _, c := range o.cites[id] {
				line(c...)
			}
		}
		b.WriteString("note_votes\n")
		for _, id := range sortedKeys(o.votes) {
			line(o.votes[id]...)
		}
		return b.String() + "note_state\n"
	}
	b.WriteString("state\n")
	for i, v := range o.log {
		line(fmt.Sprint(i), v)
	}
	for _, k := range sortedKeys(o.rows) {
		line(k, o.rows[k])
	}
	for _, k := range sortedKeys(o.sums) {
		line(k, fmt.Sprint(o.sums[k]))
	}
	for _, k := range sortedKeys(o.table) {
		line(k, jsonOf(tb, o.table[k]))
	}
	return b.String()
}

// texts writes a state down with every cell as text.
func texts(s *replay.State) string {
	var b strings.Builder
	for _, t := range s.Tables() {
		b.WriteString(t.Name + "\n")
		if t.Rows == nil {
			continue
		}
		for row := range t.Rows {
			var cells []string
			for _, c := range row {
				cells = append(cells, fmt.Sprint(c))
			}
			fmt.Fprintf(&b, "\t%q\n", cells)
		}
	}
	return b.String()
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

func someKey(r *rand.Rand) string {
	return pick(r, "a", "b", "Z", "10", "9", "", "é", "\ue000", "\U0001f600", "\uffff", "a\nb", `q"q`, "__proto__", "\x00")
}

func someValue(r *rand.Rand, depth int) any {
	switch n := r.IntN(9); {
	case n < 2 && depth > 0:
		list := []any{}
		for range r.IntN(3) {
			list = append(list, someValue(r, depth-1))
		}
		return list
	case n < 5 && depth > 0:
		object := map[string]any{}
		for range r.IntN(4) {
			object[someKey(r)] = someValue(r, depth-1)
		}
		return object
	}
	return pick[any](r, nil, true, false, 0, -1, 1.5, 1e21, 1e-7, "", "x", "\ue000\U0001f600", "</script>", "\u2028\x1f")
}

// someOperation is a random operation with well-formed fields.
func someOperation(tb testing.TB, t ledger.Type, r *rand.Rand, notes []record.ID) []byte {
	row := func() map[string]any {
		m := map[string]any{"id": someKey(r)}
		for range r.IntN(4) {
			if k := someKey(r); k != "id" {
				m[k] = someValue(r, 1)
			}
		}
		return m
	}
	patch := row()
	delete(patch, "id")
	var p any
	switch t {
	case ledger.Log:
		p = map[string]any{"operation": "append", "value": someValue(r, 2)}
	case ledger.Set:
		p = map[string]any{"operation": pick(r, "add", "add", "remove"), "value": someValue(r, 1)}
	case ledger.Map:
		p = pick[any](r, map[string]any{"operation": "put", "key": someKey(r), "value": someValue(r, 2)}, map[string]any{"operation": "delete", "key": someKey(r)})
	case ledger.Table:
		p = pick[any](r, map[string]any{"operation": "insert", "value": row()}, map[string]any{"operation": "upsert", "value": row()},
			map[string]any{"operation": "update", "key": someKey(r), "patch": patch}, map[string]any{"operation": "delete", "key": someKey(r)})
	case ledger.Counter:
		p = map[string]any{"operation": pick(r, "increment", "decrement"), "name": someKey(r) + "n", "amount": pick[any](r, 0, 1, 1000, 1<<52, 1<<53-1)}
	case ledger.Notes:
		if len(notes) == 0 || r.IntN(3) == 0 {
			cites := []any{map[string]any{"type": "repository", "path": "a/" + pick(r, "b", "é", "c d")}}
			p = map[string]any{"operation": "note", "subject": "s" + someKey(r), "note": "n" + someKey(r), "reason": "r", "citations": append(cites, cites[:r.IntN(2)]...)}
			break
		}
		vote := map[string]any{"operation": "vote", "note_id": pick(r, notes...).String(), "vote": pick(r, "up", "down")}
		if r.IntN(2) == 0 {
			vote["reason"] = "why"
		}
		p = vote
	}
	return []byte(jsonOf(tb, p))
}

// Random operations give what the oracle says, one by one and as a history in
// any layout.
func TestOracle(t *testing.T) {
	t.Logf("-seed %d", *seed)
	r := rand.New(rand.NewPCG(*seed, 0))
	for _, typ := range ledger.Types() {
		for range 20 {
			compareWithOracle(t, typ, r)
		}
	}
}

func compareWithOracle(t *testing.T, typ ledger.Type, r *rand.Rand) {
	t.Helper()
	cfg := config(t, typ, "")
	o := newOracle(typ)
	s, err := replay.NewState(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var lines []record.Record
	var parents []record.Hash
	var notes []record.ID
	for i := range 60 {
		sealed, err := record.Seal(record.Draft{ID: record.DeterministicID("oracle", i), Type: "ledger_append",
			Time: time.UnixMilli(int64(i)), Parents: parents, Payload: someOperation(t, typ, r, notes)})
		if err != nil {
			t.Fatal(err)
		}
		op := replay.FromRecord(&sealed)
		valid := o.apply(t, op)
		if err := s.Apply(op); (err == nil) != valid {
			t.Fatalf("%s: %v, the oracle says valid: %v", op.Payload, err, valid)
		}
		if !valid {
			continue
		}
		lines, parents = append(lines, sealed), []record.Hash{sealed.SHA()}
		if strings.Contains(string(op.Payload), `"operation":"note"`) {
			notes = append(notes, op.ID)
		}
	}
	want := o.dump(t)
	if got := texts(s); got != want {
		t.Fatalf("%s: got\n%s\nwant\n%s", typ, got, want)
	}
	for range 3 {
		h, err := ledger.Reconstruct(t.Context(), scatter(t, lines, r))
		if err != nil {
			t.Fatal(err)
		}
		replayed, err := replay.Replay(t.Context(), h, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if got := texts(replayed); got != want {
			t.Fatalf("%s: replayed\n%s\nwant\n%s", typ, got, want)
		}
	}
}

// scatter puts records into shards at random, some of them twice.
func scatter(t *testing.T, records []record.Record, r *rand.Rand) *shard.Snapshot {
	t.Helper()
	data := make([][]byte, 1+r.IntN(5))
	for _, i := range r.Perm(len(records)) {
		for range 1 + r.IntN(2) {
			at := r.IntN(len(data))
			data[at] = append(append(data[at], records[i].Line()...), '\n')
		}
	}
	snap := &shard.Snapshot{}
	for _, d := range data {
		id, err := shard.NewID()
		if err != nil {
			t.Fatal(err)
		}
		snap.Shards = append(snap.Shards, shard.Shard{Name: id.FileName(), ID: id, Size: int64(len(d)), Data: d})
	}
	slices.SortFunc(snap.Shards, func(a, b shard.Shard) int { return strings.Compare(a.Name, b.Name) })
	return snap
}

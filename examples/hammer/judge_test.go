package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/txn"
)

// TestJudge has a small run judged after something was done to the store or to
// what was recorded: what is wrong must be found.
func TestJudge(t *testing.T) {
	sound, v := hammered(t, options{store: "dir", processes: 1, writers: 3, turns: 21})
	if len(v.broken)+len(sound.broken) > 0 {
		t.Fatal(v.broken, sound.broken)
	}
	for name, c := range map[string]struct {
		plant func(t *testing.T, h *hammer)
		want  string
	}{
		"a shard is lost": {func(t *testing.T, h *hammer) {
			remove(t, shards(t, h, journal)[0])
		}, "acknowledged and is lost"},
		"a payload is changed": {func(t *testing.T, h *hammer) {
			for _, file := range shards(t, h, labels) {
				edit(t, file, "everyone", "everyday")
			}
		}, "diagnostics"},
		"a record appears": {func(t *testing.T, h *hammer) {
			h.turns = slices.DeleteFunc(h.turns, func(e turnEvent) bool { return e.Number > 8 })
			h.next[0] = 9
		}, "sent by nobody"},
		"an acknowledgement of another digest": {func(t *testing.T, h *hammer) {
			h.turns[0].Batches[0].SHAs[0] = record.Hash{1}
		}, "other content"},
		"another seed": {func(t *testing.T, h *hammer) { h.options.seed++ }, "sent by nobody"},
		"a sound batch was rejected": {func(t *testing.T, h *hammer) {
			b := find(h, func(b batchOutcome, _ *batch) bool { return b.Ledger == journal })
			b.Status, b.SHAs = txn.Rejected, nil
		}, "though the state admits it"},
		"a doomed batch was acknowledged": {func(t *testing.T, h *hammer) {
			find(h, func(b batchOutcome, sent *batch) bool { return sent.expect == doomed }).Status = txn.Persisted
		}, "acknowledged and is lost"},
		"a conflict": {func(t *testing.T, h *hammer) {
			find(h, func(b batchOutcome, _ *batch) bool { return b.Ledger == counts }).Status = txn.Conflict
		}, "ended as conflict"},
		"nobody won": {func(t *testing.T, h *hammer) {
			b := find(h, func(b batchOutcome, sent *batch) bool { return sent.expect == contested && b.Status.Durable() })
			b.Status, b.SHAs = "", nil
			file := shardWith(t, h, tasks, `"contested 0"`)
			remove(t, file)
		}, "nobody has it"},
	} {
		t.Run(name, func(t *testing.T) {
			h := clone(t, sound)
			c.plant(t, h)
			v, err := h.judge(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if found := strings.Join(v.broken, "\n"); !strings.Contains(found, c.want) {
				t.Errorf("%q is not found in %q", c.want, found)
			}
		})
	}
}

// The model and the replayed state are compared both ways.
func TestCompareState(t *testing.T) {
	h, _ := hammered(t, options{store: "dir", processes: 1, writers: 1, turns: 9})
	all, err := h.claims()
	if err != nil {
		t.Fatal(err)
	}
	for name, tell := range all {
		if name == events {
			continue
		}
		s, err := h.store.open(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		defer s.close()
		cfg, _ := ledgers().Lookup(name)
		// Without the effect of one batch the model is another one.
		i := slices.IndexFunc(tell, func(b *told) bool { return b.status.Durable() })
		tell[i].batch.effects = []effect{func(f facts) { f["planted"] = "1" }}
		_, broken, err := judgeLedger(t.Context(), s, cfg, tell)
		if err != nil || !strings.Contains(strings.Join(broken, "\n"), "the state of ") {
			t.Errorf("%s: %v, %q", name, err, broken)
		}
	}
}

// clone is a run with a store and records of its own.
func clone(t *testing.T, h *hammer) *hammer {
	t.Helper()
	c := *h
	c.store.At = t.TempDir()
	if err := os.CopyFS(c.store.At, os.DirFS(h.store.At)); err != nil {
		t.Fatal(err)
	}
	c.next = slices.Clone(h.next)
	c.turns = slices.Clone(h.turns)
	for i := range c.turns {
		c.turns[i].Batches = slices.Clone(c.turns[i].Batches)
		for j := range c.turns[i].Batches {
			c.turns[i].Batches[j].SHAs = slices.Clone(c.turns[i].Batches[j].SHAs)
		}
	}
	return &c
}

// find returns the first outcome of which is says yes.
func find(h *hammer, is func(batchOutcome, *batch) bool) *batchOutcome {
	for _, e := range h.turns {
		sent := newTurn(h.options.seed, e.Writer, e.Number).batches
		for i := range e.Batches {
			if is(e.Batches[i], sent[e.Batches[i].Ledger]) {
				return &e.Batches[i]
			}
		}
	}
	panic("no such batch")
}

func shards(t *testing.T, h *hammer, ledger string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(h.store.At, ledger, "ledger", "shards", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %d shards", err, len(files))
	}
	return files
}

// shardWith returns the shard that holds a text.
func shardWith(t *testing.T, h *hammer, ledger, text string) string {
	t.Helper()
	for _, file := range shards(t, h, ledger) {
		if data, err := os.ReadFile(file); err == nil && bytes.Contains(data, []byte(text)) {
			return file
		}
	}
	t.Fatalf("no shard holds %s", text)
	return ""
}

func remove(t *testing.T, file string) {
	t.Helper()
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
}

func edit(t *testing.T, file, old, text string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, bytes.ReplaceAll(data, []byte(old), []byte(text)), 0o644); err != nil {
		t.Fatal(err)
	}
}

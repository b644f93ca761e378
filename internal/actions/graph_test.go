package actions

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// forked is a chain of records whose last has two children.
func forked(t *testing.T, chain int) *ledger.History {
	t.Helper()
	var lines []byte
	var parents []record.Hash
	add := func(i int) record.Hash {
		r, err := record.Seal(record.Draft{
			ID: record.DeterministicID("1:1", i), Type: "x", Time: time.Unix(int64(i), 0), Parents: parents,
			Payload: []byte(`{"text":"PAYLOAD\"]; click"}`),
		})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(append(lines, r.Line()...), '\n')
		return r.SHA()
	}
	for i := range chain {
		parents = []record.Hash{add(i)}
	}
	add(chain)
	add(chain + 1)
	id, err := shard.NewID()
	if err != nil {
		t.Fatal(err)
	}
	h, err := ledger.Reconstruct(t.Context(), &shard.Snapshot{Head: "x", Shards: []shard.Shard{{Name: id.FileName(), ID: id, Size: int64(len(lines)), Data: lines}}})
	if err != nil || h.Err() != nil {
		t.Fatal(err, h.Err())
	}
	return h
}

func TestGraph(t *testing.T) {
	got := Graph("a_b", forked(t, 40))
	for want, n := range map[string]int{
		"Newest 30 of 42 records of a&#95;b,": 1, "```": 2, "[\"": 30, " --> ": 29, "  r39 --> r40\n": 1, "  r39 --> r41\n": 1,
		"class r40 head\n": 1, "class r41 head\n": 1, "head\n": 2, "r11": 0, "PAYLOAD": 0,
	} {
		if strings.Count(got, want) != n {
			t.Errorf("%d of %q, want %d, in\n%s", strings.Count(got, want), want, n, got)
		}
	}
	empty, err := ledger.Reconstruct(t.Context(), &shard.Snapshot{})
	if err != nil || Graph("a", empty) != "" {
		t.Errorf("%v %q", err, Graph("a", empty))
	}
}

// Progress is for who watches a terminal; a log in CI has no use for it.
func TestProgress(t *testing.T) {
	for _, c := range []struct {
		terminal bool
		ci       string
		want     string
	}{{true, "", "p: reading ·[2J\n"}, {false, "", ""}, {true, "true", ""}} {
		var errs strings.Builder
		p := Program{Name: "p", Flags: func(*flag.FlagSet) {}, Run: func(_ context.Context, call *Call) error {
			call.Progress("reading %s", "\x1b[2J")
			return nil
		}}
		s := System{Getenv: func(string) string { return c.ci }, Stdout: &strings.Builder{}, Stderr: &errs, Terminal: c.terminal}
		if code := p.Execute(t.Context(), nil, s); code != 0 || errs.String() != c.want {
			t.Error(fmt.Sprintf("%+v", c), code, errs.String())
		}
	}
}

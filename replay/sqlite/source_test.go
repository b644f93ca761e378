package sqlite

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// The digest of what a database holds covers each record, its order, and where
// it is stored.
func TestOrderSums(t *testing.T) {
	line := func(id int, payload string, parents ...record.Hash) record.Record {
		r, err := record.Seal(record.Draft{ID: record.DeterministicID("x", id), Type: "t", Time: time.UnixMilli(0), Parents: parents, Payload: []byte(payload)})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	history := func(names []string, shards ...[]record.Record) *ledger.History {
		snap := &shard.Snapshot{}
		for i, records := range shards {
			s := shard.Shard{Name: names[i]}
			for _, r := range records {
				s.Data = append(append(s.Data, r.Line()...), '\n')
			}
			s.Size = int64(len(s.Data))
			snap.Shards = append(snap.Shards, s)
		}
		h, err := ledger.Reconstruct(t.Context(), snap)
		if err != nil || h.Err() != nil {
			t.Fatal(err, h.Err())
		}
		return h
	}
	first := line(1, `"a"`)
	second, longer, otherwise := line(2, `"b"`, first.SHA()), line(2, `"bb"`, first.SHA()), line(2, `"c"`, first.SHA())
	names := []string{"a.jsonl", "b.jsonl"}
	seen := map[record.Hash]string{}
	for _, tc := range []struct {
		what string
		h    *ledger.History
	}{
		{"nothing", history(nil)},
		{"one record", history(names, []record.Record{first})},
		{"two records", history(names, []record.Record{first, second})},
		{"another record of the same length", history(names, []record.Record{first, otherwise})},
		{"a longer record", history(names, []record.Record{first, longer})},
		{"other offsets", history(names, []record.Record{second, first})},
		{"another shard", history(names[1:], []record.Record{first, second})},
		{"two shards", history(names, []record.Record{first}, []record.Record{second})},
		{"two shards the other way round", history(names, []record.Record{second}, []record.Record{first})},
	} {
		part, all := orderSums(tc.h, tc.h.Len())
		if part != all {
			t.Errorf("%s: the digest of all records is not that of everything", tc.what)
		}
		if other, exists := seen[all]; exists {
			t.Errorf("%s: the digest of %s", tc.what, other)
		}
		seen[all] = tc.what
		for n := range tc.h.Len() {
			if part, again := orderSums(tc.h, n); part == all || again != all {
				t.Errorf("%s: the digest of %d records", tc.what, n)
			}
		}
	}
	two := history(names, []record.Record{first, second})
	_, one := orderSums(history(names, []record.Record{first}), 0)
	if part, _ := orderSums(two, 1); part != one {
		t.Error("the digest of the first record changes with what comes after it")
	}
}

// A copy is whole, however long the file is.
func TestCopyFile(t *testing.T) {
	dir := t.TempDir()
	for _, size := range []int{0, 1, copyStride - 1, copyStride, copyStride + 1, 2*copyStride + 4096} {
		data := bytes.Repeat([]byte("0123456"), size/7+1)[:size]
		path := filepath.Join(dir, "from")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		d := &draft{path: path, temp: filepath.Join(dir, "to")}
		if err := os.WriteFile(d.temp, []byte("what was there"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := d.copyPrevious(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := d.previous(); err != nil {
			t.Fatal(err)
		}
		d.background.Wait()
		if got, err := os.ReadFile(d.temp); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%d bytes: %d were copied, %v", size, len(got), err)
		}
	}
}

package txn

import (
	"bytes"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// What a commit adds is canonical JSON, one record a line, each followed by one
// newline (S2-01), with timestamps in UTC whatever the clock's zone (S2-04), in
// a file whose name is a shard ID (S2-03).
func TestPersistWritesCanonicalLines(t *testing.T) {
	configs := testConfigs(t)
	b := storeFor(configs)
	var added atomic.Int64 // branches are written at the same time
	for _, branch := range b {
		branch.beforeCommit = func(c shard.Change) error {
			for _, a := range c.Add {
				added.Add(int64(checkShard(t, a)))
			}
			return nil
		}
	}
	opts := fast()
	opts.Now = func() time.Time {
		return time.Date(2026, 1, 2, 3, 4, 5, 6_789_000, time.FixedZone("", -9*3600-1800))
	}
	if _, err := Persist(t.Context(), b.branches, configs, artifactOf(t, configs, "42:1", everyKind()...), opts); err != nil {
		t.Fatal(err)
	}
	if got := added.Load(); got != int64(len(everyKind())) {
		t.Errorf("%d records were written, not %d", got, len(everyKind()))
	}
}

// checkShard judges a shard's bytes without the reader of shards, and returns
// how many records they are.
func checkShard(t *testing.T, a shard.Addition) int {
	t.Helper()
	if a.ID[6]>>4 != 4 || a.ID[8]>>6 != 2 {
		t.Errorf("%s is no version 4 UUID", a.ID)
	}
	text, ended := bytes.CutSuffix(a.Data, []byte("\n"))
	if !ended {
		t.Errorf("no newline after the last record: %q", a.Data)
	}
	all := bytes.Split(text, []byte("\n"))
	for _, line := range all {
		if !record.IsCanonical(line) {
			t.Errorf("not canonical: %q", line)
		}
		if !bytes.Contains(line, []byte(`"timestamp":"2026-01-02T12:34:05.006Z"`)) {
			t.Errorf("another time: %s", line)
		}
	}
	return len(all)
}

package sqlite_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/internal/membranch"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay/sqlite"
	"github.com/gitledger/gitledger/shard"
)

// The database has every record as it is in the history, with its parents and
// its place, for each type. The branch it was read from could be written,
// and stays as it was.
func TestProvenance(t *testing.T) {
	for _, typ := range append(ledger.Types(), ledger.Raw) {
		files := map[string][]byte{}
		for _, s := range grown(t, typ, 40).shards {
			files[s.ID.Path()] = s.Data
		}
		b := membranch.New(files)
		head, before := b.Head(), fmt.Sprint(b.Files())
		path := filepath.Join(t.TempDir(), "ledger.db")
		if _, err := sqlite.Prepare(t.Context(), b, config(typ), path, sqlite.Options{}); err != nil {
			t.Fatal(err)
		}
		if b.Head() != head || fmt.Sprint(b.Files()) != before {
			t.Errorf("%s: the branch changed", typ)
		}
		snap, err := b.Snapshot(t.Context(), shard.ProjectionLimits())
		if err != nil {
			t.Fatal(err)
		}
		h, err := ledger.Reconstruct(t.Context(), snap)
		if err != nil {
			t.Fatal(err)
		}
		var records []string
		parents := map[string]int{}
		for i := range h.Len() {
			r, at := h.Record(i), h.Location(i)
			records = append(records, fmt.Sprintf("[%d %q %q %q %q %q %q %d]", i, r.ID(), r.SHA(), r.Type(), r.Timestamp(), r.Payload(), at.Shard, at.Offset))
			for p := range r.Parents() {
				parents[fmt.Sprintf("[%q %q]", r.SHA(), p)]++
			}
		}
		if len(records) < 40 || len(parents) == 0 {
			t.Fatalf("%s: %d records, %d parents", typ, len(records), len(parents))
		}
		db := plainOpen(t, path)
		got := rowsOf(t, db, `SELECT ordinal, id, sha, type, timestamp, payload, shard, "offset" FROM records ORDER BY ordinal`)
		if strings.Join(got, "\n") != strings.Join(records, "\n") {
			t.Errorf("%s: records\n%s\nwant\n%s", typ, strings.Join(got, "\n"), strings.Join(records, "\n"))
		}
		links := map[string]int{}
		for _, row := range rowsOf(t, db, "SELECT * FROM parents") {
			links[row]++
		}
		if !maps.Equal(links, parents) {
			t.Errorf("%s: parents %v, want %v", typ, links, parents)
		}
	}
}

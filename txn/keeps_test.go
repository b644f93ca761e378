package txn

import (
	"testing"

	"github.com/gitledger/gitledger/internal/membranch"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// Persisting adds one shard and leaves all others as they are, however many and
// small they are: it never compacts (S3-05).
func TestPersistKeepsEveryShard(t *testing.T) {
	configs, b, artifact := logOf(t)
	for i := range 200 {
		r, err := record.Seal(record.Draft{ID: record.DeterministicID("old", i), Type: "t", Payload: []byte(`{"operation":"append","value":1}`)})
		if err != nil {
			t.Fatal(err)
		}
		b.put(t, r)
	}
	b.Edit(func(files map[string]membranch.File) { files["README.md"] = membranch.File{Data: []byte("kept")} })
	before := b.Files()
	changes := 0
	b.beforeCommit = func(c shard.Change) error {
		if changes++; len(c.Delete) > 0 || c.State != nil || len(c.Add) != 1 {
			t.Errorf("%d deletions, %d additions, state %q", len(c.Delete), len(c.Add), c.State)
		}
		return nil
	}
	if _, err := Persist(t.Context(), on(b), configs, artifact, fast()); err != nil {
		t.Fatal(err)
	}
	after := b.Files()
	if changes != 1 || len(after) != len(before)+1 {
		t.Errorf("%d changes, %d files from %d", changes, len(after), len(before))
	}
	for path, f := range before {
		if string(after[path].Data) != string(f.Data) {
			t.Errorf("%s changed", path)
		}
	}
}

//go:build cgo && unix

package compact_test

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// A branch of 3,000 shards cannot be projected any more. Maintenance can still
// read it, and brings it back in as many rounds as it takes.
func TestRescue(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "rescue.git")
	if err := gittest.InitBare(dir); err != nil {
		t.Fatal(err)
	}
	cfg := ledger.NewConfig("rescue", ledger.Log)
	b := openBranch(t, dir, cfg)
	shards := 3000
	if testing.Short() {
		shards = 1100
	}
	var stream bytes.Buffer // for git fast-import, which does not sync each object
	fmt.Fprintf(&stream, "commit refs/heads/%s\ncommitter t <t@localhost> 1 +0000\ndata 0\n", cfg.Branch())
	var parents []record.Hash
	for i := range shards {
		r := seal(t, "rescue", i, fmt.Sprintf(`{"operation":"append","value":%d}`, i), parents...)
		parents = []record.Hash{r.SHA()}
		_, path := file(pack(r))
		fmt.Fprintf(&stream, "M 100644 inline %s\ndata %d\n%s\n", path, len(pack(r)), pack(r))
	}
	load := exec.Command("git", "-C", dir, "fast-import", "--quiet")
	load.Env, load.Stdin = gittest.Environ(), &stream
	if err := load.Run(); err != nil {
		t.Fatal(err)
	}
	before := order(t, b)
	if len(before) != shards {
		t.Fatalf("%d records", len(before))
	}
	if _, err := b.Snapshot(t.Context(), shard.ProjectionLimits()); !errors.Is(err, shard.ErrTooLarge) {
		t.Fatalf("it can be projected: %v", err)
	}
	rounds := 0
	for now := noon; ; now = now.Add(20 * time.Hour) {
		p, err := compact.Propose(t.Context(), b, cfg, compact.ProposeOptions{Now: clock(now)})
		if err != nil {
			t.Fatal(err)
		}
		if p.Plan == nil {
			t.Logf("after %d rounds: %s", rounds, p.Reason)
			break
		}
		if rounds++; rounds > shards {
			t.Fatal("it does not end")
		}
		out, err := compact.Apply(t.Context(), b, cfg, p.Plan.Append(nil), compact.ApplyOptions{Now: clock(now)})
		if err != nil || out.Status != compact.Applied {
			t.Fatalf("round %d: %+v, %v", rounds, out, err)
		}
	}
	snap, err := b.Snapshot(t.Context(), shard.ProjectionLimits())
	if err != nil {
		t.Fatalf("it still cannot be projected: %v", err)
	}
	if !slices.Equal(order(t, b), before) {
		t.Error("other records, or another order")
	}
	t.Logf("%d shards became %d", shards, len(snap.Shards))
}

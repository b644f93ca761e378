//go:build !race

package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay/sqlite"
	"github.com/gitledger/gitledger/shard"
)

// filed is a branch whose shards are files of a folder.
type filed string

func (dir filed) Snapshot(context.Context, shard.Limits) (*shard.Snapshot, error) {
	entries, err := os.ReadDir(string(dir))
	if err != nil {
		return nil, err
	}
	snap := &shard.Snapshot{Head: "head"}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(string(dir), e.Name()))
		if err != nil {
			return nil, err
		}
		id, _ := shard.FileID(e.Name())
		snap.Shards = append(snap.Shards, shard.Shard{Name: e.Name(), ID: id, Size: int64(len(data)), Data: data})
	}
	return snap, nil
}

// Names of what the process that is measured is told.
const (
	memoryBranch = "GITLEDGER_TEST_MEMORY_BRANCH"
	memoryType   = "GITLEDGER_TEST_MEMORY_TYPE"
)

// status reads a number of kibibytes of this process from the kernel.
func status(tb testing.TB, name string) (bytes int64) {
	tb.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		tb.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), name+":")
	if _, err := fmt.Sscan(after, &bytes); err != nil {
		tb.Fatal(err)
	}
	return bytes << 10
}

// TestMeasuredPreparation is the process that [peak] measures.
func TestMeasuredPreparation(t *testing.T) {
	dir := os.Getenv(memoryBranch)
	if dir == "" {
		return
	}
	before := status(t, "VmRSS")
	cfg := config(ledger.Type(os.Getenv(memoryType)))
	if _, err := sqlite.Prepare(t.Context(), filed(dir), cfg, filepath.Join(t.TempDir(), "ledger.db"), sqlite.Options{}); err != nil {
		t.Fatal(err)
	}
	fmt.Printf("peak %d\n", status(t, "VmHWM")-before)
}

// peak prepares n records in a process of its own. It returns how much the
// resident memory of that grew at most, snapshot and database cache included,
// and the bytes of the history.
func peak(tb testing.TB, t ledger.Type, n int) (used, history int64) {
	tb.Helper()
	dir := tb.TempDir()
	for _, s := range grown(tb, t, n).shards {
		history += s.Size
		if err := os.WriteFile(filepath.Join(dir, s.Name), s.Data, 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	child := exec.CommandContext(tb.Context(), os.Args[0], "-test.run=^TestMeasuredPreparation$")
	child.Env = append(os.Environ(), memoryBranch+"="+dir, memoryType+"="+string(t))
	out, err := child.CombinedOutput()
	if _, scan := fmt.Sscanf(string(out), "peak %d", &used); err != nil || scan != nil {
		tb.Fatal(err, string(out))
	}
	return used, history
}

// fixedMemory is what a preparation takes however short the history is: the
// database's cache, batches of rows, and what the runtime starts with.
const fixedMemory = 32 << 20

// Memory grows with the history by a factor (without the race detector, whose
// own memory is several times that). The bound is loose; see
// BenchmarkMemory for the figure.
func TestMemory(t *testing.T) {
	for _, typ := range []ledger.Type{ledger.Log, ledger.Notes} {
		if used, history := peak(t, typ, 30_000); used > 4*history+fixedMemory {
			t.Errorf("%s: %d MB for a history of %d MB", typ, used>>20, history>>20)
		}
	}
}

// BenchmarkMemory reports by how many times the history's bytes a process that
// prepares 100,000 records grows.
func BenchmarkMemory(b *testing.B) {
	for _, t := range append(ledger.Types(), ledger.Raw) {
		b.Run(string(t), func(b *testing.B) {
			var used, history int64
			for b.Loop() {
				u, h := peak(b, t, 100_000)
				used, history = max(used, u), h
			}
			b.ReportMetric(float64(used)/float64(history), "memory/history")
		})
	}
}

//go:build cgo && unix

package threats_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay/sqlite"
	"github.com/gitledger/gitledger/shard"
	"github.com/gitledger/gitledger/txn"
)

// What a job is handed has no end, or cannot be read to it: a file of a terabyte,
// a pipe that nobody writes to, a folder (S9-06, S9-07).
func TestThreatEndlessHandovers(t *testing.T) {
	dir := t.TempDir()
	huge, pipe := filepath.Join(dir, "huge"), filepath.Join(dir, "pipe")
	if err := os.WriteFile(huge, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(huge, 1<<40); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{huge, pipe, dir, "/dev/zero"} {
		spent := allocated(func() {
			if _, err := txn.ReadFile(path); !errors.Is(err, txn.ErrArtifact) {
				t.Errorf("%s as an artifact: %v", filepath.Base(path), err)
			}
			if _, err := compact.ReadFile(path); !errors.Is(err, compact.ErrRejected) {
				t.Errorf("%s as a plan: %v", filepath.Base(path), err)
			}
		})
		if spent > 16 {
			t.Errorf("%s: %d MiB allocated", filepath.Base(path), spent)
		}
	}
}

// Text that is nested 10,000 levels deep, at each place where a job reads some.
func TestThreatDeepText(t *testing.T) {
	w := newWorld(t)
	const levels = 10_000
	deep := strings.Repeat("[", levels) + strings.Repeat("]", levels)
	artifact := w.artifact(`{"type":"ledger_append","ledger":"events","record":{"x":"place"}}`)
	plan := w.plan().Append(nil)
	// The branch itself: a record that nothing of ours would have written.
	w.plant("seen", shard.Change{Add: []shard.Addition{newShard(t, []byte(`{"id":"ldg-x","payload":`+deep+"}\n"))}})
	w.plant("findings", shard.Change{State: []byte(`{"version":` + deep + "}\n")})
	before := w.content()
	for name, try := range map[string]func() error{
		"an artifact": func() error {
			_, err := w.persist(bytes.Replace(artifact, []byte(`"place"`), []byte(deep), 1))
			return err
		},
		"a plan": func() error {
			_, err := w.apply(bytes.Replace(plan, []byte(`"version":`), []byte(`"version":`+deep+`,"x":`), 1))
			return err
		},
		"a record of a branch": func() error {
			_, err := sqlite.Prepare(t.Context(), w.branch("seen"), w.config("seen"), filepath.Join(t.TempDir(), "x.db"), sqlite.Options{})
			return err
		},
		"a configuration": func() error {
			_, err := ledger.ParseYAMLValue([]byte("{a: {type: set, schema: {enum: " + deep + "}}}"))
			return err
		},
		"the runtime's configuration": func() error {
			_, err := ledger.ParseJSON([]byte(`{"a":{"type":"set","schema":{"enum":` + deep + `}}}`))
			return err
		},
	} {
		spent := allocated(func() {
			if err := try(); err == nil {
				t.Errorf("%s: accepted", name)
			}
		})
		if spent > 32 {
			t.Errorf("%s: %d MiB allocated", name, spent)
		}
	}
	w.unchanged(before, "deep text")
	// A state file is no reason not to go on.
	w.run(`{"type":"ledger_append","ledger":"findings","operation":"upsert","value":{"id":"D","severity":"low"}}`)
	w.database("findings")
}

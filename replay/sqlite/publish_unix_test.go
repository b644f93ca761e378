//go:build unix

package sqlite_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay/sqlite"
)

func filesIn(tb testing.TB, dir string) (names []string) {
	tb.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		tb.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Of the files beside a database, a preparation removes those of dead ones only.
func TestOthersFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "ledger.db")
	for _, name := range []string{".ledger.db.1.tmp", ".ledger.db.2.tmp", ".ledger.db..tmp", ".ledger.db.x.tmp", ".ledger.db.1.2.tmp", ".other.db.1.tmp", "ledger.db.1.tmp"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink("nowhere", filepath.Join(dir, ".ledger.db.3.tmp")), os.Mkdir(filepath.Join(dir, ".ledger.db.4.tmp"), 0o700)); err != nil {
		t.Fatal(err)
	}
	alive, err := os.Open(filepath.Join(dir, ".ledger.db.2.tmp"))
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	if err := syscall.Flock(int(alive.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	prepare(t, grown(t, ledger.Log, 1), config(ledger.Log), path)
	want := []string{".ledger.db..tmp", ".ledger.db.1.2.tmp", ".ledger.db.2.tmp", ".ledger.db.3.tmp", ".ledger.db.4.tmp", ".ledger.db.x.tmp", ".other.db.1.tmp", "ledger.db", "ledger.db.1.tmp"}
	if got := filesIn(t, dir); !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

const childPath = "GITLEDGER_TEST_PREPARE"

// A process that is killed while it prepares leaves the database whole, and a
// file that the next preparation removes.
func TestKilledPreparation(t *testing.T) {
	m := grown(t, ledger.Log, 2000)
	if path := os.Getenv(childPath); path != "" {
		for {
			if _, err := sqlite.Prepare(t.Context(), m, config(ledger.Log), path, sqlite.Options{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "ledger.db")
	isTemp := func(name string) bool { return strings.HasSuffix(name, ".tmp") }
	left := false
	for attempt := 0; attempt < 20 && !left; attempt++ {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledPreparation$")
		child.Env = append(os.Environ(), childPath+"="+path)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		for !slices.ContainsFunc(filesIn(t, dir), isTemp) && t.Context().Err() == nil {
		}
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = child.Wait()
		left = slices.ContainsFunc(filesIn(t, dir), isTemp)
	}
	if !left {
		t.Fatal("no killed process left anything")
	}
	prepare(t, m, config(ledger.Log), path)
	if got := filesIn(t, dir); !slices.Equal(got, []string{"ledger.db"}) {
		t.Errorf("left behind %v", got)
	}
}

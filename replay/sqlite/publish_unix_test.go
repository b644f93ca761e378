//go:build unix

package sqlite_test

import (
	"bufio"
	"errors"
	"fmt"
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

// Names of what the process that is killed is told.
const (
	killPath = "GITLEDGER_TEST_KILL_PATH"
	killHold = "GITLEDGER_TEST_KILL_HOLD" // wait for the end while the branch is read
)

const killRecords = 2000

// TestPreparesUntilKilled is the process that [killed] kills. It writes a line
// each time that it reads its branch, when its file is there.
func TestPreparesUntilKilled(t *testing.T) {
	path := os.Getenv(killPath)
	if path == "" {
		return
	}
	m := meanwhile{grown(t, ledger.Log, killRecords), func() {
		fmt.Println("reading")
		if os.Getenv(killHold) != "" {
			<-t.Context().Done() // never: the process is killed
		}
	}}
	for {
		if _, err := sqlite.Prepare(t.Context(), m, config(ledger.Log), path, sqlite.Options{Extend: true}); err != nil {
			t.Fatal(err)
		}
	}
}

// killed starts a process that prepares, and kills it when it has read its
// branch so often.
func killed(t *testing.T, path, hold string, readings int) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPreparesUntilKilled$")
	child.Env = append(os.Environ(), killPath+"="+path, killHold+"="+hold)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for range readings {
		if !lines.Scan() || lines.Text() != "reading" {
			t.Errorf("the process says %q, %v", lines.Text(), lines.Err())
		}
	}
	if err := child.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = child.Wait()
}

// A process that is killed while it prepares leaves the database whole, and a
// file that the next preparation removes.
func TestKilledPreparation(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "ledger.db")
	m := grown(t, ledger.Log, killRecords)
	prepare(t, m, config(ledger.Log), path)
	want := dump(t, path)
	killed(t, path, "yes", 1)
	if got := filesIn(t, dir); len(got) != 2 || !strings.HasSuffix(got[0], ".tmp") {
		t.Errorf("a killed process left %v", got)
	}
	for n := range 5 {
		killed(t, path, "", 1+n)
		if dump(t, path) != want {
			t.Errorf("the database changed when a preparation was killed")
		}
	}
	prepare(t, m, config(ledger.Log), path)
	if got := filesIn(t, dir); !slices.Equal(got, []string{"ledger.db"}) {
		t.Errorf("left behind %v", got)
	}
}

// The folder that the database goes to is not looked for behind a link.
func TestLinkedFolder(t *testing.T) {
	target, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	_, err := sqlite.Prepare(t.Context(), grown(t, ledger.Log, 3), config(ledger.Log), filepath.Join(link, "ledger.db"), sqlite.Options{Seal: true})
	if !errors.Is(err, sqlite.ErrStorage) {
		t.Error(err)
	}
	info, err := os.Stat(target)
	if err != nil || info.Mode().Perm() == 0o555 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if files, err := os.ReadDir(target); err != nil || len(files) > 0 {
		t.Errorf("%v, %v", files, err)
	}
}

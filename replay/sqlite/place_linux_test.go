package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay/sqlite"
)

func TestWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	pipe, circle, nowhere, broken := filepath.Join(secret, "pipe"), filepath.Join(secret, "circle"), filepath.Join(secret, "nowhere"), filepath.Join(secret, "1")
	if err := errors.Join(os.Mkdir(secret, 0o700), syscall.Mkfifo(pipe, 0o600), os.Symlink(circle, circle), os.Symlink("away", nowhere)); err != nil {
		t.Fatal(err)
	}
	write(t, broken, []byte("S"))
	for path, want := range map[string]error{
		secret:                         sqlite.ErrNotProjection,
		pipe:                           sqlite.ErrNotProjection,
		broken:                         sqlite.ErrNotProjection,
		circle:                         sqlite.ErrStorage,
		nowhere:                        os.ErrNotExist,
		"":                             sqlite.ErrStorage,
		":memory:":                     os.ErrNotExist,
		"file::memory:":                os.ErrNotExist,
		secret + "\x00":                sqlite.ErrStorage,
		broken + "/under":              sqlite.ErrStorage,
		"/dev/null":                    sqlite.ErrNotProjection,
		"/dev/zero":                    sqlite.ErrNotProjection,
		strings.Repeat("secret/", 900): sqlite.ErrStorage,
	} {
		_, err := sqlite.Open(t.Context(), path, sqlite.Limits{})
		if !errors.Is(err, want) {
			t.Errorf("%.80s: %v", path, err)
		} else if strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "SQL ") {
			t.Errorf("says too much: %v", err)
		}
	}
}

// A name that means something in a URI is a name all the same, and a symbolic
// link is followed.
func TestOddNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a?mode=rwc", "a%2fb", "a#b", "file:a", "a b&vfs=none", "\xff\xfe", "a'\"b", "-x", "é;"} {
		path := filepath.Join(dir, name)
		write(t, path, sample(t, ledger.Log))
		if err := os.Symlink(name, path+".link"); err != nil {
			t.Fatal(err)
		}
		for _, p := range []string{path, path + ".link"} {
			db := open(t, p, sqlite.Limits{})
			if r, err := db.Query(t.Context(), "SELECT count(*) FROM records"); err != nil || fmt.Sprint(r.Rows) != "[[120]]" {
				t.Errorf("%q: %v, %v", p, r, err)
			}
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 18 {
		t.Errorf("%v, %v", entries, err)
	}
}

// A journal beside the database is somebody else's: it is neither applied nor
// removed, and nothing is written next to it.
func TestJournalBeside(t *testing.T) {
	data := sample(t, ledger.Log)
	writer := filepath.Join(t.TempDir(), "ledger.db")
	write(t, writer, data)
	db, err := sql.Open("sqlite3", writer)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, s := range []string{"PRAGMA cache_size = 1", "BEGIN", "UPDATE records SET type = 'changed'", "UPDATE records SET type = 'ledger_append'"} {
		if _, err := conn.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	hot, err := os.ReadFile(writer + "-journal")
	if err != nil || len(hot) < 4096 {
		t.Fatalf("no hot journal: %d bytes, %v", len(hot), err)
	}

	path := filepath.Join(t.TempDir(), "ledger.db")
	beside := map[string]string{path: string(data), path + "-journal": string(hot), path + "-wal": "x", path + "-shm": "y"}
	for name, content := range beside {
		write(t, name, []byte(content))
	}
	guarded := open(t, path, sqlite.Limits{})
	if r, err := guarded.Query(t.Context(), "SELECT count(*) FROM records WHERE type = 'ledger_append'"); err != nil || fmt.Sprint(r.Rows) != "[[120]]" {
		t.Errorf("%v, %v", r, err)
	}
	if err := guarded.Close(); err != nil {
		t.Fatal(err)
	}
	for name, content := range beside {
		if now, err := os.ReadFile(name); err != nil || string(now) != content {
			t.Errorf("%s: %d bytes, %v", name, len(now), err)
		}
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != len(beside) {
		t.Errorf("%v, %v", entries, err)
	}
}

// What takes the place of the file may be a pipe, which is never done opening,
// even between the look at it and the opening. Whoever asks gets an answer in
// time, and the database is usable again afterwards.
func TestFileBecomesPipe(t *testing.T) {
	dir := t.TempDir()
	path, aside, pipe := filepath.Join(dir, "ledger.db"), filepath.Join(dir, "aside"), filepath.Join(dir, "pipe")
	write(t, path, sample(t, ledger.Log))
	if err := os.Link(path, aside); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	db := open(t, path, sqlite.Limits{Time: 50 * time.Millisecond})
	become := func(what string) {
		next := filepath.Join(dir, "next")
		if err := errors.Join(os.Link(what, next), os.Rename(next, path)); err != nil {
			t.Error(err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	swapped := make(chan struct{})
	go func() {
		defer close(swapped)
		for ctx.Err() == nil {
			become(pipe)
			become(aside)
		}
	}()
	for range 300 {
		outer, err := db.Stream(t.Context(), "SELECT 1")
		if err != nil {
			mustBeDocumented(t, err)
			continue
		}
		if _, err := db.Query(t.Context(), "SELECT 2"); err != nil {
			mustBeDocumented(t, err)
		}
		outer.Close()
		if db, err := sqlite.Open(t.Context(), path, sqlite.Limits{Time: 50 * time.Millisecond}); err != nil {
			mustBeDocumented(t, err)
		} else {
			db.Close()
		}
	}
	stop()
	<-swapped

	// Whoever still opens the pipe is let go.
	writer, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	if _, err := db.Query(t.Context(), "SELECT count(*) FROM records"); err != nil {
		t.Error(err)
	}
}

// Nothing is left open after queries that end in each way there is.
func TestNothingLeaks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	write(t, path, sample(t, ledger.Log))
	broken := filepath.Join(t.TempDir(), "ledger.db")
	write(t, broken, sample(t, ledger.Log)[:20000])
	count := func() (files, goroutines int) {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries), runtime.NumGoroutine()
	}
	files, goroutines := count()
	for range 30 {
		if _, err := sqlite.Open(t.Context(), broken, sqlite.Limits{}); err == nil {
			t.Fatal("a broken database opened")
		}
		db, err := sqlite.Open(t.Context(), path, sqlite.Limits{Time: 10 * time.Second, Rows: 10})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		for _, query := range []string{"SELECT id FROM records", "SELECT nothing", "DELETE FROM records", "SELECT abs(-9223372036854775808)", endless()["recursion"]} {
			_, _ = db.Query(ctx, query)
		}
		cancel()
		for range 10 {
			rows, err := db.Stream(t.Context(), "SELECT id FROM records")
			if err != nil {
				t.Fatal(err)
			}
			for range rows.All() {
				break
			}
		}
		rows, err := db.Stream(t.Context(), "SELECT id FROM records")
		if err != nil {
			t.Fatal(err)
		}
		db.Close()
		rows.Close()
	}
	deadline := time.Now().Add(10 * time.Second)
	for {
		f, g := count()
		if f <= files && g <= goroutines {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d files and %d goroutines; %d and %d before", f, g, files, goroutines)
		}
		runtime.Gosched()
	}
}

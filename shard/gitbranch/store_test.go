package gitbranch

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/shard"
	"github.com/gitledger/gitledger/shard/branchtest"
)

const testBranch = "ledgers/test"

func TestLocalBranch(t *testing.T) {
	t.Parallel()
	branchtest.Test(t, func() (*branchtest.Store, error) { return newStore(t, nil) })
}

func TestFileURLBranch(t *testing.T) {
	t.Parallel()
	s := newBox(t, nil)
	head := s.mustPlant(t, "README.md", "x")
	r := open(t, Options{URL: "file://" + s.path})
	b, err := r.Branch(testBranch)
	if err != nil {
		t.Fatal(err)
	}
	snap, err := b.Snapshot(t.Context(), shard.ProjectionLimits())
	if err != nil || string(snap.Head) != head {
		t.Fatalf("snapshot at %v, %v; want %s", snap, err, head)
	}
}

func TestHTTPBranch(t *testing.T) {
	t.Parallel()
	server := serve(t)
	branchtest.Test(t, func() (*branchtest.Store, error) { return newStore(t, server) })
}

func serve(t testing.TB) *gittest.Server {
	t.Helper()
	s, err := gittest.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func open(t testing.TB, o Options) *Repository {
	t.Helper()
	r, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// box is a repository with one branch for the suite, and git to look behind the
// library's back.
type box struct {
	path    string // of the bare repository
	url     string // how the library opens it
	server  *gittest.Server
	dir     string // removed at the end
	opened  []*Repository
	mu      sync.Mutex
	seconds int64
	step    func() // runs between a comparison and its update
}

func newBox(t testing.TB, server *gittest.Server) *box {
	t.Helper()
	b := &box{server: server, dir: t.TempDir()}
	if server == nil {
		b.path = filepath.Join(b.dir, "repo.git")
		b.url = b.path
		if err := gittest.InitBare(b.path); err != nil {
			t.Fatal(err)
		}
		return b
	}
	id, err := shard.NewID()
	if err != nil {
		t.Fatal(err)
	}
	if b.url, b.path, err = server.Create(id.String() + ".git"); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *box) repository(o Options) (*Repository, error) {
	o.URL = b.url
	r, err := Open(context.Background(), o)
	if err != nil {
		return nil, err
	}
	if l, ok := r.store.(*local); ok {
		l.beforeUpdate = b.between
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.opened = append(b.opened, r)
	return r, nil
}

func (b *box) between() {
	b.mu.Lock()
	step := b.step
	b.step = nil
	b.mu.Unlock()
	if step != nil {
		step()
	}
}

func (b *box) race(step func()) {
	if b.server != nil {
		b.server.Once(gittest.PushPack, gittest.Do(step))
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.step = step
}

func (b *box) close() error {
	if b.server != nil {
		b.server.Heal()
	}
	for _, r := range b.opened {
		r.Close()
	}
	return nil
}

// git runs git in the repository and returns what it prints.
func (b *box) git(stdin string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-C", b.path}, args...)...)
	cmd.Env = append(gittest.Environ(), "GIT_INDEX_FILE="+filepath.Join(b.dir, "index"))
	cmd.Stdin = strings.NewReader(stdin)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, stderr.String())
	}
	return string(out), nil
}

func (b *box) must(t testing.TB, stdin string, args ...string) string {
	t.Helper()
	out, err := b.git(stdin, args...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out)
}

const testRef = "refs/heads/" + testBranch

// plant commits one file with git.
func (b *box) plant(path string, data []byte) error {
	return b.importFile(fmt.Sprintf("M 100644 inline %s\ndata %d\n%s\n", path, len(data), data))
}

// plantEntry commits one tree entry of any mode with git.
func (b *box) plantEntry(mode, id, path string) error {
	return b.importFile(fmt.Sprintf("M %s %s %s\n", mode, id, path))
}

func (b *box) importFile(command string) error {
	from := ""
	if b.exists() {
		from = "from " + testRef + "^0\n"
	}
	_, err := b.git(fmt.Sprintf("commit %s\ncommitter test <test@localhost> %d +0000\ndata 7\nplanted\n%s%s",
		testRef, b.tick(), from, command), "fast-import", "--quiet")
	return err
}

// exists looks for the branch where Git keeps it, which is cheaper than a process.
func (b *box) exists() bool {
	packed, _ := os.ReadFile(filepath.Join(b.path, "packed-refs"))
	_, err := os.Stat(filepath.Join(b.path, testRef))
	return err == nil || strings.Contains(string(packed), " "+testRef+"\n")
}

func (b *box) mustPlant(t testing.TB, path, data string) (head string) {
	t.Helper()
	if err := b.plant(path, []byte(data)); err != nil {
		t.Fatal(err)
	}
	return b.must(t, "", "rev-parse", testRef)
}

func (b *box) files() (map[string]string, error) {
	list, err := b.git("", "ls-tree", "-r", "-z", testRef)
	if err != nil {
		return nil, err
	}
	var paths []string
	var ids strings.Builder
	for line := range strings.SplitSeq(strings.TrimSuffix(list, "\x00"), "\x00") {
		if meta, path, ok := strings.Cut(line, "\t"); ok {
			paths = append(paths, path)
			ids.WriteString(strings.Fields(meta)[2] + "\n")
		}
	}
	batch, err := b.git(ids.String(), "cat-file", "--batch=%(objectsize)")
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, path := range paths {
		digits, rest, _ := strings.Cut(batch, "\n")
		n, err := strconv.Atoi(digits)
		if err != nil || n >= len(rest) {
			return nil, fmt.Errorf("git cat-file says %q of %s", digits, path)
		}
		files[path], batch = rest[:n], rest[n+1:]
	}
	return files, nil
}

// fingerprint digests every file of the repository.
func (b *box) fingerprint() (string, error) {
	sum := sha256.New()
	err := filepath.WalkDir(b.path, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			fmt.Fprintf(sum, "%s\x00", path)
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(sum, "%s\x00%d\x00%s", path, len(data), data)
		return err
	})
	return fmt.Sprintf("%x", sum.Sum(nil)), err
}

// newStore makes a store for the suite: on a server, or at a path when server is nil.
func newStore(t testing.TB, server *gittest.Server) (*branchtest.Store, error) {
	b := newBox(t, server)
	return &branchtest.Store{
		Open: func() (shard.Branch, error) {
			r, err := b.repository(Options{})
			if err != nil {
				return nil, err
			}
			return r.Branch(testBranch)
		},
		Reader: func() (shard.Reader, error) {
			r, err := b.repository(Options{})
			if err != nil {
				return nil, err
			}
			return r.Reader(testBranch)
		},
		Race:        b.race,
		Plant:       b.plant,
		Files:       b.files,
		Fingerprint: b.fingerprint,
		Delete:      func() error { _, err := b.git("", "update-ref", "-d", testRef); return err },
		Rewind:      func(to shard.Head) error { _, err := b.git("", "update-ref", testRef, string(to)); return err },
		Secrets:     []string{b.path, b.url, b.dir},
		Close:       b.close,
	}, nil
}

// bulk commits n shards, one a commit, as somebody else would.
func (b *box) bulk(t testing.TB, n int) {
	t.Helper()
	var script strings.Builder
	from := "from " + testRef + "^0\n"
	for range n {
		fmt.Fprintf(&script, "commit %s\ncommitter test <test@localhost> %d +0000\ndata 4\nbulk\n%s", testRef, b.tick(), from)
		id := newID(t)
		fmt.Fprintf(&script, "M 100644 inline %s\ndata %d\n%s\n", id.Path(), len(id.String())+110, strings.Repeat("0123456789\n", 10)+id.String())
		from = ""
	}
	b.must(t, script.String(), "fast-import", "--quiet")
}

// tick gives each commit its own second, in the future of those of other tools.
func (b *box) tick() int64 {
	b.seconds++
	return time.Now().Unix() + b.seconds
}

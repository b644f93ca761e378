//go:build cgo && unix

package compact_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
	"github.com/gitledger/gitledger/shard/gitbranch"
)

// The environment of a process that applies a plan in order to be killed.
const (
	childRepository = "LEDGER_TEST_APPLY_REPOSITORY"
	childPlan       = "LEDGER_TEST_APPLY_PLAN"
	childPoint      = "LEDGER_TEST_APPLY_POINT" // where it kills itself; empty for nowhere
)

func TestMain(m *testing.M) {
	if os.Getenv(childRepository) != "" {
		os.Exit(applyChild())
	}
	os.Exit(m.Run())
}

func applyChild() int {
	repository, err := gitbranch.Open(context.Background(), gitbranch.Options{URL: os.Getenv(childRepository)})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer repository.Close()
	cfg := configure(2, 8, 100<<10)
	b, err := repository.Branch(cfg.Branch())
	if err != nil {
		fmt.Println(err)
		return 1
	}
	plan, err := compact.ReadFile(os.Getenv(childPlan))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	die := os.Getenv(childPoint)
	out, err := compact.Apply(context.Background(), stepped{b, func(point byte) {
		if string(point) == die {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}, nil}, cfg, plan, compact.ApplyOptions{Now: clock(noon)})
	fmt.Println(out, err)
	return 0
}

// grave is a repository with a plan for its branch, and a process to kill.
type grave struct {
	t        *testing.T
	url, dir string // how to open it, and the bare repository
	cfg      ledger.Config
	plan     string // file
	branch   shard.Branch
	order    []record.Hash
	old, new map[string]string // files before and after
}

// dig makes one on a local path, or behind a server when there is one.
func dig(t *testing.T, server *gittest.Server) *grave {
	t.Helper()
	g := &grave{t: t, cfg: configure(2, 8, 100<<10), plan: filepath.Join(t.TempDir(), "plan.json")}
	var err error
	if server == nil {
		g.dir = filepath.Join(t.TempDir(), "repository.git")
		g.url, err = g.dir, gittest.InitBare(g.dir)
	} else {
		g.url, g.dir, err = server.Create("repository.git")
	}
	if err != nil {
		t.Fatal(err)
	}
	g.branch = openBranch(t, g.url, g.cfg)
	source := populate(t, "kill", 5, 3)
	var change shard.Change
	for path, f := range source.Files() {
		id, _ := shard.FileID(strings.TrimPrefix(path, shard.Folder+"/"))
		change.Add = append(change.Add, shard.Addition{ID: id, Data: f.Data})
	}
	if _, err := g.branch.Commit(t.Context(), "", change); err != nil {
		t.Fatal(err)
	}
	p, plan := mustPropose(t, g.branch, g.cfg)
	if err := compact.WriteFile(g.plan, p.Plan); err != nil {
		t.Fatal(err)
	}
	g.order, g.old = order(t, g.branch), g.files()
	mustApply(t, source, g.cfg, plan, compact.Applied)
	g.new = tree(source)
	delete(g.new, shard.StatePath)
	return g
}

func openBranch(tb testing.TB, url string, cfg ledger.Config) shard.Branch {
	tb.Helper()
	repository, err := gitbranch.Open(context.Background(), gitbranch.Options{URL: url})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { repository.Close() })
	b, err := repository.Branch(cfg.Branch())
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func (g *grave) git(args ...string) string {
	g.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", g.dir}, args...)...)
	cmd.Env = gittest.Environ()
	out, err := cmd.Output()
	if err != nil {
		g.t.Fatalf("git %v: %v", args, err)
	}
	return string(out)
}

// files returns the branch's files as git sees them, without the state file.
func (g *grave) files() map[string]string {
	files := map[string]string{}
	for path := range strings.Lines(g.git("ls-tree", "-r", "--name-only", g.cfg.Branch())) {
		path = strings.TrimSpace(path)
		if path != shard.StatePath {
			files[path] = g.git("cat-file", "blob", g.cfg.Branch()+":"+path)
		}
	}
	return files
}

// apply starts a process that applies the plan.
func (g *grave) apply(point string) *exec.Cmd {
	g.t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	// A process that is killed leaves its temporary cache behind.
	cmd.Env = append(gittest.Environ(), "TMPDIR="+g.t.TempDir(), childRepository+"="+g.url, childPlan+"="+g.plan, childPoint+"="+point)
	if err := cmd.Start(); err != nil {
		g.t.Fatal(err)
	}
	return cmd
}

// bury waits for the death of the process, and checks what it left: the old
// branch or the new one, a sound repository, and a plan that can be applied.
func (g *grave) bury(cmd *exec.Cmd, want map[string]string) {
	t := g.t
	t.Helper()
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("it was not killed: %v", err)
	}
	got := g.files()
	if !maps.Equal(got, want) {
		t.Errorf("%d files are left; expected %d (old %d, new %d)", len(got), len(want), len(g.old), len(g.new))
	}
	g.git("fsck", "--strict", "--no-dangling")
	if got := order(t, g.branch); !slices.Equal(got, g.order) {
		t.Errorf("%d records, were %d", len(got), len(g.order))
	}
	data, err := compact.ReadFile(g.plan)
	if err != nil {
		t.Fatal(err)
	}
	status := compact.Applied
	if maps.Equal(want, g.new) {
		status = compact.AlreadyApplied
	}
	mustApply(t, g.branch, g.cfg, data, status)
	if !maps.Equal(g.files(), g.new) || !slices.Equal(order(t, g.branch), g.order) {
		t.Error("the next run did not finish the work")
	}
}

func TestKilledBetweenSteps(t *testing.T) {
	for point, applied := range map[string]bool{"f": false, "v": false, "p": false, "a": true} {
		t.Run("local, "+point, func(t *testing.T) {
			g := dig(t, nil)
			want := g.old
			if applied {
				want = g.new
			}
			g.bury(g.apply(point), want)
		})
	}
}

// Over HTTP the process dies within a fetch and within a push, before and after
// Git does its part.
func TestKilledWithinSteps(t *testing.T) {
	for _, step := range []gittest.Step{gittest.FetchRefs, gittest.FetchPack, gittest.PushRefs, gittest.PushPack} {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, after %t", step, after), func(t *testing.T) {
				server, err := gittest.New(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { server.Close() })
				g := dig(t, server)
				started := make(chan *exec.Cmd, 1)
				server.Once(step, func(c *gittest.Call) {
					if after {
						c.Next.ServeHTTP(httptest.NewRecorder(), c.R)
					}
					(<-started).Process.Kill()
					gittest.Reset()(c)
				})
				cmd := g.apply("")
				started <- cmd
				want := g.old
				if step == gittest.PushPack && after {
					want = g.new
				}
				g.bury(cmd, want)
			})
		}
	}
}

// A lock that a killed process left behind keeps the plan from being applied,
// and nothing else is harmed; without it the next run succeeds.
func TestLeftoverLock(t *testing.T) {
	g := dig(t, nil)
	lock := filepath.Join(g.dir, "refs", "heads", g.cfg.Branch()+".lock")
	if err := os.WriteFile(lock, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	data, err := compact.ReadFile(g.plan)
	if err != nil {
		t.Fatal(err)
	}
	o := compact.ApplyOptions{Attempts: 3, Backoff: func(context.Context, int) error { return nil }}
	out, err := compact.Apply(t.Context(), g.branch, g.cfg, data, o)
	if out != nil || !errors.Is(err, shard.ErrLocked) || strings.Contains(err.Error(), g.dir) {
		t.Errorf("%+v, %v", out, err)
	}
	if !maps.Equal(g.files(), g.old) || !slices.Equal(order(t, g.branch), g.order) {
		t.Error("the branch changed, or cannot be read")
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	mustApply(t, g.branch, g.cfg, data, compact.Applied)
}

package gitbranch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gitledger/gitledger/shard"
)

// TestMain is also the process that the crash tests kill: with crashPath set it
// commits shards to that repository, one after the other, and prints each head
// that was acknowledged.
func TestMain(m *testing.M) {
	if path := os.Getenv("GITBRANCH_TEST_CRASH"); path != "" {
		n, _ := strconv.Atoi(os.Getenv("GITBRANCH_TEST_COMMITS"))
		if err := commitMany(path, n); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func commitMany(path string, n int) error {
	ctx := context.Background()
	r, err := Open(ctx, Options{URL: path})
	if err != nil {
		return err
	}
	defer r.Close()
	b, err := r.Branch(testBranch)
	if err != nil {
		return err
	}
	snap, err := b.Snapshot(ctx, shard.ProjectionLimits())
	if err != nil {
		return err
	}
	fmt.Println("ready", snap.Head)
	head := snap.Head
	for range n {
		id, err := shard.NewID()
		if err != nil {
			return err
		}
		if head, err = b.Commit(ctx, head, adding(id, id.String()+"\n")); err != nil {
			return err
		}
		fmt.Println(id, head)
	}
	return nil
}

func crashCommand(t *testing.T, path string, commits int, prefix ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := append(prefix, self)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "GITBRANCH_TEST_CRASH="+path, "GITBRANCH_TEST_COMMITS="+strconv.Itoa(commits))
	return cmd
}

// recover checks the repository after a crash, and takes the documented way out
// when a lock was left behind. It returns the shards that are there.
func (b *box) recover(t *testing.T, branch shard.Branch) (ids map[shard.ID]bool, locked bool) {
	t.Helper()
	snap := snapshotOf(t, branch)
	if _, err := branch.Commit(t.Context(), snap.Head, adding(newID(t), "after\n")); err != nil {
		isError(t, err, shard.ErrLocked)
		locked = true
		if err := os.Remove(filepath.Join(b.path, testRef) + ".lock"); err != nil {
			t.Fatalf("locked without a lock file: %v", err)
		}
		mustCommit(t, branch, snap.Head, "after\n")
	}
	ids = map[shard.ID]bool{}
	for _, s := range snap.Shards {
		if s.Fault != "" || string(s.Data) != s.ID.String()+"\n" && string(s.Data) != "after\n" {
			t.Errorf("shard %s has the fault %q and %d bytes", s.Name, s.Fault, len(s.Data))
		}
		ids[s.ID] = true
	}
	return ids, locked
}

// TestKill kills a committing process at random moments: what it acknowledged is
// there, and at most one more.
func TestKill(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("GITBRANCH_TEST_SEED"); text != "" {
		seed, _ = strconv.ParseUint(text, 10, 64)
	}
	t.Logf("GITBRANCH_TEST_SEED=%d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	box := newBox(t, nil)
	branch := localBranch(t, box)
	total := 0
	for range 8 {
		cmd := crashCommand(t, box.path, 1000)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		lines.Scan() // ready
		var acknowledged []shard.ID
		read := func() bool {
			if !lines.Scan() {
				return false
			}
			id, err := shard.ParseID(strings.Fields(lines.Text())[0])
			if err != nil {
				t.Error(err)
			}
			acknowledged = append(acknowledged, id)
			return true
		}
		for n := 1 + random.IntN(5); n > 0 && read(); n-- {
		}
		cmd.Process.Kill()
		for read() {
		}
		cmd.Wait()
		ids, _ := box.recover(t, branch)
		for _, id := range acknowledged {
			if !ids[id] {
				t.Errorf("acknowledged shard %s is lost", id)
			}
		}
		if extra := len(ids) - total - len(acknowledged); extra < 0 || extra > 1 {
			t.Errorf("%d shards beyond the acknowledged ones", extra)
		}
		total = len(ids) + 1 // and the one that recover added
	}
	box.must(t, "", "fsck", "--strict", "--full")
}

// TestDurable: with a commit acknowledged, its objects and its reference have
// been synced.
func TestDurable(t *testing.T) {
	t.Parallel()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("SKIPPED: strace is not installed, so what is synced cannot be seen")
	}
	box := newBox(t, nil)
	log := filepath.Join(box.dir, "calls")
	cmd := crashCommand(t, box.path, 1, strace, "-f", "-qq", "-y", "-o", log, "-e", "trace=fsync,fdatasync,link,rename")
	if out, err := cmd.CombinedOutput(); err != nil {
		if strings.Contains(string(out), "ptrace") {
			t.Skipf("SKIPPED: strace may not trace here: %s", out)
		}
		t.Fatalf("%v: %s", err, out)
	}
	raw, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	calls := string(raw)
	if n := strings.Count(calls, "/tmp_object"); n < 10 || !strings.Contains(calls, "fsync") {
		t.Errorf("new objects are not synced:\n%s", calls)
	}
	place := strings.LastIndex(calls, testRef+`")`)
	file := strings.Index(calls, testRef+".lock>)")
	dir := strings.LastIndex(calls, filepath.Dir(testRef)+">)")
	if file < 0 || place < file || dir < place {
		t.Errorf("the reference is not synced, put in place, and its folder synced, in that order:\n%s", calls)
	}
}

// TestKillPoints kills a process on entering each system call that makes its
// commit, one after the other: there is the old state or the new one.
func TestKillPoints(t *testing.T) {
	t.Parallel()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("SKIPPED: strace is not installed, so a process cannot be killed at each system call")
	}
	seen := map[string]int{}
	for _, call := range []string{"link", "rename", "unlink"} {
		for n := 1; ; n++ {
			if n > 200 {
				t.Fatal("no end of system calls")
			}
			box := newBox(t, nil)
			branch := localBranch(t, box)
			mustCommit(t, branch, "", "after\n")
			cmd := crashCommand(t, box.path, 1, strace, "-f", "-qq", "-o", os.DevNull, "-e", "trace="+call,
				"-e", fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, n))
			out, err := cmd.Output()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			if !strings.Contains(string(out), "ready") {
				if exit != nil && strings.Contains(string(exit.Stderr), "ptrace") {
					t.Skip("SKIPPED: strace may not trace here: " + strings.TrimSpace(string(exit.Stderr)))
				}
				continue // killed before the commit
			}
			survived := err == nil
			ids, locked := box.recover(t, branch)
			switch {
			case survived && len(ids) != 2:
				t.Errorf("%s %d: acknowledged and lost", call, n)
			case len(ids) == 2:
				seen["new"]++
			case len(ids) == 1:
				seen["old"]++
			default:
				t.Errorf("%s %d: %d shards", call, n, len(ids))
			}
			if locked {
				seen["locked"]++
			}
			if survived {
				box.must(t, "", "fsck", "--strict", "--full")
				break
			}
		}
	}
	t.Logf("%v", seen)
	if seen["old"] == 0 || seen["new"] == 0 || seen["locked"] == 0 {
		t.Errorf("states %v; want each of old, new and locked", seen)
	}
}

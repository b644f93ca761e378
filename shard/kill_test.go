//go:build unix

package shard

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"

	"github.com/gitledger/gitledger/internal/randtest"
)

// What the process that will die is told.
const (
	dieAt   = "GITLEDGER_DIE_AT"
	dieIn   = "GITLEDGER_DIE_IN"
	dieHead = "GITLEDGER_DIE_HEAD"
)

func TestMain(m *testing.M) {
	if os.Getenv(dieAt) != "" {
		os.Exit(dyingCommit())
	}
	os.Exit(m.Run())
}

// dyingCommit is the process: it commits, is killed at a file operation, and
// says so if it gets through.
func dyingCommit() int {
	at, _ := strconv.Atoi(os.Getenv(dieAt))
	d, err := OpenDir(os.Getenv(dieIn))
	if err != nil {
		return 2
	}
	f := &fault{at: at, do: func(string, func() error) error {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}}
	d.root = faulty{d.root, f}
	head, err := d.Commit(context.Background(), Head(os.Getenv(dieHead)), newChange())
	if err != nil {
		fmt.Println("refused")
		return 0
	}
	fmt.Println("acknowledged", head)
	return 0
}

// commitAndDie runs a commit of newChange in a process that is killed at a file
// operation. It returns nil when the commit was acknowledged before.
func commitAndDie(t *testing.T, path string, head Head, at int) error {
	t.Helper()
	process := exec.CommandContext(t.Context(), os.Args[0])
	process.Env = append(os.Environ(), dieAt+"="+strconv.Itoa(at), dieIn+"="+path, dieHead+"="+string(head))
	out, err := process.Output()
	if bytes.HasPrefix(out, []byte("acknowledged")) {
		return nil
	}
	if err == nil {
		return ErrHeadMoved // it was not killed, but refused
	}
	status, ok := process.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || status.Signal() != syscall.SIGKILL {
		t.Fatalf("the process ended with %v and said %q", err, out)
	}
	return errDied
}

// TestDirKill kills a process at each file operation of a commit, and another
// one at some operation of the next commit, which finds what the first left.
func TestDirKill(t *testing.T) {
	random := randtest.New(t)
	for at := 1; ; at++ {
		path := fastDir(t)
		d := openDir(t, path)
		before := commit1(t, d, "", oldChange())
		err := commitAndDie(t, path, before, at)
		if err == nil {
			if at < 30 {
				t.Fatalf("the process got through %d operations", at)
			}
			judge(t, "not killed", d, before, nil)
			return
		}
		if second := 1 + random.IntN(60); at%2 == 0 {
			if commitAndDie(t, path, before, second) == nil {
				err = nil
			}
		}
		judge(t, fmt.Sprintf("killed at %d", at), d, before, err)
		clean(t, path)
	}
}

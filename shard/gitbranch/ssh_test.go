package gitbranch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/shard"
)

// sshBench is a repository behind a real sshd.
type sshBench struct {
	*box
	server *gittest.SSH
}

func newSSHBench(t *testing.T) *sshBench {
	t.Helper()
	server, err := gittest.NewSSH(t.TempDir())
	if errors.Is(err, gittest.ErrNoSSH) {
		t.Skipf("SKIPPED, SO SSH IS NOT TESTED: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	box := newBox(t, nil)
	box.path = filepath.Join(box.dir, "it's a \\ $(touch x) !1 repo.git")
	if err := gittest.InitBare(box.path); err != nil {
		t.Fatal(err)
	}
	box.url = server.URL + strings.NewReplacer(" ", "%20", "\\", "%5C").Replace(box.path)
	t.Cleanup(func() { box.close() })
	return &sshBench{box, server}
}

func (s *sshBench) branch(t *testing.T, command []string) shard.Branch {
	t.Helper()
	r, err := s.repository(Options{SSH: command})
	if err != nil {
		t.Fatal(err)
	}
	b, err := r.Branch(testBranch)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// fails checks that err is one of this kind and tells nothing that it must not.
func (s *sshBench) fails(t *testing.T, err, want error) {
	t.Helper()
	f := &faultBench{box: s.box, said: &lockedBuffer{}}
	f.want(t, err, want)
	for _, secret := range []string{s.dir, s.server.Dir, s.server.URL, "127.0.0.1", "ermission", "fatal", "Host key", "repo.git"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%q is in the error %q", secret, err)
		}
	}
}

func TestSSH(t *testing.T) {
	t.Parallel()
	s := newSSHBench(t)
	b := s.branch(t, s.server.Client())
	if snap := snapshotOf(t, b); snap.Head != "" {
		t.Errorf("an absent branch is at %q", snap.Head)
	}
	first := mustCommit(t, b, "", "1\n")
	s.bulk(t, 30)
	if snap := snapshotOf(t, b); len(snap.Shards) != 31 {
		t.Errorf("%d shards; want 31", len(snap.Shards))
	}
	_, err := b.Commit(t.Context(), first, adding(newID(t), "late\n"))
	s.fails(t, err, shard.ErrHeadMoved)

	// A whole turn of a writer is two connections.
	before := s.server.Connections()
	head := mustCommit(t, b, snapshotOf(t, b).Head, "2\n")
	if n := s.server.Connections() - before; n != 2 {
		t.Errorf("%d connections; want 2", n)
	}
	other := s.branch(t, s.server.Client())
	if snap := snapshotOf(t, other); snap.Head != head || len(snap.Shards) != 32 {
		t.Errorf("a stranger sees %d shards at %s; want 32 at %s", len(snap.Shards), snap.Head, head)
	}
	s.must(t, "", "fsck", "--strict")
}

// TestSSHRace moves, makes and deletes the branch between the comparison and
// the push.
func TestSSHRace(t *testing.T) {
	t.Parallel()
	s := newSSHBench(t)
	b := s.branch(t, s.server.Client())
	sh := s.opened[0].store.(*remote).carrier.(*shell)
	for name, c := range map[string]struct {
		absent bool
		race   func()
	}{
		"moved":   {false, func() { s.mustPlant(t, shard.Folder+"/"+newID(t).FileName(), "theirs\n") }},
		"made":    {true, func() { s.mustPlant(t, shard.Folder+"/"+newID(t).FileName(), "theirs\n") }},
		"deleted": {false, func() { s.must(t, "", "update-ref", "-d", testRef) }},
	} {
		t.Run(name, func(t *testing.T) {
			s.must(t, "", "update-ref", "-d", testRef)
			var head shard.Head
			if !c.absent {
				head = shard.Head(s.mustPlant(t, "x", "x"))
			}
			left := ""
			sh.beforePush = func() {
				c.race()
				left = s.must(t, "", "for-each-ref", testRef)
			}
			_, err := b.Commit(t.Context(), head, adding(newID(t), "ours\n"))
			sh.beforePush = nil
			s.fails(t, err, shard.ErrHeadMoved)
			if now := s.must(t, "", "for-each-ref", testRef); now != left {
				t.Errorf("the branch is at %q; the other left it at %q", now, left)
			}
			if name == "moved" { // the loser's next turn
				mustCommit(t, b, snapshotOf(t, b).Head, "again\n")
			}
		})
	}
}

func TestSSHFaults(t *testing.T) {
	t.Parallel()
	s := newSSHBench(t)
	b := s.branch(t, s.server.Client())
	head := mustCommit(t, b, "", "1\n")
	for name, c := range map[string]struct {
		command []string
		want    error
	}{
		"wrong key":    {s.server.ClientWith("other", "known"), shard.ErrUnauthorized},
		"no key":       {s.server.ClientWith("missing", "known"), shard.ErrUnauthorized},
		"unknown host": {s.server.ClientWith("client", "missing"), shard.ErrUnavailable},
		"other host":   {append(s.server.Client(), "-o", "ProxyCommand=false"), shard.ErrUnavailable},
		"no program":   {[]string{filepath.Join(s.dir, "missing")}, shard.ErrUnavailable},
		"odd program":  {[]string{"true"}, shard.ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			b := s.branch(t, c.command)
			_, err := b.Snapshot(t.Context(), shard.ProjectionLimits())
			s.fails(t, err, c.want)
			if name == "wrong key" {
				_, err = b.Commit(t.Context(), "", adding(newID(t), "x\n"))
				s.fails(t, err, c.want)
			}
		})
	}
	for _, fault := range []string{gittest.HalfRefs, gittest.OnlyNoise} {
		t.Run(fault, func(t *testing.T) {
			s.server.Plan(fault)
			defer s.server.Plan("")
			_, err := b.Snapshot(t.Context(), shard.ProjectionLimits())
			s.fails(t, err, shard.ErrUnavailable)
		})
	}
	t.Run("answer lost", func(t *testing.T) {
		hook := filepath.Join(s.path, "hooks", "reference-transaction")
		if err := os.WriteFile(hook, []byte("#!/bin/sh\n[ $1 != committed ] || kill -9 $PPID\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		_, err := b.Commit(t.Context(), head, adding(newID(t), "2\n"))
		s.fails(t, err, shard.ErrOutcomeUnknown)
		os.Remove(hook)
		if snap := snapshotOf(t, b); len(snap.Shards) != 2 {
			t.Errorf("%d shards; want the one whose answer was lost, too", len(snap.Shards))
		}
	})
	t.Run("hook rejects", func(t *testing.T) {
		hook := filepath.Join(s.path, "hooks", "pre-receive")
		if err := os.WriteFile(hook, []byte("#!/bin/sh\necho no >&2\nexit 1\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		defer os.Remove(hook)
		_, err := b.Commit(t.Context(), shard.Head(s.must(t, "", "rev-parse", testRef)), adding(newID(t), "2\n"))
		s.fails(t, err, shard.ErrRefused)
	})
	t.Run("no repository", func(t *testing.T) {
		s.url += "x"
		_, err := s.branch(t, s.server.Client()).Snapshot(t.Context(), shard.ProjectionLimits())
		s.fails(t, err, shard.ErrUnavailable)
	})
}

// TestSSHHang is a server that goes silent in each phase: the context ends the
// call, and leaves neither a process nor a goroutine.
func TestSSHHang(t *testing.T) {
	s := newSSHBench(t)
	b := s.branch(t, s.server.Client())
	head := mustCommit(t, b, "", "1\n")
	s.mustPlant(t, "x", "x") // something to fetch
	now := shard.Head(s.must(t, "", "rev-parse", testRef))
	pids := filepath.Join(s.dir, "pids")
	ssh := filepath.Join(s.dir, "ssh")
	if err := os.WriteFile(ssh, []byte("#!/bin/sh\necho $$ >>"+pids+"\nexec \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	known := s.branch(t, append([]string{ssh}, s.server.Client()...))
	snapshotOf(t, known)
	before := runtime.NumGoroutine()
	for name, c := range map[string]struct {
		fault string
		push  bool
		want  error // beside the context's
	}{
		"fetch, silent":    {gittest.Silent, false, nil},
		"fetch, only refs": {gittest.OnlyRefs, false, nil},
		"push, silent":     {gittest.Silent, true, nil},
		"push, only refs":  {gittest.OnlyRefs, true, shard.ErrOutcomeUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			b := s.branch(t, append([]string{ssh}, s.server.Client()...))
			if c.push {
				b = known
			}
			s.server.Plan(c.fault)
			defer s.server.Plan("")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var ended time.Time
			go func() {
				for !s.server.Hung() && ctx.Err() == nil {
					time.Sleep(time.Millisecond)
				}
				ended = time.Now()
				cancel()
			}()
			var err error
			if c.push {
				_, err = b.Commit(ctx, now, adding(newID(t), "x\n"))
			} else {
				_, err = b.Snapshot(ctx, shard.ProjectionLimits())
			}
			if late := time.Since(ended); late > 2*time.Second {
				t.Errorf("returned %v after the context's end", late)
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v is not the context's", err)
			}
			s.fails(t, err, c.want)
		})
	}
	if now == head || string(now) != s.must(t, "", "rev-parse", testRef) {
		t.Error("the branch moved")
	}
	list, err := os.ReadFile(pids)
	if err != nil || len(strings.Fields(string(list))) < 4 {
		t.Fatalf("processes %q, %v", list, err)
	}
	for _, pid := range strings.Fields(string(list)) {
		if _, err := os.Stat("/proc/" + pid); err == nil {
			t.Errorf("process %s is still there", pid)
		}
	}
	for wait := time.Millisecond; runtime.NumGoroutine() > before+2; wait *= 2 {
		if wait > 4*time.Second {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines; %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
		time.Sleep(wait)
	}
}

// TestSSHCommand is what the program is given: nothing of a URL can become an
// option or a command, and nothing secret is in the environment.
func TestSSHCommand(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "ssh")
	script := "#!/bin/sh\n{ printf '<%s>' \"$@\"; echo; env; } >" + dir + "/said\nexit 255\n"
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GITHUB_TOKEN", secretToken)
	t.Setenv("GIT_SSH_COMMAND", "touch "+dir+"/ran")
	for url, want := range map[string]string{
		"ssh://git@example.org/a/b.git":        "<-l><git><--><example.org><git-upload-pack '/a/b.git'>",
		"ssh://example.org:22/~me/it's!.git":   `<-p><22><--><example.org><git-upload-pack '~me/it'\''s'\!'.git'>`,
		"ssh://[::1]:2222/x;touch%20y%20--%20": "<-p><2222><--><::1><git-upload-pack '/x;touch y -- '>",
		"ssh://example.org/-oProxyCommand=x":   "<--><example.org><git-upload-pack '/-oProxyCommand=x'>",
	} {
		b, err := open(t, Options{URL: url, SSH: []string{program, "-v"}}).Branch(testBranch)
		if err != nil {
			t.Fatal(err)
		}
		_, err = b.Snapshot(t.Context(), shard.ProjectionLimits())
		isError(t, err, shard.ErrUnavailable)
		text, err := os.ReadFile(dir + "/said")
		if err != nil {
			t.Fatal(err)
		}
		said := string(text)
		if line, _, _ := strings.Cut(said, "\n"); !strings.HasPrefix(line, "<-v><-T>") || !strings.HasSuffix(line, want) {
			t.Errorf("%s gave %s; want it to end in %s", url, line, want)
		}
		if strings.Contains(said, secretToken) || strings.Contains(said, "GIT_") {
			t.Errorf("the environment holds too much:\n%s", said)
		}
	}
	for _, url := range []string{
		"ssh://-oProxyCommand=x/y", "ssh://-l@example.org/y", "ssh://a:secret@example.org/y", "ssh:///y", "ssh://example.org",
		"ssh://example.org/", "ssh://example.org/a%0ab", "ssh://a%20b@example.org/y", "ssh://exa%60mple.org/y",
		"ssh://$(x)@example.org/y", "ssh://@example.org/y", "ssh://example.org/y?z", "ssh://[fe80::1%25$(x)]/y", "ssh://%00x/y",
	} {
		_, err := Open(t.Context(), Options{URL: url})
		isError(t, err, shard.ErrUnavailable)
	}
	_, err := Open(t.Context(), Options{URL: "ssh://example.org/y", Credential: Token("x")})
	isError(t, err, shard.ErrUnavailable)
	if _, err := os.Stat(dir + "/ran"); err == nil {
		t.Error("GIT_SSH_COMMAND was run")
	}
}

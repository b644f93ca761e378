package gitbranch

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/shard"
)

func TestRefusedURLs(t *testing.T) {
	secret := "hunter2"
	token := Token(secret)
	for _, c := range []struct {
		url        string
		credential Credential
	}{
		{"", nil},
		{"https://user:" + secret + "@example.org/x.git", nil},
		{"https://" + secret + "@example.org/x.git", nil},
		{"https://example.org/x.git?token=" + secret, nil},
		{"https://example.org/x.git#" + secret, nil},
		{"https:///x.git", nil},
		{"https://exa mple.org/" + secret, nil},
		{"http://example.org/x.git", token},
		{"http://127.0.0.1.example.org/x.git", token},
		{"ftp://example.org/x.git", nil},
		{"gitledger://1/" + secret, nil},
		{"ext::sh -c " + secret + "://x", nil},
		{"file://example.org/x.git", nil},
		{"https://example.org/\x00", nil},
	} {
		_, err := Open(t.Context(), Options{URL: c.url, Credential: c.credential})
		isError(t, err, shard.ErrUnavailable)
		if err != nil && (strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "example")) {
			t.Errorf("the error tells the URL: %v", err)
		}
	}
	for _, url := range []string{"https://example.org/x.git", "http://localhost:1/x", "http://[::1]:1/x"} {
		r, err := Open(t.Context(), Options{URL: url, Credential: token})
		if err != nil {
			t.Errorf("%s: %v", url, err)
			continue
		}
		r.Close()
	}
}

func TestRefusedNames(t *testing.T) {
	r := open(t, Options{URL: newBox(t, nil).path})
	for _, name := range []string{"", "/", "a..b", "a b", "a:b", "a*", "-/.lock", "x.lock", "a/", "a//b", "a\x00b",
		"a~1", "a^", "@{", strings.Repeat("x", 300)} {
		if _, err := r.Branch(name); err == nil {
			t.Errorf("branch name %q was accepted", name)
		}
		if _, err := r.Reader(name); err == nil {
			t.Errorf("branch name %q was accepted", name)
		}
	}
}

func TestRefusedIdentities(t *testing.T) {
	path := newBox(t, nil).path
	for _, who := range []Identity{{"x", ""}, {"", "x"}, {"a\nb", "x"}, {"a<b", "x"}, {"a", "x>"}, {"a\x00", "x"}, {" ", "x"}} {
		if _, err := Open(t.Context(), Options{URL: path, Author: who}); err == nil {
			t.Errorf("identity %q was accepted", who)
		}
	}
}

// TestCommitObject reads the commit with git: who, when, and the message.
func TestCommitObject(t *testing.T) {
	t.Parallel()
	box := newBox(t, nil)
	r, err := box.repository(Options{
		Author: Identity{"An Author", "author@example.org"}, Committer: Identity{"A Committer", "committer@example.org"},
		Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b, _ := r.Branch(testBranch)
	var heads []shard.Head
	head := shard.Head("")
	id := newID(t)
	for i, message := range []string{"Add 1 record\n\ntransaction 7", "", "zero \x00 and \xff bad", strings.Repeat("é", 20000)} {
		change := adding(newID(t), "x\n")
		if i == 0 {
			change = adding(id, "x\n")
		}
		change.Message = message
		if head, err = b.Commit(t.Context(), head, change); err != nil {
			t.Fatal(err)
		}
		heads = append(heads, head)
	}
	show := func(i int) string { return box.must(t, "", "cat-file", "commit", string(heads[i])) }
	first := show(0)
	for _, want := range []string{
		"author An Author <author@example.org> 1767323045 +0000",
		"committer A Committer <committer@example.org> 1767323045 +0000",
		"\n\nAdd 1 record\n\ntransaction 7",
	} {
		if !strings.Contains(first, want) {
			t.Errorf("%q is not in:\n%s", want, first)
		}
	}
	if strings.Contains(first, "parent") || !strings.Contains(show(1), "parent "+string(heads[0])) {
		t.Error("the first commit has a parent, or the second has not")
	}
	if !strings.HasSuffix(show(1), "\n\nUpdate ledger") || !strings.HasSuffix(show(2), "zero  and \uFFFD bad") || len(show(3)) > 17<<10 {
		t.Error("the messages are not as expected")
	}
	if got := box.must(t, "", "ls-tree", "-r", string(heads[0])); !strings.HasPrefix(got, "100644 blob ") || !strings.HasSuffix(got, id.Path()) {
		t.Errorf("the first tree is %q", got)
	}
	box.must(t, "", "fsck", "--strict", "--full")
}

// TestDeterministic: the same change, clock and identity give the same commit.
func TestDeterministic(t *testing.T) {
	t.Parallel()
	id, other := newID(t), newID(t)
	var heads []shard.Head
	for range 2 {
		box := newBox(t, nil)
		r, err := box.repository(Options{Now: func() time.Time { return time.Unix(1e9, 0).UTC() }})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		b, _ := r.Branch(testBranch)
		head, err := b.Commit(t.Context(), "", shard.Change{
			Add: []shard.Addition{{ID: id, Data: []byte("1\n")}, {ID: other, Data: []byte("2\n")}}, State: []byte("{}\n"),
		})
		if err != nil {
			t.Fatal(err)
		}
		heads = append(heads, head)
	}
	if heads[0] != heads[1] {
		t.Errorf("%s and %s", heads[0], heads[1])
	}
}

// TestNoLeaks: faults, hangs and closed sessions leave no goroutine behind.
func TestNoLeaks(t *testing.T) {
	f := newFaultBench(t, Options{})
	f.server.ResetStats()
	before := runtime.NumGoroutine()
	for range 3 {
		for _, step := range []gittest.Step{gittest.FetchRefs, gittest.FetchPack} {
			for _, fault := range []gittest.Fault{gittest.Hang(), gittest.HangAfter(30), gittest.ResetAfter(5), gittest.Status(500), gittest.Truncate(20)} {
				b, done := f.session(t, "", testBranch)
				f.server.Once(step, fault)
				ctx, cancel := context.WithTimeout(t.Context(), 60*time.Millisecond)
				b.Snapshot(ctx, shard.ProjectionLimits())
				cancel()
				f.server.Heal()
				b.Snapshot(t.Context(), shard.ProjectionLimits())
				done()
			}
		}
	}
	// The server's own goroutines end when they notice; nothing is awaited for
	// longer than the test may take.
	for wait := time.Millisecond; runtime.NumGoroutine() > before+2; wait *= 2 {
		if wait > 4*time.Second {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines; %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
		time.Sleep(wait)
	}
	board.mu.Lock()
	defer board.mu.Unlock()
	if n := len(board.open); n > 0 {
		t.Errorf("%d exchanges are still registered", n)
	}
}

// TestConcurrentUse is one Repository with several branches at once.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	server := serve(t)
	for name, box := range map[string]*box{"local": newBox(t, nil), "http": newBox(t, server)} {
		t.Run(name, func(t *testing.T) {
			r, err := box.repository(Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			done := make(chan error)
			branches := []string{"ledgers/a", "ledgers/b", "ledgers/c", "ledgers/d", "ledgers/e", "ledgers/f"}
			for _, name := range branches {
				go func() {
					done <- func() error {
						b, err := r.Branch(name)
						if err != nil {
							return err
						}
						var head shard.Head
						for range 4 {
							if head, err = b.Commit(t.Context(), head, adding(newID(t), name+"\n")); err != nil {
								return err
							}
						}
						return nil
					}()
				}()
			}
			for range branches {
				if err := <-done; err != nil {
					t.Error(err)
				}
			}
			for _, name := range branches {
				b, _ := r.Reader(name)
				if snap := snapshotOf(t, b); len(snap.Shards) != 4 {
					t.Errorf("%s has %d shards; want 4", name, len(snap.Shards))
				}
			}
		})
	}
}

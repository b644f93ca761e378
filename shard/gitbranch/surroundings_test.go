package gitbranch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/shard"
)

// everyHook puts a program in the place of each hook of Git.
func everyHook(t *testing.T, dir, program string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields("pre-commit commit-msg prepare-commit-msg post-commit pre-push pre-receive update " +
		"post-receive post-update reference-transaction post-index-change post-checkout fsmonitor-watchman pre-auto-gc") {
		if err := os.Symlink(program, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// hostileConfig runs a program wherever Git's settings can name one, and sends
// what it can elsewhere.
func hostileConfig(program, hooks, elsewhere string, addresses ...string) string {
	config := fmt.Sprintf(`[core]
	fsmonitor = %[1]s
	hooksPath = %[2]s
	sshCommand = %[1]s
	gitProxy = %[1]s
	askPass = %[1]s
	editor = %[1]s
	pager = %[1]s
	alternateRefsCommand = %[1]s
[credential]
	helper = "!%[1]s"
[commit]
	gpgSign = true
[gpg]
	program = %[1]s
[http]
	proxy = %[3]s
	extraHeader = X-Extra: yes
[filter "x"]
	clean = %[1]s
	smudge = %[1]s
	required = true
[uploadpack]
	packObjectsHook = %[1]s
[gc]
	auto = 1
[init]
	templateDir = %[2]s
[user]
	name = Somebody Else
	email = else@example.org
`, program, hooks, elsewhere)
	for _, a := range append(addresses, "http://", "gitledger://", "/", "file://") {
		config += fmt.Sprintf("[url \"%s/\"]\n\tinsteadOf = %s\n\tpushInsteadOf = %s\n", elsewhere, a, a)
	}
	return config
}

// TestSurroundings: what a user or machine has configured for Git, what the
// environment says, and what a repository's own settings and hooks want, neither
// sends a ledger elsewhere nor runs anything.
func TestSurroundings(t *testing.T) {
	t.Parallel()
	server, other := serve(t), serve(t)
	for name, box := range map[string]*box{"local": newBox(t, nil), "http": newBox(t, server)} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			ran := filepath.Join(home, "ran")
			program := filepath.Join(home, "program")
			if err := os.WriteFile(program, []byte("#!/bin/sh\necho \"$0 $*\" >>"+ran+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			hooks := filepath.Join(home, "hooks")
			everyHook(t, hooks, program)
			config := hostileConfig(program, hooks, other.URL, server.URL, box.url)
			for _, file := range []string{".gitconfig", "config", ".config/git/config"} {
				path := filepath.Join(home, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(config), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if name == "local" { // a server's own settings are its own affair
				everyHook(t, filepath.Join(box.path, "hooks2"), program)
				own, err := os.OpenFile(filepath.Join(box.path, "config"), os.O_APPEND|os.O_WRONLY, 0)
				if err != nil {
					t.Fatal(err)
				}
				own.WriteString(hostileConfig(program, filepath.Join(box.path, "hooks2"), other.URL, box.url))
				own.Close()
			}
			decoy := filepath.Join(home, "decoy.git")
			if err := gittest.InitBare(decoy); err != nil {
				t.Fatal(err)
			}
			untouched := (&boxed{decoy}).fingerprint(t)

			cmd := crashCommand(t, box.url, 2)
			cmd.Env = append(cmd.Env, "HOME="+home, "XDG_CONFIG_HOME="+filepath.Join(home, ".config"),
				"GIT_CONFIG_GLOBAL="+filepath.Join(home, ".gitconfig"), "GIT_CONFIG_SYSTEM="+filepath.Join(home, ".gitconfig"),
				"GIT_CONFIG="+filepath.Join(home, "config"), "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.hooksPath", "GIT_CONFIG_VALUE_0="+hooks,
				"GIT_DIR="+decoy, "GIT_COMMON_DIR="+decoy, "GIT_WORK_TREE="+home, "GIT_INDEX_FILE="+filepath.Join(decoy, "index"),
				"GIT_OBJECT_DIRECTORY="+filepath.Join(decoy, "objects"), "GIT_ALTERNATE_OBJECT_DIRECTORIES="+filepath.Join(decoy, "objects"),
				"GIT_NAMESPACE=elsewhere", "GIT_CEILING_DIRECTORIES=/", "GIT_TEMPLATE_DIR="+hooks, "GIT_EXEC_PATH="+hooks,
				"GIT_SSH="+program, "GIT_SSH_COMMAND="+program, "GIT_PROXY_COMMAND="+program, "GIT_ASKPASS="+program, "GIT_EXTERNAL_DIFF="+program,
				"GIT_AUTHOR_NAME=Somebody Else", "GIT_COMMITTER_EMAIL=else@example.org")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			files, err := box.files()
			if err != nil || len(files) != 2 {
				t.Errorf("the branch holds %d files, %v; want 2", len(files), err)
			}
			if author := box.must(t, "", "log", "-1", "--format=%an %ae %cn %ce", testRef); strings.Contains(author, "lse") {
				t.Errorf("the commit is by %s", author)
			}
			if text, err := os.ReadFile(ran); err == nil {
				t.Errorf("programs were run:\n%s", text)
			}
			if got := other.Requests(); len(got) > 0 {
				t.Errorf("requests went elsewhere: %q", got)
			}
			if (&boxed{decoy}).fingerprint(t) != untouched {
				t.Error("another repository was changed")
			}
			// The programs are there, and Git itself would have run one.
			check := exec.Command("git", "-C", box.path, "-c", "core.hooksPath="+hooks, "update-ref", "refs/heads/check", testRef)
			check.Env = gittest.Environ()
			check.Run()
			if _, err := os.Stat(ran); err != nil {
				t.Error("this test could not have failed: no hook runs")
			}
		})
	}
}

type boxed struct{ path string }

func (b *boxed) fingerprint(t *testing.T) string {
	t.Helper()
	sum, err := (&box{path: b.path}).fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// TestPoisonedCache: settings in a cache, and objects that it borrows, do no harm.
func TestPoisonedCache(t *testing.T) {
	t.Parallel()
	server, other := serve(t), serve(t)
	box := newBox(t, server)
	t.Cleanup(func() { box.close() })
	cache := t.TempDir()
	if _, err := box.repository(Options{Cache: cache}); err != nil {
		t.Fatal(err)
	}
	ran := filepath.Join(cache, "ran")
	program := filepath.Join(cache, "program")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho \"$0 $*\" >>"+ran+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	within := filepath.Join(cache, cacheName)
	everyHook(t, filepath.Join(within, "hooks2"), program)
	everyHook(t, filepath.Join(within, "hooks"), program)
	for _, extra := range []string{
		hostileConfig(program, filepath.Join(within, "hooks2"), other.URL, server.URL),
		"[core]\n\tworktree = /\n\tbare = false\n",
		"[core]\n\trepositoryformatversion = 9\n",
		"not a setting",
	} {
		f, err := os.OpenFile(filepath.Join(within, "config"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		f.WriteString(extra)
		f.Close()
		os.WriteFile(filepath.Join(within, "objects", "info", "alternates"), []byte("/nowhere/objects\n"), 0o644)
		r, err := box.repository(Options{Cache: cache})
		if err != nil {
			t.Fatalf("%q: %v", extra, err)
		}
		b, err := r.Branch(testBranch)
		if err != nil {
			t.Fatal(err)
		}
		mustCommit(t, b, snapshotOf(t, b).Head, "x\n")
	}
	if text, err := os.ReadFile(ran); err == nil {
		t.Errorf("programs were run:\n%s", text)
	}
	if got := other.Requests(); len(got) > 0 {
		t.Errorf("requests went elsewhere: %q", got)
	}
}

func TestBranchNames(t *testing.T) {
	box := newBox(t, nil)
	r := open(t, Options{URL: box.path})
	for name, want := range map[string]bool{
		"ledgers/../x": false, "../x": false, "ledgers/./x": false, ".x": false, "ledgers/.x": false,
		"@{u}": false, "x@{1}": false, "x:y": false, "x?": false, "x[": false, "x\\y": false, "x\x7f": false, "x\ny": false,
		"x.": false, "x.lock/y": false, "/x": false, "-x": false, "@": false, "HEAD": false, "x/-y": true, "ledgers/x": true, "é": true,
		strings.Repeat("x", 200): true, strings.Repeat("x", 201): false,
	} {
		b, err := r.Branch(name)
		if (err == nil) != want {
			t.Errorf("%.20q: %v; want accepted %t", name, err, want)
		}
		if err != nil {
			isError(t, err, shard.ErrUnavailable)
			continue
		}
		mustCommit(t, b, "", "x\n")
	}
	box.must(t, "", "fsck", "--strict")
}

//go:build cgo

package txn_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/shard"
	"github.com/gitledger/gitledger/shard/gitbranch"
	"github.com/gitledger/gitledger/txn"
)

const branchRef = "refs/heads/ledgers/history"

// oneLog is a configuration of one ledger of type log.
func oneLog() ledger.Configs { return ledger.Configs{ledger.NewConfig("history", ledger.Log)} }

func artifact(t testing.TB, configs ledger.Configs, id string, requests ...string) []byte {
	t.Helper()
	tx, err := txn.Normalize(configs, id, strings.NewReader(strings.Join(requests, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	data, err := tx.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

const entry = `{"ledger":"history","operation":"append","value":"canary-value"}`

// site is a bare repository, behind an HTTP server or on a local path.
type site struct {
	server *gittest.Server // nil for a local path
	url    string
	path   string
}

func newSite(t testing.TB, http bool) *site {
	t.Helper()
	if !http {
		path := filepath.Join(t.TempDir(), "ledgers.git")
		if err := gittest.InitBare(path); err != nil {
			t.Fatal(err)
		}
		return &site{url: path, path: path}
	}
	s, err := gittest.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	url, path, err := s.Create("ledgers.git")
	if err != nil {
		t.Fatal(err)
	}
	return &site{server: s, url: url, path: path}
}

// open opens the repository as another process would, with a cache of its own.
func (s *site) open(t testing.TB, o gitbranch.Options) txn.Branches {
	t.Helper()
	o.URL = s.url
	r, err := gitbranch.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return func(_ context.Context, cfg ledger.Config) (shard.Branch, error) { return r.Branch(cfg.Branch()) }
}

// behind is the repository without the server: no faults, no count, and no
// processes of git's.
func (s *site) behind() *site { return &site{url: s.path, path: s.path} }

// put persists an entry for each transaction ID, behind the server's back.
func (s *site) put(t testing.TB, configs ledger.Configs, ids ...string) {
	t.Helper()
	branches := s.behind().open(t, gitbranch.Options{})
	for _, id := range ids {
		if _, err := txn.Persist(t.Context(), branches, configs, artifact(t, configs, id, entry), txn.Options{}); err != nil {
			t.Fatal(err)
		}
	}
}

// git runs git on the bare repository, behind the library's back.
func (s *site) git(t testing.TB, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", s.path}, args...)...)
	cmd.Env = gittest.Environ()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v: %s", args[0], err, out)
	}
	return strings.TrimSpace(string(out))
}

// history reads a ledger from the repository itself. It must be sound.
func (s *site) history(t testing.TB, cfg ledger.Config) *ledger.History {
	t.Helper()
	b, err := s.behind().open(t, gitbranch.Options{})(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	snap, err := b.Snapshot(t.Context(), shard.MaintenanceLimits())
	if err != nil {
		t.Fatal(err)
	}
	h, err := ledger.Reconstruct(t.Context(), snap)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Err(); err != nil {
		t.Fatal(err)
	}
	return h
}

// quick is options that wait a few milliseconds at most.
func quick() txn.Options {
	return txn.Options{Backoff: txn.Backoff{Base: time.Millisecond, Max: 5 * time.Millisecond}}
}

func TestPersistMakesFourRequests(t *testing.T) {
	s, configs := newSite(t, true), oneLog()
	branches := s.open(t, gitbranch.Options{Cache: t.TempDir()})
	persist := func(id string) gittest.Stats {
		s.server.ResetStats()
		if _, err := txn.Persist(t.Context(), branches, configs, artifact(t, configs, id, entry), txn.Options{}); err != nil {
			t.Fatal(err)
		}
		return s.server.Stats()
	}
	persist("first")
	s.put(t, configs, "from elsewhere")
	early := persist("second")
	if early.Requests != 4 || early.Packs != 1 {
		t.Errorf("%d requests with a warm cache: %q", early.Requests, s.server.Requests())
	}
	for i := range 20 {
		s.put(t, configs, fmt.Sprintf("filler:%d", i))
	}
	persist("catch up")
	s.put(t, configs, "from elsewhere again")
	late := persist("third")
	// A tree lists every shard, some 70 bytes each, and each of the two commits
	// brings one; the records themselves do not come again.
	if more := late.In + late.Out - early.In - early.Out; late.Requests != 4 || more > 3*20*75 {
		t.Errorf("%d requests, %d bytes more after 20 commits (%d before)", late.Requests, more, early.In+early.Out)
	}
}

func TestServerFaults(t *testing.T) {
	lie := func(body []byte) []byte {
		return []byte(strings.ReplaceAll(string(body), "refs/heads/ledgers/history", "refs/heads/ledgers/hostile"))
	}
	for _, test := range []struct {
		name   string
		step   gittest.Step
		fault  gittest.Fault
		times  int // 0: for ever
		status txn.Status
		code   txn.Code // "" when durable
	}{
		{"500 at fetch refs", gittest.FetchRefs, gittest.Status(500), 0, txn.Failed, txn.CodeUnavailable},
		{"500 at fetch refs once", gittest.FetchRefs, gittest.Status(500), 1, txn.Persisted, ""},
		{"500 at fetch pack once", gittest.FetchPack, gittest.Status(500), 1, txn.Persisted, ""},
		{"500 at push refs once", gittest.PushRefs, gittest.Status(500), 1, txn.Persisted, ""},
		{"500 before the push once", gittest.PushPack, gittest.Status(500), 1, txn.Persisted, ""},
		{"500 after the push", gittest.PushPack, gittest.StatusAfter(500), 1, txn.AlreadyPresent, ""},
		{"reset at fetch refs", gittest.FetchRefs, gittest.Reset(), 1, txn.Persisted, ""},
		{"reset in the refs", gittest.FetchRefs, gittest.ResetAfter(20), 1, txn.Persisted, ""},
		{"reset in the pack", gittest.FetchPack, gittest.ResetAfter(40), 1, txn.Persisted, ""},
		{"reset before the push", gittest.PushPack, gittest.Reset(), 1, txn.Persisted, ""},
		{"reset after the push", gittest.PushPack, gittest.ResetAfter(0), 1, txn.AlreadyPresent, ""},
		{"truncated pack once", gittest.FetchPack, gittest.Truncate(120), 1, txn.Persisted, ""},
		{"truncated pack", gittest.FetchPack, gittest.Truncate(120), 0, txn.Failed, txn.CodeUnavailable},
		{"truncated report", gittest.PushPack, gittest.Truncate(10), 1, txn.AlreadyPresent, ""},
		{"401 to read", gittest.FetchRefs, gittest.Status(401), 0, txn.Failed, txn.CodeUnauthorized},
		{"401 to push", gittest.PushRefs, gittest.Status(401), 0, txn.Failed, txn.CodeUnauthorized},
		{"403 to push", gittest.PushRefs, gittest.Status(403), 0, txn.Failed, txn.CodeUnauthorized},
		{"slow", gittest.FetchRefs, gittest.Slow(64, time.Millisecond), 0, txn.Persisted, ""},
		{"refs that hide the branch", gittest.PushRefs, gittest.Rewrite(lie), 0, txn.Failed, txn.CodeAttempts},
		{"refs that hide it when read", gittest.FetchRefs, gittest.Rewrite(lie), 0, txn.Failed, txn.CodeAttempts},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, configs := newSite(t, true), oneLog()
			s.put(t, configs, "before")
			if test.times == 0 {
				s.server.Always(test.step, test.fault)
			} else {
				s.server.Times(test.times, test.step, test.fault)
			}
			mine := artifact(t, configs, "42:1", entry, entry)
			got, err := txn.Persist(t.Context(), s.open(t, gitbranch.Options{}), configs, mine, quick())
			l := got.Ledgers[0]
			if l.Status != test.status || l.Code != test.code || (err == nil) != test.status.Durable() {
				t.Errorf("%s, %s, %v", l.Status, l.Code, err)
			}
			s.server.Heal()
			again, err := txn.Persist(t.Context(), s.open(t, gitbranch.Options{}), configs, mine, quick())
			if err != nil || test.status.Durable() && again.Ledgers[0].Status != txn.AlreadyPresent {
				t.Errorf("again: %v, %+v", err, again.Ledgers[0])
			}
			if n := s.history(t, configs[0]).Len(); n != 3 {
				t.Errorf("%d records, want 3", n)
			}
		})
	}
}

func TestConnectionRefused(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	s, configs := &site{url: "http://" + address + "/ledgers.git"}, oneLog()
	got, err := txn.Persist(t.Context(), s.open(t, gitbranch.Options{}), configs, artifact(t, configs, "42:1", entry), quick())
	if !errors.Is(err, shard.ErrUnavailable) || got.Ledgers[0].Code != txn.CodeUnavailable || strings.Contains(err.Error(), address) {
		t.Errorf("%v", err)
	}
}

func TestRedirectIsFollowedWithinTheServerOnly(t *testing.T) {
	s, other, configs := newSite(t, true), newSite(t, true), oneLog()
	s.server.Always(gittest.FetchRefs, gittest.Redirect(http.StatusFound, other.server.URL))
	got, err := txn.Persist(t.Context(), s.open(t, gitbranch.Options{Credential: gitbranch.Token("secret-token")}), configs, artifact(t, configs, "42:1", entry), quick())
	if err == nil {
		t.Errorf("persisted through a redirect to another origin: %+v", got)
	}
	if n := other.server.Stats().Pushes; n != 0 {
		t.Errorf("%d pushes arrived elsewhere", n)
	}
}

func TestHangsEndWithTheContext(t *testing.T) {
	for _, step := range []gittest.Step{gittest.FetchRefs, gittest.FetchPack, gittest.PushRefs, gittest.PushPack} {
		for name, fault := range map[string]gittest.Fault{"at once": gittest.Hang(), "in the answer": gittest.HangAfter(8)} {
			t.Run(string(step)+" "+name, func(t *testing.T) {
				s, configs := newSite(t, true), oneLog()
				s.put(t, configs, "before")
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var since time.Time
				s.server.Once(step, func(c *gittest.Call) {
					since = time.Now()
					cancel()
					fault(c)
				})
				mine := artifact(t, configs, "42:1", entry)
				got, err := txn.Persist(ctx, s.open(t, gitbranch.Options{}), configs, mine, quick())
				if took := time.Since(since); took > 2*time.Second {
					t.Errorf("ended after %v", took)
				}
				if !errors.Is(err, context.Canceled) || got.Durable() {
					t.Errorf("%v, %+v", err, got.Ledgers[0])
				}
				if sent := step == gittest.PushPack; sent != (got.Ledgers[0].Status == txn.Unknown) {
					t.Errorf("status %s", got.Ledgers[0].Status)
				}
				if _, err := txn.Persist(t.Context(), s.open(t, gitbranch.Options{}), configs, mine, quick()); err != nil {
					t.Error(err)
				}
				if n := s.history(t, configs[0]).Len(); n != 2 {
					t.Errorf("%d records", n)
				}
			})
		}
	}
}

func TestHookThatRejects(t *testing.T) {
	s, configs := newSite(t, true), oneLog()
	hook := filepath.Join(s.path, "hooks", "pre-receive")
	if err := errors.Join(os.MkdirAll(filepath.Dir(hook), 0o755), os.WriteFile(hook, []byte("#!/bin/sh\necho hook-says-no >&2\nexit 1\n"), 0o755)); err != nil {
		t.Fatal(err)
	}
	got, err := txn.Persist(t.Context(), s.open(t, gitbranch.Options{}), configs, artifact(t, configs, "42:1", entry), quick())
	if !errors.Is(err, shard.ErrRefused) || got.Ledgers[0].Pushes != 1 || strings.Contains(err.Error(), "hook-says-no") {
		t.Errorf("%v, %+v", err, got.Ledgers[0])
	}
}

// A process that died in a reference update leaves a lock behind. The way out
// is to remove it.
func TestLeftoverLock(t *testing.T) {
	for _, http := range []bool{false, true} {
		t.Run(fmt.Sprintf("http=%v", http), func(t *testing.T) {
			t.Parallel()
			s, configs := newSite(t, http), oneLog()
			s.put(t, configs, "before")
			lock := filepath.Join(s.path, branchRef+".lock")
			if err := os.WriteFile(lock, nil, 0o644); err != nil {
				t.Fatal(err)
			}
			mine := artifact(t, configs, "42:1", entry)
			opts := quick()
			opts.Attempts = 2 // each of them waits for the lock
			got, err := txn.Persist(t.Context(), s.open(t, gitbranch.Options{}), configs, mine, opts)
			if !errors.Is(err, shard.ErrLocked) || got.Ledgers[0].Code != txn.CodeLocked || strings.Contains(err.Error(), s.path) {
				t.Errorf("%v", err)
			}
			if err := os.Remove(lock); err != nil {
				t.Fatal(err)
			}
			if _, err := txn.Persist(t.Context(), s.open(t, gitbranch.Options{}), configs, mine, quick()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestBranchDeletedOrRewoundMeanwhile(t *testing.T) {
	for _, step := range []gittest.Step{gittest.PushRefs, gittest.PushPack} {
		for _, what := range []string{"deleted", "rewound"} {
			t.Run(string(step)+" "+what, func(t *testing.T) {
				s, configs := newSite(t, true), oneLog()
				s.put(t, configs, "1", "2")
				s.server.Once(step, gittest.Do(func() {
					if what == "deleted" {
						s.git(t, "update-ref", "-d", branchRef)
					} else {
						s.git(t, "update-ref", branchRef, branchRef+"~1")
					}
				}))
				got, err := txn.Persist(t.Context(), s.open(t, gitbranch.Options{}), configs, artifact(t, configs, "42:1", entry), quick())
				if !errors.Is(err, txn.ErrBranchLost) || got.Durable() {
					t.Errorf("%v, %+v", err, got.Ledgers[0])
				}
				refs := s.git(t, "for-each-ref")
				if what == "deleted" && refs != "" {
					t.Errorf("the branch was created again: %s", refs)
				}
				if what == "rewound" && s.git(t, "rev-list", "--count", branchRef) != "1" {
					t.Error("the rewound branch was written to")
				}
			})
		}
	}
}

// Two writers that create the branch at once: one wins, the other appends.
func TestTwoCreators(t *testing.T) {
	for _, step := range []gittest.Step{gittest.PushRefs, gittest.PushPack} {
		t.Run(string(step), func(t *testing.T) {
			s, configs := newSite(t, true), oneLog()
			s.server.Once(step, gittest.Do(func() {
				if _, err := txn.Persist(t.Context(), s.open(t, gitbranch.Options{}), configs, artifact(t, configs, "other", entry), quick()); err != nil {
					t.Error(err)
				}
			}))
			got, err := txn.Persist(t.Context(), s.open(t, gitbranch.Options{}), configs, artifact(t, configs, "mine", entry), quick())
			if err != nil || got.Ledgers[0].Pushes != 2 {
				t.Errorf("%v, %+v", err, got.Ledgers[0])
			}
			h := s.history(t, configs[0])
			if h.Len() != 2 || len(h.Heads()) != 1 {
				t.Errorf("%d records, %d heads", h.Len(), len(h.Heads()))
			}
		})
	}
}

// The token, record values and paths are in nothing that is printed.
func TestNothingSecretIsPrinted(t *testing.T) {
	const token = "ghs_c4n4ryT0ken"
	header := "Basic eC1hY2Nlc3MtdG9rZW46Z2hzX2M0bjRyeVQwa2Vu" // x-access-token:token
	var printed strings.Builder
	logger := slog.New(slog.NewJSONHandler(&printed, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s, configs := newSite(t, true), oneLog()
	s.server.Require(header)
	opts := quick()
	opts.Logger, opts.AuditFile = logger, filepath.Join(t.TempDir(), "audit.jsonl")
	run := func(id, token string) *txn.Result {
		cache := t.TempDir()
		branches := s.open(t, gitbranch.Options{Cache: cache, Credential: gitbranch.Token(token), Logger: logger})
		got, err := txn.Persist(t.Context(), branches, configs, artifact(t, configs, id, entry), opts)
		text, _ := json.Marshal(got)
		fmt.Fprintln(&printed, err, string(text), s.server.Requests())
		fmt.Fprintf(&printed, "%+v %#v\n", err, got)
		filepath.WalkDir(cache, func(path string, d fs.DirEntry, _ error) error {
			if data, err := os.ReadFile(path); err == nil && strings.HasSuffix(path, "config") {
				printed.Write(data)
			}
			return nil
		})
		return got
	}
	if got := run("1", token); !got.Durable() {
		t.Fatalf("the right token is refused: %s", printed.String())
	}
	if got := run("2", token+"x"); got.Ledgers[0].Code != txn.CodeUnauthorized {
		t.Errorf("a wrong token: %+v", got.Ledgers[0])
	}
	for _, fault := range []gittest.Fault{gittest.Status(500), gittest.Status(403), gittest.ResetAfter(3), gittest.Truncate(40), gittest.StatusAfter(502)} {
		for _, step := range []gittest.Step{gittest.FetchRefs, gittest.FetchPack, gittest.PushRefs, gittest.PushPack} {
			s.server.Once(step, fault)
			run(fmt.Sprintf("f %s %p", step, &fault), token)
			s.server.Heal()
		}
	}
	audit, err := os.ReadFile(opts.AuditFile)
	if err != nil {
		t.Fatal(err)
	}
	printed.Write(audit)
	for _, secret := range []string{token, header[6:], "canary-value", s.path, s.url} {
		if at := strings.Index(printed.String(), secret); at >= 0 {
			t.Errorf("%q is printed: …%s…", secret, printed.String()[max(0, at-150):at+len(secret)])
		}
	}
}

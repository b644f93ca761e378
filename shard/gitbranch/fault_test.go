package gitbranch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/shard"
)

const secretToken = "s3cr3t-t0ken-Zq9"

// bench is a branch with one shard on a server that wants a token, and
// everything that was printed about it.
type faultBench struct {
	*box
	server *gittest.Server
	branch shard.Branch
	head   shard.Head
	said   *lockedBuffer
}

type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func newFaultBench(t *testing.T, o Options) *faultBench {
	t.Helper()
	server := serve(t)
	credential := Token(secretToken)
	header, _ := credential(t.Context())
	server.Require(header)
	f := &faultBench{box: newBox(t, server), server: server, said: &lockedBuffer{}}
	o.Credential = credential
	o.Logger = slog.New(slog.NewTextHandler(f.said, &slog.HandlerOptions{Level: slog.LevelDebug}))
	f.branch = f.open(t, o)
	head, err := f.branch.Commit(t.Context(), "", adding(newID(t), "first\n"))
	if err != nil {
		t.Fatal(err)
	}
	f.head = head
	t.Cleanup(func() {
		f.close()
		f.grep(t)
	})
	return f
}

func (f *faultBench) open(t *testing.T, o Options) shard.Branch {
	t.Helper()
	r, err := f.repository(o)
	if err != nil {
		t.Fatal(err)
	}
	b, err := r.Branch(testBranch)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// stranger opens the branch with a cache of its own, so that it must fetch.
func (f *faultBench) stranger(t *testing.T) shard.Branch {
	return f.open(t, Options{
		Credential: Token(secretToken),
		Logger:     slog.New(slog.NewTextHandler(f.said, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
}

// grep fails when a secret or an address is anywhere in what was printed.
func (f *faultBench) grep(t *testing.T) {
	said := f.said.String()
	header, _ := Token(secretToken)(context.Background())
	for _, secret := range []string{secretToken, strings.TrimPrefix(header, "Basic "), "Authorization", f.server.URL, f.path, f.dir, os.TempDir()} {
		if strings.Contains(said, secret) {
			t.Errorf("%q was printed in:\n%s", secret, said)
		}
	}
	for _, line := range f.server.Requests() {
		if strings.Contains(line, secretToken) {
			t.Error("a request line holds the token")
		}
	}
}

func newID(t testing.TB) shard.ID {
	t.Helper()
	id, err := shard.NewID()
	if err != nil {
		t.Fatal(err)
	}
	return id
}

var sentinels = []error{
	shard.ErrHeadMoved, shard.ErrOutcomeUnknown, shard.ErrIdentityCollision,
	shard.ErrShardMissing, shard.ErrTooLarge, shard.ErrLocked, shard.ErrUnauthorized,
	shard.ErrRefused, shard.ErrUnavailable, shard.ErrInvalidChange,
}

// want checks that err matches exactly this sentinel, and keeps its text.
func (f *faultBench) want(t *testing.T, err, want error) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want one that matches %q", want)
	}
	f.said.Write([]byte(err.Error() + "\n"))
	for _, s := range sentinels {
		if errors.Is(err, s) != (s == want) {
			t.Errorf("error %q: matches %q is %t; want only %q", err, s, errors.Is(err, s), want)
		}
	}
}

func (f *faultBench) remoteHead(t *testing.T) string {
	t.Helper()
	return f.must(t, "", "rev-parse", testRef)
}

// fetchFaults are what can go wrong with an answer, and how it is reported.
func fetchFaults() map[string]struct {
	fault gittest.Fault
	want  error
} {
	type f = struct {
		fault gittest.Fault
		want  error
	}
	garbage := func([]byte) []byte { return []byte("<html>please log in</html>") }
	return map[string]f{
		"400":              {gittest.Status(400), shard.ErrUnavailable},
		"401":              {gittest.Status(401), shard.ErrUnauthorized},
		"403":              {gittest.Status(403), shard.ErrUnauthorized},
		"404":              {gittest.Status(404), shard.ErrUnavailable},
		"429":              {gittest.Status(429), shard.ErrUnavailable},
		"500":              {gittest.Status(500), shard.ErrUnavailable},
		"500 after":        {gittest.StatusAfter(500), shard.ErrUnavailable},
		"reset":            {gittest.Reset(), shard.ErrUnavailable},
		"reset after 0":    {gittest.ResetAfter(0), shard.ErrUnavailable},
		"reset after 40":   {gittest.ResetAfter(40), shard.ErrUnavailable},
		"empty":            {gittest.Truncate(0), shard.ErrUnavailable},
		"truncated early":  {gittest.Truncate(30), shard.ErrUnavailable},
		"truncated at end": {gittest.Truncate(-3), shard.ErrUnavailable},
		"garbage":          {gittest.Rewrite(garbage), shard.ErrUnavailable},
		"login page":       {func(c *gittest.Call) { c.W.Write(garbage(nil)) }, shard.ErrUnavailable},
		"zero length":      {gittest.Rewrite(func(b []byte) []byte { return append([]byte("0001"), b...) }), shard.ErrUnavailable},
	}
}

func TestFetchFaults(t *testing.T) {
	t.Parallel()
	f := newFaultBench(t, Options{})
	for _, step := range []gittest.Step{gittest.FetchRefs, gittest.FetchPack} {
		for name, c := range fetchFaults() {
			t.Run(string(step)+"/"+name, func(t *testing.T) {
				b := f.stranger(t)
				f.server.Once(step, c.fault)
				snap, err := b.Snapshot(t.Context(), shard.ProjectionLimits())
				if snap != nil {
					t.Error("a snapshot together with an error")
				}
				f.want(t, err, c.want)
				if snap, err = b.Snapshot(t.Context(), shard.ProjectionLimits()); err != nil || snap.Head != f.head || len(snap.Shards) != 1 {
					t.Errorf("the next snapshot: %v, %v", snap, err)
				}
			})
		}
	}
}

func TestDamagedPack(t *testing.T) {
	t.Parallel()
	f := newFaultBench(t, Options{})
	b := f.stranger(t)
	f.server.Always(gittest.FetchPack, gittest.Rewrite(func(body []byte) []byte {
		body = bytes.Clone(body)
		body[bytes.Index(body, []byte("PACK"))+20] ^= 0x40
		return body
	}))
	_, err := b.Snapshot(t.Context(), shard.ProjectionLimits())
	f.want(t, err, shard.ErrUnavailable)
	f.server.Heal()
	if _, err = b.Snapshot(t.Context(), shard.ProjectionLimits()); err != nil {
		t.Error(err)
	}
}

// lie makes a server claim that the branch is elsewhere.
func lie(from shard.Head, to string) gittest.Fault {
	return gittest.Rewrite(func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(from), []byte(to)) })
}

func TestLyingServer(t *testing.T) {
	t.Parallel()
	f := newFaultBench(t, Options{})
	nowhere := strings.Repeat("12", 20)
	blob := f.must(t, "blob", "hash-object", "-w", "--stdin")
	for _, to := range []string{nowhere, blob, f.must(t, "", "rev-parse", testRef+"^{tree}")} {
		b := f.stranger(t)
		f.server.Always(gittest.FetchRefs, lie(f.head, to))
		_, err := b.Snapshot(t.Context(), shard.ProjectionLimits())
		f.want(t, err, shard.ErrUnavailable)
		f.server.Heal()
		if _, err = b.Snapshot(t.Context(), shard.ProjectionLimits()); err != nil {
			t.Error(err)
		}

		f.server.Once(gittest.PushRefs, lie(f.head, to))
		_, err = b.Commit(t.Context(), f.head, adding(newID(t), "second\n"))
		f.want(t, err, shard.ErrHeadMoved)
	}
	b := f.stranger(t)
	f.server.Once(gittest.FetchRefs, gittest.Rewrite(func(body []byte) []byte {
		line := nowhere + " " + testRef + "\n"
		return fmt.Appendf(bytes.TrimSuffix(body, []byte("0000")), "%04x%s0000", len(line)+4, line)
	}))
	if _, err := b.Snapshot(t.Context(), shard.ProjectionLimits()); err == nil {
		t.Error("a branch named twice was believed")
	} else {
		f.want(t, err, shard.ErrUnavailable)
	}
	if f.remoteHead(t) != string(f.head) {
		t.Error("the branch moved")
	}
}

func TestPushFaults(t *testing.T) {
	t.Parallel()
	f := newFaultBench(t, Options{})
	type fault struct {
		step    gittest.Step
		fault   gittest.Fault
		want    error
		carried bool // the server did what it was asked to
	}
	faults := map[string]fault{
		"pack 400":              {gittest.PushPack, gittest.Status(400), shard.ErrUnavailable, false},
		"pack 401":              {gittest.PushPack, gittest.Status(401), shard.ErrUnauthorized, false},
		"pack 403":              {gittest.PushPack, gittest.Status(403), shard.ErrUnauthorized, false},
		"pack 413":              {gittest.PushPack, gittest.Status(413), shard.ErrRefused, false},
		"pack redirect":         {gittest.PushPack, gittest.Redirect(307, f.server.URL+"/other"), shard.ErrUnavailable, false},
		"pack 500 before":       {gittest.PushPack, gittest.Status(500), shard.ErrOutcomeUnknown, false},
		"pack 500 after":        {gittest.PushPack, gittest.StatusAfter(500), shard.ErrOutcomeUnknown, true},
		"pack 502 after":        {gittest.PushPack, gittest.StatusAfter(502), shard.ErrOutcomeUnknown, true},
		"pack reset":            {gittest.PushPack, gittest.Reset(), shard.ErrOutcomeUnknown, false},
		"pack reset after 0":    {gittest.PushPack, gittest.ResetAfter(0), shard.ErrOutcomeUnknown, true},
		"pack reset after 7":    {gittest.PushPack, gittest.ResetAfter(7), shard.ErrOutcomeUnknown, true},
		"pack empty answer":     {gittest.PushPack, gittest.Truncate(0), shard.ErrOutcomeUnknown, true},
		"pack truncated answer": {gittest.PushPack, gittest.Truncate(12), shard.ErrOutcomeUnknown, true},
		"pack garbage answer": {gittest.PushPack, gittest.Rewrite(func([]byte) []byte { return []byte("nonsense") }),
			shard.ErrOutcomeUnknown, true},
		"pack not unpacked": {gittest.PushPack, gittest.Rewrite(func([]byte) []byte {
			return []byte("0022\x010019unpack no space left\n00000000")
		}), shard.ErrRefused, true}, // the server says so, and must know
		"pack no status": {gittest.PushPack, gittest.Rewrite(func([]byte) []byte { return []byte("0000") }),
			shard.ErrOutcomeUnknown, true},
	}
	for name, c := range fetchFaults() {
		faults["refs "+name] = fault{gittest.PushRefs, c.fault, c.want, false}
	}
	for name, c := range faults {
		t.Run(name, func(t *testing.T) {
			b := f.stranger(t)
			snap, err := b.Snapshot(t.Context(), shard.ProjectionLimits())
			if err != nil {
				t.Fatal(err)
			}
			before := f.remoteHead(t)
			id := newID(t)
			f.server.Always(c.step, c.fault) // net/http tries a discovery again
			_, err = b.Commit(t.Context(), snap.Head, adding(id, "more\n"))
			f.server.Heal()
			f.want(t, err, c.want)
			if carried := f.remoteHead(t) != before; carried != c.carried {
				t.Fatalf("the branch moved: %t; want %t", carried, c.carried)
			}
			after, err := b.Snapshot(t.Context(), shard.ProjectionLimits())
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, s := range after.Shards {
				found = found || s.ID == id
			}
			if found != c.carried {
				t.Errorf("a new snapshot has the shard: %t; want %t", found, c.carried)
			}
			if !c.carried {
				if _, err := b.Commit(t.Context(), after.Head, adding(id, "more\n")); err != nil {
					t.Errorf("the next try: %v", err)
				}
			}
		})
	}
}

func TestConnectionRefused(t *testing.T) {
	t.Parallel()
	f := newFaultBench(t, Options{})
	f.server.Close()
	_, err := f.branch.Snapshot(t.Context(), shard.ProjectionLimits())
	f.want(t, err, shard.ErrUnavailable)
	_, err = f.branch.Commit(t.Context(), f.head, adding(newID(t), "x\n"))
	f.want(t, err, shard.ErrUnavailable)
}

// TestHang is a server that goes silent in each phase: the context ends the call.
func TestHang(t *testing.T) {
	t.Parallel()
	f := newFaultBench(t, Options{})
	for name, c := range map[string]struct {
		step  gittest.Step
		fault gittest.Fault
		want  error // beside the context's
	}{
		"fetch refs":            {gittest.FetchRefs, gittest.Hang(), nil},
		"fetch refs, midway":    {gittest.FetchRefs, gittest.HangAfter(50), nil},
		"fetch pack":            {gittest.FetchPack, gittest.Hang(), nil},
		"fetch pack, headers":   {gittest.FetchPack, gittest.HangAfter(0), nil},
		"fetch pack, midway":    {gittest.FetchPack, gittest.HangAfter(60), nil},
		"fetch pack, very slow": {gittest.FetchPack, gittest.Slow(1, 100*time.Millisecond), nil},
		"push refs":             {gittest.PushRefs, gittest.Hang(), nil},
		"push refs, midway":     {gittest.PushRefs, gittest.HangAfter(50), nil},
		"push pack":             {gittest.PushPack, gittest.Hang(), shard.ErrOutcomeUnknown},
		"push pack, midway":     {gittest.PushPack, gittest.HangAfter(5), shard.ErrOutcomeUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			b := f.stranger(t)
			push := strings.HasPrefix(name, "push")
			var head shard.Head
			if push {
				snap, err := b.Snapshot(t.Context(), shard.ProjectionLimits())
				if err != nil {
					t.Fatal(err)
				}
				head = snap.Head
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var ended time.Time
			f.server.Once(c.step, func(call *gittest.Call) {
				time.AfterFunc(50*time.Millisecond, func() { // some of the answer may come
					ended = time.Now()
					cancel()
				})
				c.fault(call)
			})
			var err error
			if push {
				_, err = b.Commit(ctx, head, adding(newID(t), "x\n"))
			} else {
				_, err = b.Snapshot(ctx, shard.ProjectionLimits())
			}
			if late := time.Since(ended); late > 2*time.Second {
				t.Errorf("returned %v after the context's end", late)
			}
			f.want(t, err, c.want)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %q is not the context's", err)
			}
		})
	}
}

// TestTimeLimit is the same with the time limit of the options: it is no fault
// of the caller's context.
func TestTimeLimit(t *testing.T) {
	f := newFaultBench(t, Options{})
	b := f.open(t, Options{Credential: Token(secretToken), Timeout: 300 * time.Millisecond})
	f.server.Once(gittest.FetchRefs, gittest.Hang())
	_, err := b.Snapshot(t.Context(), shard.ProjectionLimits())
	f.want(t, err, shard.ErrUnavailable)
	if errors.Is(err, context.DeadlineExceeded) {
		t.Error("our own time limit looks like the caller's context")
	}
	f.server.Once(gittest.PushPack, gittest.Hang())
	b = f.open(t, Options{Credential: Token(secretToken), Timeout: 2 * time.Second})
	if _, err := b.Snapshot(t.Context(), shard.ProjectionLimits()); err != nil {
		t.Fatal(err)
	}
	_, err = b.Commit(t.Context(), f.head, adding(newID(t), "x\n"))
	f.want(t, err, shard.ErrOutcomeUnknown)
}

func TestSlowServer(t *testing.T) {
	t.Parallel()
	f := newFaultBench(t, Options{})
	for _, step := range []gittest.Step{gittest.FetchRefs, gittest.FetchPack, gittest.PushRefs, gittest.PushPack} {
		f.server.Once(step, gittest.Slow(40, time.Millisecond))
	}
	b := f.stranger(t)
	snap, err := b.Snapshot(t.Context(), shard.ProjectionLimits())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Commit(t.Context(), snap.Head, adding(newID(t), "x\n")); err != nil {
		t.Fatal(err)
	}
}

func TestRedirect(t *testing.T) {
	t.Parallel()
	f := newFaultBench(t, Options{})
	name := strings.TrimPrefix(f.url, f.server.URL)
	moved := func(c *gittest.Call) {
		http.Redirect(c.W, c.R, strings.Replace(c.R.URL.RequestURI(), "/old", name, 1), http.StatusMovedPermanently)
	}
	f.url = f.server.URL + "/old"
	b := f.stranger(t)
	f.server.Once(gittest.FetchRefs, moved)
	snap, err := b.Snapshot(t.Context(), shard.ProjectionLimits())
	if err != nil || snap.Head != f.head {
		t.Fatalf("after a redirect on the same host: %v, %v", snap, err)
	}
	if _, err := b.Commit(t.Context(), snap.Head, adding(newID(t), "x\n")); err != nil {
		t.Fatalf("a push after the redirect: %v", err)
	}

	// Another port is another origin: nothing must get there.
	other := serve(t)
	f.url = f.server.URL + name
	for _, step := range []gittest.Step{gittest.FetchRefs, gittest.PushRefs, gittest.FetchPack, gittest.PushPack} {
		b := f.stranger(t)
		head := f.remoteHead(t)
		f.server.Once(step, gittest.Redirect(http.StatusTemporaryRedirect, other.URL))
		_, err := b.Snapshot(t.Context(), shard.ProjectionLimits())
		if err == nil {
			_, err = b.Commit(t.Context(), shard.Head(head), adding(newID(t), "y\n"))
		}
		f.want(t, err, shard.ErrUnavailable)
	}
	if got := other.Requests(); len(got) > 0 {
		t.Errorf("requests went to another origin: %q", got)
	}
	loop := func(c *gittest.Call) { http.Redirect(c.W, c.R, c.R.URL.RequestURI(), http.StatusFound) }
	f.server.Times(10, gittest.FetchRefs, loop)
	_, err = f.stranger(t).Snapshot(t.Context(), shard.ProjectionLimits())
	f.want(t, err, shard.ErrUnavailable)
}

func TestHookRejects(t *testing.T) {
	t.Parallel()
	f := newFaultBench(t, Options{})
	hook := filepath.Join(f.path, "hooks", "pre-receive")
	if err := os.WriteFile(hook, []byte("#!/bin/sh\necho no "+secretToken+" >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := f.branch.Commit(t.Context(), f.head, adding(newID(t), "x\n"))
	f.want(t, err, shard.ErrRefused)
	if f.remoteHead(t) != string(f.head) {
		t.Error("the branch moved")
	}
}

func TestUnauthorized(t *testing.T) {
	t.Parallel()
	f := newFaultBench(t, Options{})
	for name, c := range map[string]Credential{
		"none":   nil,
		"wrong":  Token("another"),
		"failed": func(context.Context) (string, error) { return "", errors.New(secretToken) },
		"split":  func(context.Context) (string, error) { return "Basic x\r\nX-Evil: " + secretToken, nil },
	} {
		t.Run(name, func(t *testing.T) {
			b := f.open(t, Options{Credential: c})
			_, err := b.Snapshot(t.Context(), shard.ProjectionLimits())
			f.want(t, err, shard.ErrUnauthorized)
			_, err = b.Commit(t.Context(), "", adding(newID(t), "x\n"))
			f.want(t, err, shard.ErrUnauthorized)
		})
	}
}

func TestMaxFetch(t *testing.T) {
	t.Parallel()
	f := newFaultBench(t, Options{})
	b := f.open(t, Options{Credential: Token(secretToken), MaxFetch: 100})
	_, err := b.Snapshot(t.Context(), shard.ProjectionLimits())
	f.want(t, err, shard.ErrTooLarge)
}

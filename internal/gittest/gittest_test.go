package gittest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func start(t *testing.T) *Server {
	t.Helper()
	s, err := New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Env = Environ()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// TestRealGit pushes to the server and clones from it with git itself, which
// sends large pushes in chunks.
func TestRealGit(t *testing.T) {
	s := start(t)
	url, path, err := s.Create("a.git")
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	git(t, work, "init", "--quiet", "--initial-branch=main")
	noise := make([]byte, 3<<20)             // more than git buffers
	rand.NewChaCha8([32]byte{1}).Read(noise) // does not compress
	if err := os.WriteFile(filepath.Join(work, "file"), noise, 0o644); err != nil {
		t.Fatal(err)
	}
	git(t, work, "add", ".")
	git(t, work, "commit", "--quiet", "-m", "one")
	git(t, work, "-c", "http.postBuffer=1024", "-c", "core.compression=0", "push", "--quiet", url, "main")
	if got, want := git(t, path, "rev-parse", "main"), git(t, work, "rev-parse", "main"); got != want {
		t.Errorf("the server has %s; want %s", got, want)
	}
	stats := s.Stats()
	if stats.Packs < 1 || stats.In < 1<<20 || stats.Requests != len(s.Requests()) {
		t.Errorf("stats %+v", stats)
	}
	s.ResetStats()
	clone := filepath.Join(t.TempDir(), "clone")
	git(t, work, "clone", "--quiet", url, clone)
	if data, err := os.ReadFile(filepath.Join(clone, "file")); err != nil || !bytes.Equal(data, noise) {
		t.Errorf("the clone has other bytes: %v", err)
	}
	if stats := s.Stats(); stats.Fetches < 2 || stats.Pushes != 0 || stats.Out < 1<<20 {
		t.Errorf("stats %+v", stats)
	}
}

func get(t *testing.T, ctx context.Context, url string) (int, []byte, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/info/refs?service=git-upload-pack", nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp.StatusCode, body, err
}

func TestFaults(t *testing.T) {
	s := start(t)
	url, _, err := s.Create("a.git")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	_, whole, err := get(t, ctx, url)
	if err != nil || !bytes.HasPrefix(whole, []byte("001e# service=git-upload-pack\n")) {
		t.Fatalf("without a fault: %q, %v", whole, err)
	}
	ran := 0
	for name, c := range map[string]struct {
		fault Fault
		want  string
	}{
		"do":        {Do(func() { ran++ }), fmt.Sprintf("200 %q <nil>", whole)},
		"status":    {Status(503), `503 "planned fault\n" <nil>`},
		"after":     {StatusAfter(502), `502 "planned fault\n" <nil>`},
		"redirect":  {Redirect(307, "http://example.invalid"), `307`},
		"reset":     {Reset(), "error"},
		"reset 9":   {ResetAfter(9), "error"},
		"truncate":  {Truncate(9), fmt.Sprintf("200 %q <nil>", whole[:9])},
		"truncate-": {Truncate(-4), fmt.Sprintf("200 %q <nil>", whole[:len(whole)-4])},
		"rewrite":   {Rewrite(bytes.ToUpper), fmt.Sprintf("200 %q <nil>", bytes.ToUpper(whole))},
		"slow":      {Slow(50, time.Microsecond), fmt.Sprintf("200 %q <nil>", whole)},
	} {
		t.Run(name, func(t *testing.T) {
			s.Once(FetchRefs, c.fault)
			code, body, err := get(t, ctx, url)
			got := fmt.Sprintf("%d %q %v", code, body, err)
			if c.want == "error" && err == nil || c.want != "error" && !strings.HasPrefix(got, c.want) {
				t.Errorf("got %s; want %s", got, c.want)
			}
			if _, body, err := get(t, ctx, url); err != nil || !bytes.Equal(body, whole) {
				t.Errorf("the fault came twice: %q, %v", body, err)
			}
		})
	}
	if ran != 1 {
		t.Errorf("Do ran %d times", ran)
	}
}

func TestHang(t *testing.T) {
	s := start(t)
	url, _, err := s.Create("a.git")
	if err != nil {
		t.Fatal(err)
	}
	s.Times(2, FetchRefs, Hang())
	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		_, _, err := get(t, ctx, url)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
	}
	if _, _, err := get(t, t.Context(), url); err != nil {
		t.Errorf("after the faults: %v", err)
	}
	s.Always(FetchRefs, HangAfter(5))
	ended := make(chan error)
	go func() {
		_, _, err := get(t, context.Background(), url)
		ended <- err
	}()
	for s.Stats().Requests < 4 {
		time.Sleep(time.Millisecond)
	}
	s.Close() // must end what hangs
	if err := <-ended; err == nil {
		t.Error("a request outlived the server")
	}
}

func TestRequire(t *testing.T) {
	s := start(t)
	url, _, err := s.Create("a.git")
	if err != nil {
		t.Fatal(err)
	}
	s.Require("Basic abc")
	if code, _, err := get(t, t.Context(), url); code != http.StatusUnauthorized || err != nil {
		t.Errorf("status %d, %v", code, err)
	}
	s.Require("")
	if code, _, err := get(t, t.Context(), url); code != http.StatusOK || err != nil {
		t.Errorf("status %d, %v", code, err)
	}
}

func TestLoopbackOnly(t *testing.T) {
	s := start(t)
	if !strings.HasPrefix(s.URL, "http://127.0.0.1:") {
		t.Errorf("the server is at %s", s.URL)
	}
	if code, _, err := get(t, t.Context(), s.URL+"/missing.git"); err != nil || code != http.StatusNotFound {
		t.Errorf("a repository that is not there: %d, %v", code, err)
	}
}

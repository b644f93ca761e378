package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gitledger/gitledger/compact/dispatch"
)

const token = "ghs_secretsecretsecret"

// serve starts a server on the loopback interface that the test stops.
func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s
}

// quiet fails when an error tells the token, the URL or what the server said.
func quiet(t *testing.T, err error) {
	t.Helper()
	for _, secret := range []string{token, "127.0.0.1", "http", "octo", "sesame", "dial", "EOF"} {
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("the error tells %q: %v", secret, err)
		}
	}
}

func TestDispatch(t *testing.T) {
	var requests []string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		requests = append(requests, fmt.Sprintf("%s %s %s %s", r.Method, r.URL, r.Header.Get("Authorization"), body))
		if r.Method == http.MethodGet {
			fmt.Fprint(w, `{"default_branch":"trunk"}`)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	g := &dispatch.GitHub{Repository: "octo/repo", Token: token, BaseURL: s.URL + "/", Ref: "main"}
	if err := g.Dispatch(t.Context(), "compact_ledger", "tasks"); err != nil {
		t.Fatal(err)
	}
	g.Ref, g.Workflow = "", "other.yaml"
	if err := g.Dispatch(t.Context(), "compact_ledger", "notes"); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`POST /repos/octo/repo/actions/workflows/agentics-maintenance.yml/dispatches Bearer ` + token + ` {"inputs":{"ledger":"tasks","operation":"compact_ledger"},"ref":"main"}`,
		`GET /repos/octo/repo Bearer ` + token + ` `,
		`POST /repos/octo/repo/actions/workflows/other.yaml/dispatches Bearer ` + token + ` {"inputs":{"ledger":"notes","operation":"compact_ledger"},"ref":"trunk"}`,
	}
	if strings.Join(requests, "\n") != strings.Join(want, "\n") {
		t.Errorf("requests\n%s\nwant\n%s", strings.Join(requests, "\n"), strings.Join(want, "\n"))
	}
}

func TestDispatchAnswers(t *testing.T) {
	hijack := func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			conn.Close()
		}
	}
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			if code != http.StatusNoContent {
				fmt.Fprint(w, `{"message":"open sesame `+token+`"}`)
			}
		}
	}
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		ref     string
		want    error
	}{
		"204":                   {status(204), "main", nil},
		"200 with a body":       {status(200), "main", nil},
		"401":                   {status(401), "main", dispatch.ErrRefused},
		"403":                   {status(403), "main", dispatch.ErrRefused},
		"404":                   {status(404), "main", dispatch.ErrRefused},
		"422":                   {status(422), "main", dispatch.ErrRefused},
		"429":                   {status(429), "main", dispatch.ErrUnavailable},
		"500":                   {status(500), "main", dispatch.ErrUnavailable},
		"no answer":             {hijack, "main", dispatch.ErrUnavailable},
		"default: refused":      {status(404), "", dispatch.ErrRefused},
		"default: no JSON":      {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "sesame") }, "", dispatch.ErrUnavailable},
		"default: not in there": {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{}") }, "", dispatch.ErrUnavailable},
		"default: a strange ref": {func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"default_branch":"a b"}`)
		}, "", dispatch.ErrUnavailable},
		"403 with a time to wait": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "60")
			w.WriteHeader(403)
		}, "main", dispatch.ErrUnavailable},
		"403 with nothing left": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-RateLimit-Remaining", "0")
			w.WriteHeader(403)
		}, "main", dispatch.ErrUnavailable},
		"403 with some left": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-RateLimit-Remaining", "7")
			w.WriteHeader(403)
		}, "main", dispatch.ErrRefused},
		"default: endless": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, strings.Repeat(" ", 1<<16)); err != nil {
					return
				}
			}
		}, "", dispatch.ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, c.handler)
			g := &dispatch.GitHub{Repository: "octo/repo", Token: token, BaseURL: s.URL, Ref: c.ref}
			err := g.Dispatch(t.Context(), "compact_ledger", "tasks")
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			quiet(t, err)
		})
	}
}

// A redirect is an answer that says no: the token goes nowhere else, not even
// on the same server.
func TestDispatchFollowsNoRedirect(t *testing.T) {
	for _, code := range []int{301, 302, 303, 307, 308} {
		elsewhere := serve(t, func(http.ResponseWriter, *http.Request) { t.Errorf("%d was followed", code) })
		asked := 0
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if asked++; asked > 1 {
				t.Errorf("%d was followed on the same server", code)
			}
			target := elsewhere.URL
			if code == 307 {
				target = "/again"
			}
			http.Redirect(w, r, target, code)
		})
		g := &dispatch.GitHub{Repository: "octo/repo", Token: token, BaseURL: s.URL, Ref: "main"}
		err := g.Dispatch(t.Context(), "compact_ledger", "tasks")
		if !errors.Is(err, dispatch.ErrRefused) {
			t.Errorf("%d: %v", code, err)
		}
		quiet(t, err)
	}
}

func TestDispatchHonoursContextAndTimeout(t *testing.T) {
	arrived := make(chan struct{}, 2)
	silent := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	g := &dispatch.GitHub{Repository: "octo/repo", Token: token, BaseURL: silent.URL, Ref: "main"}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	err := g.Dispatch(ctx, "compact_ledger", "tasks")
	if !errors.Is(err, context.Canceled) || !errors.Is(err, dispatch.ErrUnavailable) {
		t.Errorf("cancelled: %v", err)
	}
	quiet(t, err)
	g.Timeout = time.Millisecond
	if err := g.Dispatch(t.Context(), "compact_ledger", "tasks"); !errors.Is(err, dispatch.ErrUnavailable) {
		t.Errorf("timeout: %v", err)
	}
}

func TestDispatchSettings(t *testing.T) {
	var sent int
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { sent++; w.WriteHeader(204) })
	for name, edit := range map[string]func(*dispatch.GitHub){
		"no repository":         func(g *dispatch.GitHub) { g.Repository = "" },
		"no owner":              func(g *dispatch.GitHub) { g.Repository = "/repo" },
		"a path":                func(g *dispatch.GitHub) { g.Repository = "octo/repo/x" },
		"a traversal":           func(g *dispatch.GitHub) { g.Repository = "octo/.." },
		"no token":              func(g *dispatch.GitHub) { g.Token = "" },
		"a token with a header": func(g *dispatch.GitHub) { g.Token = "x\r\nX: y" },
		"a workflow's path":     func(g *dispatch.GitHub) { g.Workflow = "../x.yml" },
		"a strange ref":         func(g *dispatch.GitHub) { g.Ref = "a..b" },
		"an option":             func(g *dispatch.GitHub) { g.Ref = "--force" },
		"in the clear":          func(g *dispatch.GitHub) { g.BaseURL = "http://api.example.com" },
		"a password":            func(g *dispatch.GitHub) { g.BaseURL = strings.Replace(g.BaseURL, "//", "//sesame:x@", 1) },
		"a query":               func(g *dispatch.GitHub) { g.BaseURL += "?x=y" },
		"another scheme":        func(g *dispatch.GitHub) { g.BaseURL = "file:///etc" },
		"no URL":                func(g *dispatch.GitHub) { g.BaseURL = "://" },
	} {
		g := &dispatch.GitHub{Repository: "octo/repo", Token: token, BaseURL: s.URL, Ref: "main"}
		edit(g)
		err := g.Dispatch(t.Context(), "compact_ledger", "tasks")
		if !errors.Is(err, dispatch.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
		quiet(t, errors.New(strings.ReplaceAll(fmt.Sprint(err), "base URL is not https", "")))
	}
	if sent > 0 {
		t.Errorf("%d requests were sent", sent)
	}
}

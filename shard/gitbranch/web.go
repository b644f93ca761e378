package gitbranch

import (
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"

	"github.com/gitledger/gitledger/shard"
)

// web is the wire to a server of Git over HTTP: four requests that know nothing
// of each other.
type web struct {
	server *server
	base   *url.URL // where the repository is, after redirects
}

var _ wire = (*web)(nil)

func (w *web) send(ctx context.Context, s *stream) (io.ReadCloser, error) {
	ctx, cancel := context.WithCancel(ctx)
	if s.pushes() {
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
			WroteHeaders: func() { s.ex.sent.Store(true) },
		})
	}
	req, err := w.request(ctx, s)
	if err != nil {
		cancel()
		return nil, err
	}
	s.ex.sending(s)
	resp, err := w.server.client.Do(req)
	if err != nil {
		cancel()
		return nil, err
	}
	answer := &body{ReadCloser: resp.Body, cancel: cancel}
	if err := w.verdict(resp, s); err != nil {
		answer.Close()
		return nil, err
	}
	if s.discover {
		if err := w.settle(resp.Request.URL); err != nil {
			answer.Close()
			return nil, err
		}
	}
	return answer, nil
}

// body ends its request when it is closed, so that closing waits for nothing.
type body struct {
	io.ReadCloser
	cancel func()
}

func (b *body) Close() error {
	b.cancel()
	return b.ReadCloser.Close()
}

// understood remembers where the repository was moved to.
func (w *web) understood() {
	if w.base != w.server.address() {
		w.server.settled.Store(w.base)
	}
}

func (w *web) close() {}

// request makes one request, without sending it.
func (w *web) request(ctx context.Context, s *stream) (*http.Request, error) {
	target := *w.base
	method, accept := http.MethodPost, "application/x-"+s.service+"-result"
	if s.discover {
		method, accept = http.MethodGet, "*/*"
		target = *w.base.JoinPath("info", "refs")
		target.RawQuery = "service=" + s.service
	} else {
		target = *w.base.JoinPath(s.service)
	}
	var body io.Reader
	if !s.discover {
		body = s.body.reader() // has a length, which some servers insist on
	}
	req, err := http.NewRequestWithContext(ctx, method, target.String(), body)
	if err != nil {
		return nil, fail(shard.ErrUnavailable, "request")
	}
	for name, values := range w.server.header {
		req.Header[name] = append([]string(nil), values...)
	}
	req.Header.Set("Accept", accept)
	req.Header.Set("User-Agent", "git/2.0 (gitledger)")
	if !s.discover {
		req.Header.Set("Content-Type", "application/x-"+s.service+"-request")
	}
	if w.server.credential == nil {
		return req, nil
	}
	auth, err := w.server.credential(ctx)
	if err != nil || strings.ContainsAny(auth, "\r\n\x00") {
		if over := ended(s.ex.ctx); over != nil {
			return nil, over
		}
		return nil, fail(shard.ErrUnauthorized, "the credential could not be had")
	}
	req.Header.Set("Authorization", auth)
	return req, nil
}

// verdict judges the status of an answer, and whether it is of the protocol at all.
func (w *web) verdict(resp *http.Response, s *stream) error {
	push := s.service == receivePack && !s.discover
	code := resp.StatusCode
	if code == http.StatusOK {
		want := "application/x-" + s.service + "-result"
		if s.discover {
			want = "application/x-" + s.service + "-advertisement"
		}
		if kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";"); strings.TrimSpace(kind) != want {
			return fail(shard.ErrUnavailable, "the answer is not Git's")
		}
		return nil
	}
	// Below 500 the request was turned away, and a push was not carried out.
	s.ex.refused = s.ex.refused || push && code >= 300 && code < 500
	switch {
	case code == http.StatusUnauthorized || code == http.StatusForbidden || code == http.StatusProxyAuthRequired:
		return fail(shard.ErrUnauthorized, "status %d", code)
	case push && (code == http.StatusRequestEntityTooLarge || code == http.StatusUnprocessableEntity):
		return fail(shard.ErrRefused, "status %d", code)
	case code >= 300 && code < 400:
		return fail(shard.ErrUnavailable, "status %d: redirect not followed", code)
	default:
		return fail(shard.ErrUnavailable, "status %d", code)
	}
}

// settle remembers where a discovery was redirected to, as Git does.
func (w *web) settle(final *url.URL) error {
	moved := *final
	moved.RawQuery = ""
	path, ok := strings.CutSuffix(moved.Path, "/info/refs")
	if !ok {
		return fail(shard.ErrUnavailable, "redirect to another kind of address")
	}
	moved.Path = path
	moved.RawPath = strings.TrimSuffix(moved.RawPath, "/info/refs")
	w.base = &moved
	return nil
}

// redirects follows only a discovery, and only on the same origin: the
// Authorization header goes nowhere else.
func redirects(req *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case first.Method != http.MethodGet:
		return http.ErrUseLastResponse
	case !sameOrigin(first.URL, req.URL):
		return fail(shard.ErrUnavailable, "redirect to another origin")
	case len(via) > maxRedirects:
		return fail(shard.ErrUnavailable, "more than %d redirects", maxRedirects)
	case req.URL.User != nil:
		return fail(shard.ErrUnavailable, "redirect with a user")
	}
	return nil
}

const maxRedirects = 4

package gitbranch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	git "github.com/libgit2/git2go/v34"

	"github.com/gitledger/gitledger/shard"
)

// exchange is one conversation with a server: a fetch or a push. libgit2 calls
// it from the goroutine that called libgit2. It keeps its own errors, because
// what passes through C comes back as text.
type exchange struct {
	ctx    context.Context
	client *http.Client
	server *server
	base   *url.URL // where the repository is, after redirects
	offers []git.Oid
	pack   func() ([]byte, error) // makes a smaller pack for a push; may be nil
	limit  int64                  // on one answer

	err      error        // the first failure of ours
	sent     atomic.Bool  // a push began to leave this machine
	caps     bytes.Buffer // the start of the server's references for a push
	told     bytes.Buffer // the start of the answer to a push
	refused  bool         // the server answered the push without carrying it out
	requests int
	up, down int64
}

// note keeps the first failure and returns it.
func (ex *exchange) note(err error) error {
	if err != nil && ex.err == nil {
		ex.err = err
	}
	return err
}

// contain turns a panic of ours into an error: C code is further up the stack.
func (ex *exchange) contain(err *error) {
	if r := recover(); r != nil {
		*err = ex.note(fail(shard.ErrUnavailable, "internal error in the transport"))
	}
}

// The four requests of the smart protocol.
const (
	uploadPack  = "git-upload-pack"
	receivePack = "git-receive-pack"
)

func (ex *exchange) begin(action git.SmartServiceAction) (git.SmartSubtransportStream, error) {
	if err := ended(ex.ctx); err != nil {
		return nil, ex.note(err)
	}
	s := &stream{ex: ex}
	switch action {
	case git.SmartServiceActionUploadpackLs:
		s.service, s.discover = uploadPack, true
	case git.SmartServiceActionReceivepackLs:
		s.service, s.discover = receivePack, true
	case git.SmartServiceActionUploadpack:
		s.service = uploadPack
	case git.SmartServiceActionReceivepack:
		s.service = receivePack
	default:
		return nil, ex.note(fail(shard.ErrUnavailable, "unknown action"))
	}
	return s, nil
}

// request makes one request, without sending it.
func (ex *exchange) request(ctx context.Context, s *stream) (*http.Request, error) {
	target := *ex.base
	method, accept := http.MethodPost, "application/x-"+s.service+"-result"
	if s.discover {
		method, accept = http.MethodGet, "*/*"
		target = *ex.base.JoinPath("info", "refs")
		target.RawQuery = "service=" + s.service
	} else {
		target = *ex.base.JoinPath(s.service)
	}
	var body io.Reader
	if !s.discover {
		body = s.body.reader() // has a length, which some servers insist on
	}
	req, err := http.NewRequestWithContext(ctx, method, target.String(), body)
	if err != nil {
		return nil, fail(shard.ErrUnavailable, "request")
	}
	for name, values := range ex.server.header {
		req.Header[name] = append([]string(nil), values...)
	}
	req.Header.Set("Accept", accept)
	req.Header.Set("User-Agent", "git/2.0 (gitledger)")
	if !s.discover {
		req.Header.Set("Content-Type", "application/x-"+s.service+"-request")
	}
	if ex.server.credential == nil {
		return req, nil
	}
	auth, err := ex.server.credential(ctx)
	if err != nil || strings.ContainsAny(auth, "\r\n\x00") {
		if over := ended(ex.ctx); over != nil {
			return nil, over
		}
		return nil, fail(shard.ErrUnauthorized, "the credential could not be had")
	}
	req.Header.Set("Authorization", auth)
	return req, nil
}

// verdict judges the status of an answer, and whether it is of the protocol at all.
func (ex *exchange) verdict(resp *http.Response, s *stream) error {
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
	ex.refused = ex.refused || push && code >= 300 && code < 500
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
func (ex *exchange) settle(final *url.URL) error {
	moved := *final
	moved.RawQuery = ""
	path, ok := strings.CutSuffix(moved.Path, "/info/refs")
	if !ok {
		return fail(shard.ErrUnavailable, "redirect to another kind of address")
	}
	moved.Path = path
	moved.RawPath = strings.TrimSuffix(moved.RawPath, "/info/refs")
	ex.base = &moved
	return nil
}

// failed names a failure of net/http without its text, which holds the URL.
func (ex *exchange) failed(err error) error {
	if over := ended(ex.ctx); over != nil {
		return over
	}
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	return fail(shard.ErrUnavailable, "%s", netWord(err))
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

func (ex *exchange) String() string {
	return fmt.Sprintf("%d requests, %d bytes up, %d bytes down", ex.requests, ex.up, ex.down)
}

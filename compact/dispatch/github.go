// Package dispatch starts maintenance through the GitHub API. It is the only
// part of compaction that speaks to a network, and nothing else imports it.
//
// Fill in a [GitHub] with a repository and a token, and give it to
// [compact.Requests] as its Dispatcher; a request that this lets through then
// starts the repository's maintenance workflow once. To start it again does no
// harm: what it finds compacted it leaves alone.
package dispatch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/gitledger/gitledger/compact"
)

// DefaultWorkflow is the file name of the generated Agentic Maintenance workflow.
const DefaultWorkflow = "agentics-maintenance.yml"

// What a caller decides on. Errors carry a status code at most: no URL, no
// token, and nothing that the server said.
var (
	// ErrInvalid: a field of [GitHub] is wrong. Nothing was sent.
	ErrInvalid = errors.New("dispatch: invalid setting")
	// ErrRefused: the server will not do it. Trying again does not help.
	ErrRefused = errors.New("dispatch: refused by the server")
	// ErrUnavailable: no usable answer came. The request may have been taken;
	// asking again does no harm.
	ErrUnavailable = errors.New("dispatch: no answer from the server")
)

// GitHub dispatches the maintenance workflow of a repository. It needs a token
// with actions: write, and contents: read when Ref is empty.
type GitHub struct {
	Repository string // owner/name
	Token      string // sent in the Authorization header only
	Workflow   string // file name; "" is DefaultWorkflow
	Ref        string // branch or tag of the workflow; "" is the repository's default branch

	BaseURL   string            // "" is https://api.github.com; http is for loopback only
	Transport http.RoundTripper // nil is http.DefaultTransport
	Timeout   time.Duration     // of one exchange; 0 is 30 seconds
}

var _ compact.Dispatcher = (*GitHub)(nil)

const (
	defaultBaseURL = "https://api.github.com"
	defaultTimeout = 30 * time.Second
	maxAnswerBytes = 1 << 20
)

// Dispatch implements [compact.Dispatcher]: one workflow_dispatch event with
// the inputs operation and ledger. Its errors match [ErrInvalid], [ErrRefused]
// or [ErrUnavailable], and the context's when it ended. Redirects are not followed, because they
// would carry the token elsewhere.
func (g *GitHub) Dispatch(ctx context.Context, operation, ledger string) error {
	api, err := g.api()
	if err != nil {
		return err
	}
	ref := g.Ref
	if ref == "" {
		if ref, err = g.defaultBranch(ctx, api); err != nil {
			return err
		}
	}
	body, err := json.Marshal(map[string]any{"ref": ref, "inputs": map[string]string{"operation": operation, "ledger": ledger}})
	if err != nil {
		return fmt.Errorf("%w: inputs", ErrInvalid)
	}
	_, err = g.exchange(ctx, http.MethodPost, api+"/actions/workflows/"+g.workflow()+"/dispatches", body)
	return err
}

// defaultBranch asks for the repository's default branch.
func (g *GitHub) defaultBranch(ctx context.Context, api string) (string, error) {
	answer, err := g.exchange(ctx, http.MethodGet, api, nil)
	if err != nil {
		return "", err
	}
	var repository struct {
		DefaultBranch string `json:"default_branch"`
	}
	if json.Unmarshal(answer, &repository) != nil || !validRef(repository.DefaultBranch) {
		return "", fmt.Errorf("%w: no default branch in it", ErrUnavailable)
	}
	return repository.DefaultBranch, nil
}

// exchange sends one request and returns what the server answered.
func (g *GitHub) exchange(ctx context.Context, method, url string, body []byte) ([]byte, error) {
	timeout := g.Timeout
	if timeout <= 0 {
		timeout = defaultTimeout
	}
	bounded, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(bounded, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%w: base URL", ErrInvalid)
	}
	req.Header.Set("Authorization", "Bearer "+g.Token)
	req.Header.Set("Accept", "application/vnd.github+json")
	req.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	req.Header.Set("User-Agent", "gitledger")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	client := http.Client{
		Transport:     g.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, unavailable(ctx) // the client's text names the URL
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswerBytes+1))
	switch code := resp.StatusCode; {
	case code >= 500 || limited(resp):
		return nil, fmt.Errorf("%w: status %d", ErrUnavailable, code)
	case code < 200 || code > 299:
		return nil, fmt.Errorf("%w: status %d", ErrRefused, code)
	case err != nil:
		return nil, unavailable(ctx)
	case len(answer) > maxAnswerBytes:
		return nil, fmt.Errorf("%w: it is too large", ErrUnavailable)
	}
	return answer, nil
}

// limited reports whether the server wants fewer requests, for which GitHub
// also answers 403.
func limited(resp *http.Response) bool {
	return resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusForbidden &&
		(resp.Header.Get("Retry-After") != "" || resp.Header.Get("X-RateLimit-Remaining") == "0")
}

func unavailable(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return ErrUnavailable
}

func (g *GitHub) workflow() string {
	if g.Workflow == "" {
		return DefaultWorkflow
	}
	return g.Workflow
}

// api returns the URL of the repository, once all settings are sound.
func (g *GitHub) api() (string, error) {
	base, err := baseURL(g.BaseURL)
	if err != nil {
		return "", err
	}
	owner, name, _ := strings.Cut(g.Repository, "/")
	switch {
	case !validName(owner) || !validName(name):
		return "", fmt.Errorf("%w: repository", ErrInvalid)
	case !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}\.ya?ml$`).MatchString(g.workflow()):
		return "", fmt.Errorf("%w: workflow", ErrInvalid)
	case !validToken(g.Token):
		return "", fmt.Errorf("%w: token", ErrInvalid)
	case g.Ref != "" && !validRef(g.Ref):
		return "", fmt.Errorf("%w: ref", ErrInvalid)
	}
	return base + "/repos/" + owner + "/" + name, nil
}

package gitbranch

import (
	"log/slog"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// Options say where a repository is and how to reach it. Only URL is required.
type Options struct {
	// URL is the path of a repository, a file:// URL, an http:// or https:// URL,
	// or ssh://[user@]host[:port]/path. A password in it is refused, and so is a
	// user where it is not ssh's: use Credential.
	URL string

	// Cache is a directory that keeps the objects of a remote repository from
	// one run to the next, so that a run fetches only what is new. It is made
	// when it does not exist. Several processes may share it. When it is empty,
	// a temporary one is used, which Close removes. Local repositories need none.
	Cache string

	// Credential gives the Authorization header of each request; nil sends none.
	// It goes to the URL's own scheme, host and port and nowhere else, and over
	// plain http:// only to a loopback address.
	Credential Credential

	// Header holds further headers for each request.
	Header http.Header

	// SSH is the program for ssh:// URLs and its first arguments, such as
	// {"ssh", "-i", "/etc/deploy-key", "-o", "IdentitiesOnly=yes"}; nil is the
	// ssh of the PATH with the user's own settings. It must take OpenSSH's
	// options. It never asks: the host's key must be a known one, and the key
	// must need no passphrase or be held by the agent. It gets PATH, HOME, the
	// user's name and the agent's address, and no other environment.
	SSH []string

	// Transport carries the requests over HTTP; nil is a new [http.Transport] that honours
	// the proxy environment variables and that Close shuts down.
	Transport http.RoundTripper

	// Author and Committer sign the commits. A zero Author is "gitledger"; a
	// zero Committer is the Author.
	Author, Committer Identity

	// Now is the clock for commits; nil is [time.Now].
	Now func() time.Time

	// Timeout bounds each Snapshot and Commit, beside the caller's context; zero
	// is 5 minutes.
	Timeout time.Duration

	// MaxFetch bounds what one request may download, in bytes; zero is 1 GiB.
	// A larger answer is an error that matches shard.ErrTooLarge.
	MaxFetch int64

	// Logger gets one debug record an operation: names, hashes, counts; nil is none.
	Logger *slog.Logger
}

// Identity is who a commit is by.
type Identity struct{ Name, Email string }

const (
	defaultTimeout  = 5 * time.Minute
	defaultMaxFetch = 1 << 30
)

var defaultIdentity = Identity{Name: "gitledger", Email: "gitledger@localhost"}

// withDefaults fills in what was left zero.
func (o Options) withDefaults() Options {
	if o.Author == (Identity{}) {
		o.Author = defaultIdentity
	}
	if o.Committer == (Identity{}) {
		o.Committer = o.Author
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.MaxFetch <= 0 {
		o.MaxFetch = defaultMaxFetch
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// sound reports whether Git can write the identity.
func (i Identity) sound() bool {
	for _, s := range []string{i.Name, i.Email} {
		if strings.TrimSpace(s) == "" || len(s) > 256 || !utf8.ValidString(s) ||
			strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == '<' || r == '>' || r == 0x7f }) {
			return false
		}
	}
	return true
}

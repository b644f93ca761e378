package gitbranch

import (
	"net"
	"net/url"
	"strings"

	"github.com/gitledger/gitledger/shard"
)

// place is where a repository is: either a local path or a base URL.
type place struct {
	path string
	base *url.URL
}

// locate reads Options.URL. Its errors name the fault and never the URL, which
// may hold a secret exactly when it is refused.
func locate(text string, withCredential bool) (place, error) {
	if text == "" || strings.ContainsAny(text, "\x00\r\n") {
		return place{}, fail(shard.ErrUnavailable, "URL is empty or has control characters")
	}
	scheme, _, isURL := strings.Cut(text, "://")
	if !isURL {
		return place{path: text}, nil
	}
	u, err := url.Parse(text)
	if err != nil {
		return place{}, fail(shard.ErrUnavailable, "URL is malformed")
	}
	if u.User != nil && u.Scheme != "ssh" {
		return place{}, fail(shard.ErrUnavailable, "URL must not hold a user or password; use a Credential")
	}
	if u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return place{}, fail(shard.ErrUnavailable, "URL must not have a query or fragment")
	}
	switch u.Scheme {
	case "file":
		if u.Host != "" && u.Host != "localhost" {
			return place{}, fail(shard.ErrUnavailable, "a file URL names no other host")
		}
		return place{path: u.Path}, nil
	case "http", "https":
		if u.Hostname() == "" {
			return place{}, fail(shard.ErrUnavailable, "URL has no host")
		}
		if withCredential && u.Scheme == "http" && !loopback(u.Hostname()) {
			return place{}, fail(shard.ErrUnavailable, "a credential is not sent over plain HTTP")
		}
		u.Path = strings.TrimRight(u.Path, "/")
		u.RawPath = strings.TrimRight(u.RawPath, "/")
		return place{base: u}, nil
	case "ssh":
		return place{base: u}, locateSSH(u, withCredential)
	default:
		if len(scheme) > 16 {
			scheme = scheme[:16]
		}
		return place{}, fail(shard.ErrUnavailable, "URL scheme %q is not supported", scheme)
	}
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// sameOrigin reports whether a credential for a may be sent to b.
func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	default:
		return "80"
	}
}

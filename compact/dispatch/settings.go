package dispatch

import (
	"fmt"
	"net"
	"net/url"
	"strings"
)

// baseURL checks the root of the API. The token must not travel in the clear,
// except within this machine.
func baseURL(text string) (string, error) {
	if text == "" {
		return defaultBaseURL, nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("%w: base URL", ErrInvalid)
	}
	if u.Scheme != "https" && !(u.Scheme == "http" && loopback(u.Hostname())) {
		return "", fmt.Errorf("%w: base URL is not https", ErrInvalid)
	}
	return strings.TrimSuffix(u.String(), "/"), nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// validName reports whether s can be an owner or a repository.
func validName(s string) bool {
	if s == "" || len(s) > 100 || s == "." || s == ".." {
		return false
	}
	return strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") == ""
}

// validToken reports whether s can stand in a header.
func validToken(s string) bool {
	if s == "" || len(s) > 1024 {
		return false
	}
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// validRef reports whether s can be the name of a branch or tag.
func validRef(s string) bool {
	if s == "" || len(s) > 255 || strings.HasPrefix(s, "-") {
		return false
	}
	for _, r := range s {
		if r <= ' ' || r == 0x7f || strings.ContainsRune(`~^:?*[\`, r) {
			return false
		}
	}
	return !strings.Contains(s, "..")
}

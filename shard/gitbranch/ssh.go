package gitbranch

import (
	"net/url"
	"os"
	"strings"

	"github.com/gitledger/gitledger/shard"
)

// shell is a server that is reached with the system's ssh program, as Git
// reaches it, so that keys, agents, known hosts and jump hosts are set up as
// they always are.
type shell struct {
	argv       []string // the program and its arguments, without Git's command
	path       string   // of the repository, there
	beforePush func()   // a test's seam, between the comparison and the push
}

var _ carrier = (*shell)(nil)

func (s *shell) wire() wire { return &session{shell: s} }

func (s *shell) shut() {}

// newShell makes the command line. Whoever set Options.SSH comes first, because
// ssh takes the first value that it gets for a setting.
func newShell(base *url.URL, command []string) *shell {
	if len(command) == 0 {
		command = []string{"ssh"}
	}
	argv := append([]string(nil), command...)
	argv = append(argv, "-T", "-x", "-a", "-o", "BatchMode=yes", "-o", "ClearAllForwardings=yes", "-o", "PermitLocalCommand=no")
	if port := base.Port(); port != "" {
		argv = append(argv, "-p", port)
	}
	if user := base.User.Username(); user != "" {
		argv = append(argv, "-l", user)
	}
	path := base.Path
	if strings.HasPrefix(path, "/~") { // a user's home over there
		path = path[1:]
	}
	return &shell{argv: append(argv, "--", base.Hostname()), path: path}
}

// command is what the server's shell is given for a service.
func (s *shell) command(service string) string { return service + " " + quote(s.path) }

// quote makes one word for a shell. Some expand ! even within quotes.
func quote(word string) string {
	return "'" + strings.NewReplacer("'", `'\''`, "!", `'\!'`).Replace(word) + "'"
}

// sshEnviron is what ssh needs to find keys, agents and helpers. The rest, such
// as tokens for other jobs, stays here.
func sshEnviron() []string {
	env := []string{"LC_ALL=C"}
	for _, name := range []string{"PATH", "HOME", "USER", "LOGNAME", "SSH_AUTH_SOCK", "SYSTEMROOT", "USERPROFILE"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// locateSSH checks what a command line will be made of: no part of it may be an
// option, or mean something to a shell, here in ssh's own settings or there.
func locateSSH(u *url.URL, withCredential bool) error {
	refuse := func(why string) error { return fail(shard.ErrUnavailable, "%s", why) }
	if withCredential {
		return refuse("a Credential is for HTTP; ssh has keys")
	}
	if _, secret := u.User.Password(); secret {
		return refuse("URL must not hold a password")
	}
	if !plainWord(u.Hostname(), ".-_:") {
		return refuse("URL has no sound host")
	}
	if u.User != nil && !plainWord(u.User.Username(), ".-_") {
		return refuse("URL has no sound user")
	}
	if len(u.Path) < 2 || strings.ContainsFunc(u.Path, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return refuse("URL has no sound path")
	}
	return nil
}

// plainWord reports whether s is made of ASCII letters, digits and these marks,
// and begins with a letter, a digit, or the colon of an IPv6 address.
func plainWord(s, marks string) bool {
	for i, r := range s {
		letter := r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (!strings.ContainsRune(marks, r) || i == 0 && r != ':') {
			return false
		}
	}
	return s != "" && len(s) <= 255
}

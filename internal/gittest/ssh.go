package gittest

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// ErrNoSSH says that OpenSSH's server or client is not installed.
var ErrNoSSH = errors.New("gittest: sshd, ssh or ssh-keygen is not installed (openssh-server, openssh-client)")

// SSH is a real sshd on a free port of 127.0.0.1, with keys and settings of its
// own. It serves any repository that this user can reach. Close it.
type SSH struct {
	URL string // to put a path behind
	Dir string // of keys, settings and planned faults

	listener net.Listener
	sshd     string
	served   sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	running map[*exec.Cmd]bool
	count   int
}

// What an SSH server does instead of what it is asked to: see Plan.
const (
	Silent    = "silent"     // never says a word
	OnlyRefs  = "only-refs"  // falls silent when it has been asked for something
	HalfRefs  = "half-refs"  // ends in the midst of its references
	OnlyNoise = "only-noise" // is no Git at all
)

// serveScript is what sshd runs for each connection: what a login shell would,
// but for planned faults.
const serveScript = `case $SSH_ORIGINAL_COMMAND in
"git-upload-pack "*|"git-receive-pack "*) ;;
*) echo "what is $SSH_ORIGINAL_COMMAND" >&2; exit 9 ;;
esac
hang() {
	: >%[1]s/hung
	n=0
	while [ $n -lt 600 ] && [ -e %[1]s/hung ] && kill -0 $PPID 2>/dev/null; do sleep 0.1; n=$((n+1)); done
	exit
}
refs="${SSH_ORIGINAL_COMMAND%%%% *} --advertise-refs ${SSH_ORIGINAL_COMMAND#* }"
case $(cat %[1]s/plan 2>/dev/null) in
silent) hang ;;
only-refs) %[2]s sh -c "$refs"; head -c 4 >/dev/null; hang ;;
half-refs) %[2]s sh -c "$refs" | head -c 30; exit ;;
only-noise) echo "Welcome to this machine"; hang ;;
esac
exec %[2]s sh -c "$SSH_ORIGINAL_COMMAND"
`

// NewSSH starts a server whose files are in the new directory dir. The error is
// ErrNoSSH when the programs for it are missing.
func NewSSH(dir string) (*SSH, error) {
	s := &SSH{Dir: dir, sshd: "/usr/sbin/sshd", running: map[*exec.Cmd]bool{}}
	if _, err := os.Stat(s.sshd); err != nil {
		return nil, ErrNoSSH
	}
	for _, tool := range []string{"ssh", "ssh-keygen"} {
		if _, err := exec.LookPath(tool); err != nil {
			return nil, ErrNoSSH
		}
	}
	if os.Geteuid() == 0 {
		os.MkdirAll("/run/sshd", 0o755) // sshd insists on it, and is started by no service here
	}
	for _, key := range []string{"host", "client", "other"} {
		if err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", key, "-f", s.file(key)).Run(); err != nil {
			return nil, errors.New("gittest: ssh-keygen failed")
		}
	}
	var err error
	if s.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, errors.New("gittest: cannot listen on the loopback interface")
	}
	s.URL = "ssh://" + s.listener.Addr().String()
	if err := s.configure(); err != nil {
		s.listener.Close()
		return nil, err
	}
	s.served.Go(s.accept)
	return s, nil
}

func (s *SSH) file(name string) string { return filepath.Join(s.Dir, name) }

func (s *SSH) configure() error {
	host, err := os.ReadFile(s.file("host.pub"))
	if err != nil {
		return errors.New("gittest: no host key")
	}
	client, err := os.ReadFile(s.file("client.pub"))
	if err != nil {
		return errors.New("gittest: no client key")
	}
	_, port, _ := net.SplitHostPort(s.listener.Addr().String())
	env := "env"
	for _, e := range Environ() {
		env += " '" + e + "'"
	}
	for name, text := range map[string]string{
		"serve":      fmt.Sprintf(serveScript, s.Dir, env),
		"authorized": fmt.Sprintf("restrict,command=\"/bin/sh %s\" %s", s.file("serve"), client),
		"known":      fmt.Sprintf("[127.0.0.1]:%s %s", port, host),
		"config": fmt.Sprintf("HostKey %s\nAuthorizedKeysFile %s\n", s.file("host"), s.file("authorized")) +
			"StrictModes no\nUsePAM no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n" +
			"KexAlgorithms curve25519-sha256\nPermitRootLogin yes\nPidFile none\nLogLevel QUIET\n",
	} {
		if err := os.WriteFile(s.file(name), []byte(text), 0o600); err != nil {
			return errors.New("gittest: cannot write sshd's files")
		}
	}
	return nil
}

// Client is the command of an ssh that the server lets in, and that no user's
// settings matter to.
func (s *SSH) Client() []string { return s.ClientWith("client", "known") }

// ClientWith is the same with the key of another name ("other" is one that the
// server does not accept), or another file of known hosts.
func (s *SSH) ClientWith(key, known string) []string {
	return []string{"ssh", "-F", os.DevNull, "-i", s.file(key), "-o", "IdentitiesOnly=yes", "-o", "IdentityAgent=none",
		"-o", "UserKnownHostsFile=" + s.file(known), "-o", "GlobalKnownHostsFile=" + os.DevNull}
}

// Hung reports whether a connection fell silent since the last Plan.
func (s *SSH) Hung() bool {
	_, err := os.Stat(s.file("hung"))
	return err == nil
}

// Plan makes every later connection misbehave; "" ends that.
func (s *SSH) Plan(fault string) error {
	os.Remove(s.file("hung"))
	if err := os.WriteFile(s.file("plan"), []byte(fault), 0o600); err != nil {
		return errors.New("gittest: cannot plan a fault")
	}
	return nil
}

// Connections counts those that were made.
func (s *SSH) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// accept gives each connection an sshd of its own, as inetd does.
func (s *SSH) accept() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		socket, err := conn.(*net.TCPConn).File()
		conn.Close()
		if err != nil {
			continue
		}
		cmd := exec.Command(s.sshd, "-i", "-f", s.file("config"))
		cmd.Stdin, cmd.Stdout = socket, socket
		s.serve(cmd)
		socket.Close()
	}
}

func (s *SSH) serve(cmd *exec.Cmd) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	if s.closed || cmd.Start() != nil {
		return
	}
	s.running[cmd] = true
	s.served.Go(func() {
		cmd.Wait()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.running, cmd)
	})
}

// Close stops the server and every connection to it.
func (s *SSH) Close() error {
	s.listener.Close()
	os.Remove(s.file("hung")) // which ends those that fell silent
	s.mu.Lock()
	s.closed = true
	for cmd := range s.running {
		cmd.Process.Kill()
	}
	s.mu.Unlock()
	s.served.Wait()
	return nil
}

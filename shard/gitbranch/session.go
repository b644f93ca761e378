package gitbranch

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/gitledger/gitledger/shard"
)

// session is the wire to a server over ssh: one process, and one program of Git
// at its other end, for the references and the request that follows. libgit2 is
// told that its requests know nothing of each other, which they need not: a
// negotiation ends here (see negotiate), so there is one request and one answer.
type session struct {
	shell *shell

	service string
	stdin   io.WriteCloser
	stdout  *bufio.Reader
	stderr  tail
	asked   bool // the request after the references was made
	end     func() error
}

var _ wire = (*session)(nil)

func (w *session) understood() {}

func (w *session) send(ctx context.Context, s *stream) (io.ReadCloser, error) {
	s.ex.sending(s)
	if s.discover {
		return w.discover(ctx, s.service)
	}
	if w.end == nil || w.service != s.service || w.asked {
		return nil, fail(shard.ErrUnavailable, "request out of turn")
	}
	if s.service == uploadPack && !closing(s.body.buf.Bytes()) {
		return nil, fail(shard.ErrUnavailable, "the server's protocol is too old")
	}
	w.asked = true
	if s.pushes() {
		if w.shell.beforePush != nil {
			w.shell.beforePush()
		}
		s.ex.sent.Store(true)
	}
	if _, err := s.body.buf.WriteTo(w.stdin); err != nil {
		return nil, err
	}
	w.stdin.Close()
	return io.NopCloser(w.stdout), nil
}

// discover starts the program and returns the references, in the form that they
// have over HTTP.
func (w *session) discover(ctx context.Context, service string) (io.ReadCloser, error) {
	if w.end != nil {
		return nil, fail(shard.ErrUnavailable, "request out of turn")
	}
	if err := w.start(ctx, service); err != nil {
		return nil, err
	}
	if _, err := w.stdout.Peek(1); err != nil {
		return nil, w.failure(w.end())
	}
	title := "# service=" + service + "\n"
	return io.NopCloser(io.MultiReader(strings.NewReader(packet(title)+"0000"), &references{r: w.stdout})), nil
}

// start starts ssh. When the context ends, the process group is killed and both
// pipes are closed, which frees whoever reads or writes them.
func (w *session) start(ctx context.Context, service string) error {
	argv := append(append([]string(nil), w.shell.argv...), w.shell.command(service))
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = sshEnviron()
	cmd.Stderr = &w.stderr
	cmd.WaitDelay = maxGoodbye
	isolateGroup(cmd)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return fail(shard.ErrUnavailable, "no pipe")
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		stdin.Close()
		return fail(shard.ErrUnavailable, "no pipe")
	}
	if err := cmd.Start(); err != nil {
		return fail(shard.ErrUnavailable, "ssh could not be started")
	}
	forget := context.AfterFunc(ctx, func() {
		stdin.Close()
		stdout.Close()
	})
	w.service, w.stdin, w.stdout = service, stdin, bufio.NewReader(stdout)
	w.end = sync.OnceValue(func() error {
		defer forget()
		stdin.Close()
		timer := time.AfterFunc(maxGoodbye, func() {
			cmd.Cancel()
			stdout.Close()
		})
		defer timer.Stop()
		io.Copy(io.Discard, io.LimitReader(w.stdout, maxTold)) // a hook's last words
		return cmd.Wait()
	})
	return nil
}

// maxGoodbye is how long the program at the other end may take to finish when
// all is said.
const maxGoodbye = time.Second

// close tells a server that waits for a request that there is none, and ends
// the process.
func (w *session) close() {
	if w.end == nil {
		return
	}
	if !w.asked {
		io.WriteString(w.stdin, "0000")
	}
	w.end()
}

// failure says why ssh ended before the server said a word. Both may print
// anything: it is looked at and never passed on.
func (w *session) failure(err error) error {
	said := strings.ToLower(w.stderr.String())
	var exit *exec.ExitError
	status := -1
	if errors.As(err, &exit) {
		status = exit.ExitCode()
	}
	switch {
	case status != 255: // that of ssh itself
		return fail(shard.ErrUnavailable, "the server's program ended with status %d", status)
	case strings.Contains(said, "permission denied"), strings.Contains(said, "too many authentication failures"):
		return fail(shard.ErrUnauthorized, "no key was accepted")
	case strings.Contains(said, "host key verification failed"):
		return fail(shard.ErrUnavailable, "the server's host key is not a known one")
	default:
		return fail(shard.ErrUnavailable, "ssh could not connect")
	}
}

// references passes on what the server says up to the flush packet after its
// references, where it begins to wait.
type references struct {
	r    *bufio.Reader
	left int // of a packet
	last bool
}

func (a *references) Read(p []byte) (int, error) {
	if a.left == 0 {
		if a.last {
			return 0, io.EOF
		}
		head, err := a.r.Peek(4)
		if err != nil {
			return 0, io.ErrUnexpectedEOF
		}
		n, ok := packetLength(head)
		if !ok {
			return 0, fail(shard.ErrUnavailable, "the answer is not Git's")
		}
		a.last = n == 0
		a.left = max(n, 4)
	}
	n, err := a.r.Read(p[:min(len(p), a.left)])
	a.left -= n
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// tail keeps the end of what is written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p[max(0, len(p)-maxSaid):]...)
	if over := len(t.buf) - maxSaid; over > 0 {
		t.buf = bytes.Clone(t.buf[over:])
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}

package gittest

import (
	"bytes"
	"net"
	"net/http"
	"strings"
	"time"
)

// Step is one of the four requests of Git over HTTP.
type Step string

// The steps in the order in which a fetch and a push make them.
const (
	FetchRefs Step = "fetch-refs" // GET info/refs?service=git-upload-pack
	FetchPack Step = "fetch-pack" // POST git-upload-pack
	PushRefs  Step = "push-refs"  // GET info/refs?service=git-receive-pack
	PushPack  Step = "push-pack"  // POST git-receive-pack
	Other     Step = "other"
)

func stepOf(r *http.Request) Step {
	switch path, service := r.URL.Path, r.URL.Query().Get("service"); {
	case strings.HasSuffix(path, "/info/refs") && service == "git-upload-pack":
		return FetchRefs
	case strings.HasSuffix(path, "/info/refs") && service == "git-receive-pack":
		return PushRefs
	case strings.HasSuffix(path, "/git-upload-pack"):
		return FetchPack
	case strings.HasSuffix(path, "/git-receive-pack"):
		return PushPack
	default:
		return Other
	}
}

// Call is one request that a fault has in hand.
type Call struct {
	W    http.ResponseWriter
	R    *http.Request
	Step Step
	Body []byte          // the whole request body
	Next http.Handler    // Git itself
	Done <-chan struct{} // closed when the server closes
}

// A Fault takes the place of Git for one request. It may call Next.
type Fault func(*Call)

type planned struct {
	step  Step
	left  int // negative: for ever
	fault Fault
}

// Once puts fault in place of the next request of a step.
func (s *Server) Once(step Step, fault Fault) { s.plan(step, 1, fault) }

// Times puts fault in place of the next n requests of a step.
func (s *Server) Times(n int, step Step, fault Fault) { s.plan(step, n, fault) }

// Always puts fault in place of every request of a step until Heal.
func (s *Server) Always(step Step, fault Fault) { s.plan(step, -1, fault) }

func (s *Server) plan(step Step, times int, fault Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &planned{step, times, fault})
}

// Heal removes every fault that is still to come.
func (s *Server) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

func (s *Server) take(step Step) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, p := range s.faults {
		if p.step != step {
			continue
		}
		if p.left > 0 {
			if p.left--; p.left == 0 {
				s.faults = append(s.faults[:i:i], s.faults[i+1:]...)
			}
		}
		return p.fault
	}
	return nil
}

// Do runs f, then lets Git answer: a race that is forced rather than hoped for.
func Do(f func()) Fault {
	return func(c *Call) {
		f()
		c.Next.ServeHTTP(c.W, c.R)
	}
}

// Status answers with a status and leaves Git out.
func Status(code int) Fault {
	return func(c *Call) { http.Error(c.W, "planned fault", code) }
}

// StatusAfter lets Git carry the request out and then answers with a status.
func StatusAfter(code int) Fault {
	return func(c *Call) {
		c.answer()
		http.Error(c.W, "planned fault", code)
	}
}

// Redirect answers with a redirect to the same path below another base URL.
func Redirect(code int, base string) Fault {
	return func(c *Call) { http.Redirect(c.W, c.R, base+c.R.URL.RequestURI(), code) }
}

// Reset resets the connection without an answer, and leaves Git out.
func Reset() Fault { return func(c *Call) { c.reset() } }

// ResetAfter lets Git carry the request out and resets the connection after n
// bytes of the answer's body.
func ResetAfter(n int) Fault {
	return func(c *Call) {
		a := c.answer()
		c.head(a)
		c.W.Write(a.Body.Bytes()[:min(n, a.Body.Len())])
		c.flush()
		c.reset()
	}
}

// Truncate lets Git carry the request out and ends the answer after n bytes, as
// if it were whole; a negative n leaves so many bytes off.
func Truncate(n int) Fault {
	return func(c *Call) {
		a := c.answer()
		body := a.Body.Bytes()
		if n < 0 {
			n = max(0, len(body)+n)
		}
		a.Header.Del("Content-Length")
		c.head(a)
		c.W.Write(body[:min(n, len(body))])
	}
}

// Rewrite lets Git carry the request out and changes the body of the answer.
func Rewrite(f func([]byte) []byte) Fault {
	return func(c *Call) {
		a := c.answer()
		a.Header.Del("Content-Length")
		c.head(a)
		c.W.Write(f(a.Body.Bytes()))
	}
}

// Hang never answers, and leaves Git out.
func Hang() Fault { return func(c *Call) { c.hang() } }

// HangAfter lets Git carry the request out, sends n bytes of the body, and hangs.
func HangAfter(n int) Fault {
	return func(c *Call) {
		a := c.answer()
		c.head(a)
		c.W.Write(a.Body.Bytes()[:min(n, a.Body.Len())])
		c.flush()
		c.hang()
	}
}

// Slow lets Git answer, n bytes at a time with a pause before each.
func Slow(n int, pause time.Duration) Fault {
	return func(c *Call) {
		a := c.answer()
		c.head(a)
		for body := a.Body.Bytes(); len(body) > 0; {
			select {
			case <-c.Done:
				return
			case <-c.R.Context().Done():
				return
			case <-time.After(pause):
			}
			part := body[:min(n, len(body))]
			c.W.Write(part)
			c.flush()
			body = body[len(part):]
		}
	}
}

// recorded is a whole answer of Git, kept back. (httptest has one, but would
// add its flags to every program that imports this package.)
type recorded struct {
	Header http.Header
	Code   int
	Body   bytes.Buffer
}

type recorder struct{ *recorded }

func (r recorder) Header() http.Header         { return r.recorded.Header }
func (r recorder) Write(p []byte) (int, error) { return r.Body.Write(p) }
func (r recorder) WriteHeader(code int)        { r.Code = code }

// answer runs Git to its end and keeps what it says.
func (c *Call) answer() *recorded {
	a := &recorded{Header: http.Header{}, Code: http.StatusOK}
	c.Next.ServeHTTP(recorder{a}, c.R)
	return a
}

func (c *Call) head(a *recorded) {
	for name, values := range a.Header {
		c.W.Header()[name] = values
	}
	c.W.WriteHeader(a.Code)
}

func (c *Call) flush() { http.NewResponseController(c.W).Flush() }

func (c *Call) hang() {
	select {
	case <-c.Done:
	case <-c.R.Context().Done():
	}
	panic(http.ErrAbortHandler)
}

// reset ends the connection with a TCP reset.
func (c *Call) reset() {
	conn, _, err := http.NewResponseController(c.W).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	conn.Close()
}

// Package gittest runs a real Git server on the loopback interface: bare
// repositories behind git http-backend, with faults put in between on demand.
// Tests use it, and so do examples, so nothing in it needs a testing.T.
package gittest

import (
	"bytes"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Server serves every bare repository below Root. Close it.
type Server struct {
	URL  string // base URL, without a slash at its end
	Root string // directory of the bare repositories

	http     *http.Server
	listener net.Listener
	backend  string
	git      string
	done     chan struct{}
	served   chan struct{}
	once     sync.Once

	mu       sync.Mutex
	header   string
	stats    Stats
	faults   []*planned
	requests []string
}

// Stats counts what passed since the last ResetStats.
type Stats struct {
	Requests int   // all of them
	Fetches  int   // requests of a fetch
	Pushes   int   // requests of a push
	Packs    int   // pushes that sent a pack
	In, Out  int64 // body bytes received and sent
}

// New starts a server for the bare repositories in root, on a free port of
// 127.0.0.1.
func New(root string) (*Server, error) {
	git, backend, err := tools()
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.New("gittest: cannot listen on the loopback interface")
	}
	s := &Server{
		URL: "http://" + listener.Addr().String(), Root: root,
		listener: listener, git: git, backend: backend,
		done: make(chan struct{}), served: make(chan struct{}),
	}
	s.http = &http.Server{
		Handler:           http.HandlerFunc(s.serve),
		ReadHeaderTimeout: time.Minute,
		ErrorLog:          log.New(io.Discard, "", 0), // faults abort handlers on purpose
	}
	go func() {
		defer close(s.served)
		s.http.Serve(listener)
	}()
	return s, nil
}

// tools finds git and its http-backend.
func tools() (git, backend string, err error) {
	if git, err = exec.LookPath("git"); err != nil {
		return "", "", errors.New("gittest: git is not installed")
	}
	out, err := exec.Command(git, "--exec-path").Output()
	if err != nil {
		return "", "", errors.New("gittest: git --exec-path failed")
	}
	backend = filepath.Join(strings.TrimSpace(string(out)), "git-http-backend")
	if _, err := os.Stat(backend); err != nil {
		return "", "", errors.New("gittest: git http-backend is not installed")
	}
	return git, backend, nil
}

// Close stops the server, and what still hangs in it.
func (s *Server) Close() error {
	s.once.Do(func() {
		close(s.done)
		s.http.Close()
		<-s.served
	})
	return nil
}

// Create makes an empty bare repository that can be pushed to, and returns its
// URL and its path.
func (s *Server) Create(name string) (url, path string, err error) {
	path = filepath.Join(s.Root, name)
	if err := InitBare(path); err != nil {
		return "", "", err
	}
	return s.URL + "/" + name, path, nil
}

// InitBare makes an empty bare repository at path, which can be pushed to over HTTP.
func InitBare(path string) error {
	if err := (Loose{Path: path}).Init(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(path, "hooks"), 0o777); err != nil {
		return errors.New("gittest: cannot make a repository's folder")
	}
	file, err := os.OpenFile(filepath.Join(path, "config"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return errors.New("gittest: the new repository has no configuration")
	}
	_, err = file.WriteString("[http]\n\treceivepack = true\n[receive]\n\tautogc = false\n[gc]\n\tauto = 0\n")
	if closed := file.Close(); err != nil || closed != nil {
		return errors.New("gittest: the new repository cannot be configured")
	}
	return nil
}

// Environ is an environment for git in which no user's or machine's
// configuration matters.
func Environ() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + os.DevNull, "LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_AUTHOR_NAME=test", "GIT_AUTHOR_EMAIL=test@localhost",
		"GIT_COMMITTER_NAME=test", "GIT_COMMITTER_EMAIL=test@localhost",
		"GIT_TERMINAL_PROMPT=0",
	}
}

// Require makes the server answer 401 to requests without this Authorization
// header; "" lifts it.
func (s *Server) Require(header string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.header = header
}

// Stats returns the counts so far.
func (s *Server) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stats
}

// ResetStats sets all counts to zero.
func (s *Server) ResetStats() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats, s.requests = Stats{}, nil
}

// Requests lists the request lines since the last ResetStats.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.requests...)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	step := stepOf(r)
	s.count(step, r, int64(len(body)))
	counted := &countingWriter{ResponseWriter: w, server: s}
	s.mu.Lock()
	need := s.header
	s.mu.Unlock()
	if need != "" && r.Header.Get("Authorization") != need {
		w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
		http.Error(counted, "unauthorized", http.StatusUnauthorized)
		return
	}
	// http-backend refuses a chunked body: give it one with a length.
	r.Body, r.ContentLength, r.TransferEncoding = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
	next := http.HandlerFunc(s.run)
	if fault := s.take(step); fault != nil {
		fault(&Call{W: counted, R: r, Step: step, Body: body, Next: next, Done: s.done})
		return
	}
	next.ServeHTTP(counted, r)
}

const maxBody = 1 << 30

// run lets git http-backend answer.
func (s *Server) run(w http.ResponseWriter, r *http.Request) {
	h := &cgi.Handler{
		Path: s.backend, Dir: s.Root,
		Env: append(Environ(),
			"GIT_PROJECT_ROOT="+s.Root, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=test"),
		Logger: log.New(io.Discard, "", 0), Stderr: io.Discard,
	}
	h.ServeHTTP(w, r)
}

func (s *Server) count(step Step, r *http.Request, in int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.Requests++
	s.stats.In += in
	s.requests = append(s.requests, r.Method+" "+r.URL.RequestURI())
	switch step {
	case FetchRefs, FetchPack:
		s.stats.Fetches++
	case PushRefs:
		s.stats.Pushes++
	case PushPack:
		s.stats.Pushes++
		s.stats.Packs++
	}
}

type countingWriter struct {
	http.ResponseWriter
	server *Server
}

func (w *countingWriter) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.server.mu.Lock()
	w.server.stats.Out += int64(n)
	w.server.mu.Unlock()
	return n, err
}

func (w *countingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

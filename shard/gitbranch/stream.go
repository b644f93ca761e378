package gitbranch

import (
	"bytes"
	"errors"
	"io"

	git "github.com/libgit2/git2go/v34"

	"github.com/gitledger/gitledger/shard"
)

// stream is one request and its answer. libgit2 writes all of the request, then
// reads; the request leaves at the first read.
type stream struct {
	ex       *exchange
	service  string
	discover bool

	body   upload
	answer io.ReadCloser
	read   int64
}

var _ git.SmartSubtransportStream = (*stream)(nil)

// upload collects a request body in memory: a change, which its limits bound.
type upload struct{ buf bytes.Buffer }

func (u *upload) reader() *bytes.Reader { return bytes.NewReader(u.buf.Bytes()) }

// Write implements [io.Writer]. The bytes belong to libgit2 and are copied.
func (s *stream) Write(p []byte) (n int, err error) {
	defer s.ex.contain(&err)
	if err := ended(s.ex.ctx); err != nil {
		return 0, s.ex.note(err)
	}
	if int64(s.body.buf.Len()+len(p)) > maxUpload {
		return 0, s.ex.note(fail(shard.ErrTooLarge, "the change is too large to send"))
	}
	return s.body.buf.Write(p)
}

const (
	maxUpload = 512 << 20
	maxTold   = 16 << 10
)

// Read implements [io.Reader].
func (s *stream) Read(p []byte) (n int, err error) {
	defer s.ex.contain(&err)
	if s.answer == nil {
		if err := s.send(); err != nil {
			return 0, s.ex.note(err)
		}
	}
	n, err = s.answer.Read(p)
	s.ex.down += int64(n)
	if s.service == receivePack {
		kept := &s.ex.told
		if s.discover {
			kept = &s.ex.caps
		}
		kept.Write(p[:min(n, maxTold-kept.Len())])
	}
	if s.read += int64(n); s.read > s.ex.limit {
		return 0, s.ex.note(&shard.LimitError{What: "bytes", Limit: s.ex.limit})
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return n, s.ex.note(s.ex.failed(err))
	}
	return n, err
}

// Free implements [git.SmartSubtransportStream].
func (s *stream) Free() {
	if s.answer != nil {
		s.answer.Close()
	}
}

// send carries out the request, or answers it here when it only negotiates.
func (s *stream) send() error {
	if s.service == uploadPack && !s.discover {
		if reply, ok := negotiate(s.body.buf.Bytes(), s.ex.offers); ok {
			s.answer = io.NopCloser(bytes.NewReader(reply))
			return nil
		}
	}
	if s.pushes() {
		s.slim()
	}
	answer, err := s.ex.wire.send(s.ex.ctx, s)
	if err != nil {
		return s.ex.failed(err)
	}
	s.answer = answer
	return nil
}

// pushes reports whether the request may change the server's references.
func (s *stream) pushes() bool { return s.service == receivePack && !s.discover }

// slim sends a thin pack, unless the server will not have one.
func (s *stream) slim() {
	if s.ex.pack == nil || bytes.Contains(s.ex.caps.Bytes(), []byte("no-thin")) {
		return
	}
	pack, err := s.ex.pack()
	if err != nil {
		return // libgit2's own is as good, only larger
	}
	if body, ok := replacePack(s.body.buf.Bytes(), pack); ok && len(body) < s.body.buf.Len() {
		s.body.buf.Reset()
		s.body.buf.Write(body)
	}
}

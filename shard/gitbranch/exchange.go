package gitbranch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"sync/atomic"

	git "github.com/libgit2/git2go/v34"

	"github.com/gitledger/gitledger/shard"
)

// exchange is one conversation with a server: a fetch or a push. libgit2 calls
// it from the goroutine that called libgit2. It keeps its own errors, because
// what passes through C comes back as text.
type exchange struct {
	ctx    context.Context
	wire   wire
	offers []git.Oid
	pack   func() ([]byte, error) // makes a smaller pack for a push; may be nil
	limit  int64                  // on one answer

	err      error        // the first failure of ours
	sent     atomic.Bool  // a push began to leave this machine
	caps     bytes.Buffer // the start of the server's references for a push
	told     bytes.Buffer // the start of the answer to a push
	refused  bool         // the server answered the push without carrying it out
	requests int
	up, down int64
}

// carrier reaches one server.
type carrier interface {
	wire() wire // for one exchange
	shut()
}

func newCarrier(base *url.URL, o Options) carrier {
	if base.Scheme == "ssh" {
		return newShell(base, o.SSH)
	}
	return newServer(base, o)
}

// wire carries the requests of one exchange to the server, one after the other.
type wire interface {
	// send carries out the request that s holds, and returns the answer's body.
	send(ctx context.Context, s *stream) (io.ReadCloser, error)
	// understood is called once the server's references could be read.
	understood()
	close()
}

// note keeps the first failure and returns it.
func (ex *exchange) note(err error) error {
	if err != nil && ex.err == nil {
		ex.err = err
	}
	return err
}

// contain turns a panic of ours into an error: C code is further up the stack.
func (ex *exchange) contain(err *error) {
	if r := recover(); r != nil {
		*err = ex.note(fail(shard.ErrUnavailable, "internal error in the transport"))
	}
}

// The four requests of the smart protocol.
const (
	uploadPack  = "git-upload-pack"
	receivePack = "git-receive-pack"
)

func (ex *exchange) begin(action git.SmartServiceAction) (git.SmartSubtransportStream, error) {
	if err := ended(ex.ctx); err != nil {
		return nil, ex.note(err)
	}
	s := &stream{ex: ex}
	switch action {
	case git.SmartServiceActionUploadpackLs:
		s.service, s.discover = uploadPack, true
	case git.SmartServiceActionReceivepackLs:
		s.service, s.discover = receivePack, true
	case git.SmartServiceActionUploadpack:
		s.service = uploadPack
	case git.SmartServiceActionReceivepack:
		s.service = receivePack
	default:
		return nil, ex.note(fail(shard.ErrUnavailable, "unknown action"))
	}
	return s, nil
}

// failed names a failure of the network without its text, which holds the URL.
func (ex *exchange) failed(err error) error {
	if over := ended(ex.ctx); over != nil {
		return over
	}
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	return fail(shard.ErrUnavailable, "%s", netWord(err))
}

// sending counts a request that is about to leave.
func (ex *exchange) sending(s *stream) {
	ex.requests++
	ex.up += int64(s.body.buf.Len())
}

func (ex *exchange) String() string {
	return fmt.Sprintf("%d requests, %d bytes up, %d bytes down", ex.requests, ex.up, ex.down)
}

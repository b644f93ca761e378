package gitbranch

import (
	"bytes"
	"context"
	"crypto/rand"
	"strings"

	git "github.com/libgit2/git2go/v34"

	"github.com/gitledger/gitledger/shard"
)

// publish pushes next, if the branch is at expect. The comparison and the push
// share one connection, so the server compares with the same head again when it
// moves the reference.
func (r *remote) publish(ctx context.Context, h *handle, ref string, expect, next git.Oid) error {
	ex := r.exchange(ctx)
	ex.pack = func() ([]byte, error) { return h.thinPack(expect, next) }
	c, err := r.dial(ex, h, ref, git.ConnectDirectionPush)
	if err != nil {
		return err
	}
	defer c.close()
	defer func() { r.log.DebugContext(ctx, "push", "ref", ref, "commit", next.String(), "transfer", ex.String()) }()
	if c.head != expect {
		return fail(shard.ErrHeadMoved, "found before the push")
	}
	if next == expect {
		return nil
	}
	report, err := c.push(ctx, h, ref, next)
	if err == nil && report.accepted {
		h.remember(ref, next)
		return nil
	}
	return r.judge(ctx, h, ref, expect, ex, report, err)
}

// report is what the server said of a push.
type report struct {
	accepted bool
	status   string // why not
	said     strings.Builder
}

const maxSaid = 8 << 10

func (c *conn) push(ctx context.Context, h *handle, ref string, next git.Oid) (*report, error) {
	rep := &report{}
	over := func() error { return c.ex.note(ended(ctx)) }
	options := &git.PushOptions{
		PbParallelism: 1,
		RemoteCallbacks: git.RemoteCallbacks{
			PackProgressCallback:         func(int32, uint32, uint32) error { return over() },
			PushTransferProgressCallback: func(uint32, uint32, uint) error { return over() },
			SidebandProgressCallback: func(text string) error {
				rep.said.WriteString(text[:min(len(text), maxSaid-rep.said.Len())])
				return nil
			},
			PushUpdateReferenceCallback: func(name, status string) error {
				if name == ref {
					rep.accepted, rep.status = status == "", status
				}
				return nil
			},
		},
	}
	source, done, err := h.stage(next)
	if err != nil {
		return rep, err
	}
	defer done()
	return rep, c.peer.Push([]string{source + ":" + ref}, options)
}

// stage gives a commit the name that libgit2 wants of what it pushes. Only the
// cache has it, and nobody else uses it.
func (h *handle) stage(commit git.Oid) (name string, done func(), err error) {
	name = stagePrefix + rand.Text()
	r, err := h.repo.References.Create(name, &commit, false, "")
	if err != nil {
		return "", nil, unavailable(err)
	}
	return name, func() {
		r.Delete()
		r.Free()
	}, nil
}

const stagePrefix = "refs/gitledger-push/"

// judge says what a push that did not succeed was: certain to have changed
// nothing, or unknown.
func (r *remote) judge(ctx context.Context, h *handle, ref string, expect git.Oid, ex *exchange, rep *report, err error) error {
	switch {
	case rep.status != "":
		return r.rejected(ctx, h, ref, expect, rep)
	case ex.refused:
		return ex.because(err)
	case ex.sent.Load():
		return unknown(ctx, ex)
	case err == nil:
		return fail(shard.ErrUnavailable, "the push was not sent")
	default:
		return ex.because(err)
	}
}

// unknown is the fate of a push that left and was not answered, or whose answer
// cannot be understood. A server that says it could not unpack did nothing.
func unknown(ctx context.Context, ex *exchange) error {
	if told := ex.told.Bytes(); ex.err == nil && bytes.Contains(told, []byte("unpack ")) && !bytes.Contains(told, []byte("unpack ok")) {
		return fail(shard.ErrRefused, "the server could not unpack the change")
	}
	f := fail(shard.ErrOutcomeUnknown, "no answer to the push")
	if over := ctx.Err(); over != nil && context.Cause(ctx) != errTimeout {
		f.ctx = over
	}
	return f
}

// rejected finds out why a server turned a push down. Servers have no codes for
// it, so the branch is looked at again unless the words are clear.
func (r *remote) rejected(ctx context.Context, h *handle, ref string, expect git.Oid, rep *report) error {
	words := strings.ToLower(rep.status + "\n" + rep.said.String())
	if strings.Contains(words, "but expected") || strings.Contains(words, "reference already exists") {
		return fail(shard.ErrHeadMoved, "found by the server")
	}
	c, err := r.dial(r.exchange(ctx), h, ref, git.ConnectDirectionFetch)
	if err == nil {
		now := c.head
		c.close()
		if now != expect {
			return fail(shard.ErrHeadMoved, "found by the server")
		}
	}
	if strings.Contains(words, "lock") || strings.Contains(words, "failed to update ref") {
		return fail(shard.ErrLocked, "the server could not lock the reference")
	}
	return fail(shard.ErrRefused, "the server rejected the change")
}

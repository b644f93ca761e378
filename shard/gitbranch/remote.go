package gitbranch

import (
	"context"
	"log/slog"
	"strings"

	git "github.com/libgit2/git2go/v34"

	"github.com/gitledger/gitledger/shard"
)

// remote fetches from and pushes to a server, through a cache of objects.
type remote struct {
	carrier carrier
	limit   int64 // on one answer
	log     *slog.Logger
}

// trackPrefix holds, in the cache, the head of each branch as last seen. It
// only saves transfer: the server's word is taken for where a branch is.
const trackPrefix = "refs/gitledger/"

func track(ref string) string { return trackPrefix + strings.TrimPrefix(ref, "refs/heads/") }

func (r *remote) exchange(ctx context.Context) *exchange {
	return &exchange{ctx: ctx, wire: r.carrier.wire(), limit: r.limit}
}

// dial connects libgit2 to the server and reads where ref is.
func (r *remote) dial(ex *exchange, h *handle, ref string, dir git.ConnectDirection) (*conn, error) {
	url, done, err := board.connect(ex)
	if err != nil {
		return nil, err
	}
	peer, err := h.repo.Remotes.CreateAnonymous(url)
	if err != nil {
		done()
		return nil, unavailable(err)
	}
	c := &conn{ex: ex, peer: peer, done: done}
	if err := peer.Connect(dir, nil, nil, nil); err != nil {
		c.close()
		return nil, ex.because(err)
	}
	heads, err := peer.Ls()
	if err != nil {
		c.close()
		return nil, ex.because(err)
	}
	if c.head, err = find(heads, ref); err != nil {
		c.close()
		return nil, err
	}
	ex.wire.understood()
	return c, nil
}

// conn is a connection that has read the server's references.
type conn struct {
	ex   *exchange
	peer *git.Remote
	head git.Oid // where the branch is; zero when absent
	done func()
}

func (c *conn) close() {
	c.peer.Disconnect()
	c.peer.Free()
	c.ex.wire.close()
	c.done()
}

// find returns where ref is. A server that names it twice is not believed.
func find(heads []git.RemoteHead, ref string) (git.Oid, error) {
	var id git.Oid
	found := false
	for _, h := range heads {
		if h.Name != ref {
			continue
		}
		if found && *h.Id != id {
			return git.Oid{}, fail(shard.ErrUnavailable, "the server names the branch twice")
		}
		id, found = *h.Id, true
	}
	return id, nil
}

// because explains an error of libgit2 by the failure that caused it, if it was ours.
func (ex *exchange) because(err error) error {
	if ex.err != nil {
		return ex.err
	}
	if over := ended(ex.ctx); over != nil {
		return over
	}
	f := fail(shard.ErrUnavailable, "the server's answer is not sound: %s", code(err))
	f.damaged = ours(err)
	return f
}

// ours reports whether libgit2 stumbled over the cache rather than the server.
func ours(err error) bool {
	for _, class := range []git.ErrorClass{git.ErrorClassOdb, git.ErrorClassReference, git.ErrorClassOS,
		git.ErrorClassZlib, git.ErrorClassObject, git.ErrorClassRepository} {
		if git.IsErrorClass(err, class) {
			return true
		}
	}
	return false
}

// head brings the cache up to the branch's head and returns it, or zero when
// the server has no such branch. A head that is in the cache costs one request.
func (r *remote) head(ctx context.Context, h *handle, ref string) (git.Oid, error) {
	ex := r.exchange(ctx)
	known := tracked(h, ref)
	ex.offers = h.offers(known)
	c, err := r.dial(ex, h, ref, git.ConnectDirectionFetch)
	if err != nil {
		return git.Oid{}, err
	}
	defer c.close()
	defer func() { r.log.DebugContext(ctx, "fetch", "ref", ref, "head", c.head.String(), "transfer", ex.String()) }()
	if c.head.IsZero() || c.head == known {
		return c.head, nil
	}
	options := &git.FetchOptions{
		DownloadTags:    git.DownloadTagsNone,
		Prune:           git.FetchNoPrune,
		RemoteCallbacks: git.RemoteCallbacks{TransferProgressCallback: func(git.TransferProgress) error { return ex.note(ended(ctx)) }},
	}
	if err := c.peer.Fetch([]string{ref}, options, ""); err != nil {
		return git.Oid{}, ex.because(err)
	}
	if !h.odb.Exists(&c.head) {
		return git.Oid{}, damaged("the server did not send the branch's head")
	}
	h.remember(ref, c.head)
	return c.head, nil
}

// prepare fetches only when the expected head came from somebody else.
func (r *remote) prepare(ctx context.Context, h *handle, ref string, expect git.Oid) error {
	if expect.IsZero() || h.odb.Exists(&expect) {
		return nil
	}
	now, err := r.head(ctx, h, ref)
	if err == nil && now != expect {
		return fail(shard.ErrHeadMoved, "found before the change was made")
	}
	return err
}

// tracked returns the head that the cache last had of a branch.
func tracked(h *handle, ref string) git.Oid {
	r, id, err := lookup(h, track(ref))
	if err != nil || r == nil {
		return git.Oid{}
	}
	r.Free()
	if !h.odb.Exists(&id) {
		return git.Oid{}
	}
	return id
}

// remember is best effort: another process may be writing the same reference.
func (h *handle) remember(ref string, id git.Oid) {
	if r, err := h.repo.References.Create(track(ref), &id, true, ""); err == nil {
		r.Free()
	}
}

// offers are the commits to offer a server: the head we know and some before
// it, for when the branch was rewound.
func (h *handle) offers(known git.Oid) []git.Oid {
	var ids []git.Oid
	for id := known; !id.IsZero() && len(ids) < maxOffers; {
		ids = append(ids, id)
		commit, err := h.repo.LookupCommit(&id)
		if err != nil {
			break
		}
		id = git.Oid{}
		if parent := commit.ParentId(0); parent != nil {
			id = *parent
		}
		commit.Free()
	}
	return ids
}

const maxOffers = 8

package gitbranch

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"errors"

	git "github.com/libgit2/git2go/v34"
)

// libgit2 sends each changed tree whole, so that every push to a branch of a
// thousand shards would carry the names of all of them. Git itself sends a thin
// pack: trees as differences from those the server has. thinPack is that pack
// for one commit on top of expect, which the server has just said it is at.

// Object types in a pack.
const (
	packCommit   = 1
	packTree     = 2
	packBlob     = 3
	packRefDelta = 7
)

type packer struct {
	h    *handle
	body bytes.Buffer
	n    uint32
	done map[git.Oid]bool
}

// thinPack packs what next adds to expect (zero: to nothing).
func (h *handle) thinPack(expect, next git.Oid) ([]byte, error) {
	p := &packer{h: h, done: map[git.Oid]bool{}}
	raw, err := h.read(next, git.ObjectCommit, maxCommitBytes)
	if err != nil {
		return nil, err
	}
	p.add(packCommit, raw, nil)
	tree, err := headerID(raw, "tree ")
	if err != nil {
		return nil, err
	}
	var base git.Oid
	if !expect.IsZero() {
		if base, err = h.commitTree(expect); err != nil {
			return nil, err
		}
	}
	if err := p.tree(tree, base); err != nil {
		return nil, err
	}
	head := binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), p.n)
	pack := append(head, p.body.Bytes()...)
	sum := sha1.Sum(pack)
	return append(pack, sum[:]...), nil
}

// tree adds a tree and what it has that base has not.
func (p *packer) tree(id, base git.Oid) error {
	if id == base || p.done[id] {
		return nil
	}
	p.done[id] = true
	raw, err := p.h.read(id, git.ObjectTree, maxTreeBytes)
	if err != nil {
		return err
	}
	old := map[string]git.Oid{}
	if base.IsZero() {
		p.add(packTree, raw, nil)
	} else {
		before, err := p.h.read(base, git.ObjectTree, maxTreeBytes)
		if err != nil {
			return err
		}
		if !forEntries(before, func(e entry) bool { old[e.mode+" "+e.name] = e.id; return true }) {
			return damaged("tree")
		}
		p.add(packRefDelta, treeDelta(before, raw), &base)
	}
	var fresh []entry
	if !forEntries(raw, func(e entry) bool {
		if old[e.mode+" "+e.name] != e.id {
			fresh = append(fresh, e)
		}
		return true
	}) {
		return damaged("tree")
	}
	for _, e := range fresh {
		if err := p.entry(e, old[e.mode+" "+e.name]); err != nil {
			return err
		}
	}
	return nil
}

func (p *packer) entry(e entry, old git.Oid) error {
	switch {
	case e.mode == modeTree:
		return p.tree(e.id, old)
	case !e.regular():
		return errors.New("gitbranch: not an entry of ours")
	case p.done[e.id]:
		return nil
	}
	p.done[e.id] = true
	data, err := p.h.read(e.id, git.ObjectBlob, maxUpload)
	if err != nil {
		return err
	}
	p.add(packBlob, data, nil)
	return nil
}

// add writes one object: its type and size in the pack's own number format, the
// base it is a difference from, and the compressed data.
func (p *packer) add(kind byte, data []byte, base *git.Oid) {
	size := uint64(len(data))
	b := kind<<4 | byte(size&0xf)
	for size >>= 4; size > 0; size >>= 7 {
		p.body.WriteByte(b | 0x80)
		b = byte(size & 0x7f)
	}
	p.body.WriteByte(b)
	if base != nil {
		p.body.Write(base[:])
	}
	z := zlib.NewWriter(&p.body) // writing to memory does not fail
	z.Write(data)
	z.Close()
	p.n++
}

// replacePack puts pack in the place of the one in a push request, which follows
// the commands and their flush.
func replacePack(request, pack []byte) ([]byte, bool) {
	rest := request
	for {
		n, ok := packetLength(rest)
		switch {
		case !ok || n > len(rest):
			return nil, false
		case n == 0:
			commands := request[:len(request)-len(rest)+4]
			if !bytes.HasPrefix(rest[4:], []byte("PACK")) {
				return nil, false
			}
			return append(bytes.Clone(commands), pack...), true
		}
		rest = rest[n:]
	}
}

// packetLength reads the four hexadecimal digits of a packet; 0 is a flush.
func packetLength(b []byte) (n int, ok bool) {
	if len(b) < 4 {
		return 0, false
	}
	for _, c := range b[:4] {
		i := bytes.IndexByte([]byte("0123456789abcdef"), c)
		if i < 0 {
			return 0, false
		}
		n = n<<4 | i
	}
	return n, n == 0 || n > 4
}

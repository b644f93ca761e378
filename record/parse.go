package record

import (
	"bytes"
	"crypto/sha256"
	"hash"
	"math"
	"slices"

	"github.com/gitledger/gitledger/internal/canonical"
)

// Parse reads one stored line, without its newline. The record keeps line, so
// it must not be modified afterwards. The error is an [*Error] with the line's
// one diagnostic code.
func Parse(line []byte) (Record, error) {
	var p parser
	var r Record
	err := p.parse(&r, slices.Clip(line))
	return r, err
}

// parser reads lines one after another with one hash state. The zero parser
// is ready.
type parser struct {
	hash    hash.Hash
	sum     [sha256.Size]byte
	failure *Error // the last one
}

// fail returns the error with a code: the same one again where that is right,
// so that a shard of a million empty lines is not a million errors.
func (p *parser) fail(code Code) *Error {
	if p.failure == nil || p.failure.Code != code {
		p.failure = &Error{Code: code}
	}
	return p.failure
}

// parse reads a line into the zero Record r, and leaves it zero when it fails.
func (p *parser) parse(r *Record, line []byte) error {
	member, ok := r.envelope(line)
	if ok && p.verify(r, member) {
		return nil
	}
	*r = Record{}
	return p.fail(p.classify(line))
}

// envelope checks in one pass that line has the shape of a record and is
// canonical, and makes r that record. member is the sha member with the comma
// that follows it.
func (r *Record) envelope(line []byte) (member span, ok bool) {
	if uint64(len(line)) > math.MaxUint32 { // more than a span can tell
		return span{}, false
	}
	c := cursor{b: line}
	c.literal(`{"id":"`)
	id := c.until('"')
	c.literal(`","parents":[`)
	r.parents, r.parent = c.parents()
	c.literal(`],"payload":`)
	orders := canonical.Written | canonical.Plain
	r.payload = c.value(&orders)
	c.literal(`,`)
	member.start = uint32(c.i)
	c.literal(`"sha":"`)
	sha := c.take(hashText)
	c.literal(`",`)
	member.end = uint32(c.i)
	c.literal(`"timestamp":"`)
	r.timestamp = c.take(len(timePattern))
	c.literal(`","type":`)
	typ := c.value(&orders)
	c.literal(`,"version":1}`)
	if c.failed || c.i != len(line) {
		return span{}, false
	}
	r.line = line
	r.typ = span{typ.start + 1, typ.end - 1}
	r.plain = orders&canonical.Written == 0
	if r.id, ok = parseID(r.text(id)); !ok {
		return span{}, false
	}
	if r.sha, ok = parseHash(r.text(sha)); !ok {
		return span{}, false
	}
	return member, validTimestamp(r.text(r.timestamp)) && validType(r.text(typ))
}

// verify compares the record's digest with that of its own bytes around the
// sha member. A line in plain order may also carry the digest of its written
// form.
func (p *parser) verify(r *Record, member span) bool {
	if p.hash == nil {
		p.hash = sha256.New()
	}
	if p.digest(r.line, member) == r.sha {
		return true
	}
	if !r.plain {
		return false
	}
	written := r.AppendWritten(nil)
	member, ok := new(Record).envelope(written)
	return ok && p.digest(written, member) == r.sha
}

func (p *parser) digest(line []byte, member span) Hash {
	p.hash.Reset()
	p.hash.Write(line[:member.start])
	p.hash.Write(line[member.end:])
	p.hash.Sum(p.sum[:0])
	return p.sum
}

func validType(v []byte) bool {
	if !canonical.IsString(v) {
		return false
	}
	text := v[1 : len(v)-1]
	if len(text) == 0 {
		return false
	}
	// No character has fewer bytes than code units.
	return len(text) <= MaxTypeUnits || canonical.TextLen(text) <= MaxTypeUnits
}

// cursor reads a line from left to right. After the first mismatch it has
// failed, and stays where it is.
type cursor struct {
	b      []byte
	i      int
	failed bool
}

func (c *cursor) literal(s string) {
	if c.failed || len(c.b)-c.i < len(s) || string(c.b[c.i:c.i+len(s)]) != s {
		c.failed = true
		return
	}
	c.i += len(s)
}

func (c *cursor) take(n int) span {
	if c.failed || len(c.b)-c.i < n {
		c.failed = true
		return span{}
	}
	c.i += n
	return span{uint32(c.i - n), uint32(c.i)}
}

func (c *cursor) until(end byte) span {
	n := -1
	if !c.failed {
		n = bytes.IndexByte(c.b[c.i:], end)
	}
	if n < 0 {
		c.failed = true
		return span{}
	}
	return c.take(n)
}

func (c *cursor) value(orders *canonical.Orders) span {
	if c.failed {
		return span{}
	}
	end := canonical.CheckValue(c.b, c.i, 1, orders)
	if end < 0 {
		c.failed = true
		return span{}
	}
	return c.take(end - c.i)
}

// parents reads the inside of the parents array: strictly ascending hashes, of
// which it decodes the first.
func (c *cursor) parents() (all span, first Hash) {
	start := c.i
	var last []byte
	for n := 0; !c.failed && c.i < len(c.b) && c.b[c.i] != ']'; n++ {
		if n > 0 {
			c.literal(`,`)
		}
		c.literal(`"`)
		s := c.take(hashText)
		c.literal(`"`)
		if c.failed {
			break
		}
		text := c.b[s.start:s.end]
		h, ok := parseHash(text)
		if !ok || n == MaxParents || bytes.Compare(last, text) >= 0 {
			c.failed = true
		}
		if n == 0 {
			first = h
		}
		last = text
	}
	return span{uint32(start), uint32(c.i)}, first
}

package record

import (
	"encoding/json"
	"iter"
	"time"

	"github.com/gitledger/gitledger/internal/canonical"
)

// Limits of a record (S2-05).
const (
	MaxParents   = 64  // hashes in parents
	MaxTypeUnits = 128 // UTF-16 code units in type; at least 1
	MinLine      = 212 // bytes of the shortest line, without its newline
	Version      = 1
)

// Record is one valid record: a view of the line that it was read from, which
// must not be modified. The zero Record is none.
type Record struct {
	line      []byte // without the newline
	sha       Hash
	parent    Hash // the first of parents; most records have one
	id        ID
	plain     bool // keys are in plain RFC 8785 order, not the written one
	parents   span // the text inside the brackets
	payload   span
	timestamp span // without quotes
	typ       span // without quotes, still escaped
}

// span is a part of a line.
type span struct{ start, end uint32 }

func (r *Record) text(s span) []byte { return r.line[s.start:s.end:s.end] }

// ID returns the record's ID.
func (r *Record) ID() ID { return r.id }

// SHA returns the record's digest, which is its identity.
func (r *Record) SHA() Hash { return r.sha }

// Type returns the record's type, 1 to 128 UTF-16 code units. A lone
// surrogate is given as U+FFFD.
func (r *Record) Type() string { return canonical.Unescape(r.text(r.typ)) }

// Timestamp returns the record's time as it is written,
// YYYY-MM-DDTHH:MM:SS.mmmZ (S2-04).
func (r *Record) Timestamp() string { return string(r.text(r.timestamp)) }

// Time returns the record's time, in UTC with milliseconds.
func (r *Record) Time() time.Time {
	t, _ := time.Parse(TimeLayout, r.Timestamp())
	return t
}

// Payload returns the payload's canonical bytes, in written order. They are a
// part of the record's line whenever that is in written order itself, so they
// must not be modified.
func (r *Record) Payload() json.RawMessage {
	p := r.text(r.payload)
	if r.plain {
		if w, err := canonical.Append(nil, p, canonical.Refuse); err == nil {
			return w
		}
	}
	return p
}

// Line returns the record's canonical bytes as they are stored, without the
// newline. They must not be modified; to append to them makes a copy.
func (r *Record) Line() []byte { return r.line }

// parentStride is the length of a quoted parent and the comma after it.
const parentStride = hashText + 3

// NumParents returns how many parents the record names.
func (r *Record) NumParents() int {
	return (int(r.parents.end-r.parents.start) + 1) / parentStride
}

// Parent returns the i-th parent.
func (r *Record) Parent(i int) Hash {
	if i == 0 {
		return r.parent
	}
	at := int(r.parents.start) + i*parentStride + 1
	h, _ := parseHash(r.line[at : at+hashText])
	return h
}

// Parents yields the parents in ascending order.
func (r *Record) Parents() iter.Seq[Hash] {
	return func(yield func(Hash) bool) {
		for i := range r.NumParents() {
			if !yield(r.Parent(i)) {
				return
			}
		}
	}
}

// AppendWritten appends the record's line with every object in written order,
// which is Line itself for all but the few records in plain order.
func (r *Record) AppendWritten(dst []byte) []byte {
	if r.plain {
		if out, err := canonical.Append(dst, r.line, canonical.Refuse); err == nil {
			return out
		}
	}
	return append(dst, r.line...)
}

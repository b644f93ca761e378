package shard

import (
	"context"
	"fmt"
)

// Head identifies the state of a branch: a commit, or a digest of a directory.
// The zero Head is an absent branch, which is an empty ledger. Only the Branch
// that gave a Head can interpret it; others compare it.
type Head string

// Snapshot is a branch at one head: everything that a ledger needs of it.
type Snapshot struct {
	Head   Head
	Shards []Shard // in byte order of Name
	State  []byte  // the compaction state file; nil when absent, irregular or too large
}

// A Reader gives the current state of one ledger branch. It never changes it.
type Reader interface {
	// Snapshot reads the branch at its latest head, within limits. An absent
	// branch is a Snapshot with a zero Head and no shards. More files or bytes
	// than limits allow is an error that matches [ErrTooLarge], found before
	// the content is read. A file that is invalid in itself is a [Fault].
	Snapshot(ctx context.Context, limits Limits) (*Snapshot, error)
}

// A Branch can also publish a change. Commit is atomic and guarded: readers
// see all of the change or nothing of it.
//
// Commit MUST fail with [ErrHeadMoved], and change nothing, when the branch is
// not at expect at the moment of publication; a zero expect creates the branch
// and only that. It MUST fail with [ErrInvalidChange], and change nothing, when
// [Change.Validate] does. It MUST fail with [ErrIdentityCollision], and change nothing,
// when a shard to be added exists with other bytes; with the same bytes the
// shard is accepted as it is. It MUST keep every file that the change does not
// name. When the change was sent and its fate is unknown it MUST fail with
// [ErrOutcomeUnknown], and the caller looks at the branch again. A nil error
// means that the change is durable.
type Branch interface {
	Reader

	// Commit makes one change on top of the expected head, or none at all.
	Commit(ctx context.Context, expect Head, change Change) (Head, error)
}

// Change is one transition of a branch (S5.3-08).
type Change struct {
	Add     []Addition
	Delete  []ID   // each MUST exist at the expected head, else [ErrShardMissing]
	State   []byte // replaces the compaction state file; nil leaves it
	Message string // for the commit log: counts and identifiers only
}

// Addition is a new shard: complete canonical lines, each with its newline.
type Addition struct {
	ID   ID
	Data []byte
}

// IsZero reports whether the change does nothing.
func (c Change) IsZero() bool { return len(c.Add) == 0 && len(c.Delete) == 0 && c.State == nil }

// Validate refuses a change that contradicts itself, or that nobody could read
// afterwards: an ID that is zero or occurs twice, an empty shard or one over
// 10 MiB, a state over 64 KiB, more than 8192 shards. The error matches
// [ErrInvalidChange]. Every [Branch] calls it before it does anything else.
func (c Change) Validate() error {
	limits := MaintenanceLimits()
	seen := make(map[ID]bool, len(c.Add)+len(c.Delete))
	for _, a := range c.Add {
		switch {
		case a.ID.IsZero() || seen[a.ID]:
			return fmt.Errorf("%w: an added ID is zero or repeated", ErrInvalidChange)
		case len(a.Data) == 0 || int64(len(a.Data)) > limits.FileBytes:
			return fmt.Errorf("%w: an added shard is empty or too large", ErrInvalidChange)
		}
		seen[a.ID] = true
	}
	for _, id := range c.Delete {
		if id.IsZero() || seen[id] {
			return fmt.Errorf("%w: a deleted ID is zero, repeated or also added", ErrInvalidChange)
		}
		seen[id] = true
	}
	if int64(len(c.State)) > limits.StateBytes() {
		return fmt.Errorf("%w: the state is too large", ErrInvalidChange)
	}
	if len(seen) > limits.Files {
		return fmt.Errorf("%w: too many shards", ErrInvalidChange)
	}
	return nil
}

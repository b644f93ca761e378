package shard

import "context"

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
// and only that. It MUST fail with [ErrIdentityCollision], and change nothing,
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

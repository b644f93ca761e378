// Package shard defines how ledger files are read from and published to a
// branch: the values that travel ([Shard], [Snapshot], [Change]) and the two
// capabilities ([Reader], [Branch]). A job that must not write is handed a
// Reader and cannot write.
//
// Use [github.com/gitledger/gitledger/shard/gitbranch] for a Git repository or
// remote, and [Dir] for a plain directory; its documentation says what an
// acknowledgement means there, and what each crash leaves. Whoever implements Branch proves it
// with [github.com/gitledger/gitledger/shard/branchtest].
package shard

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gofrs/uuid/v5"
)

// Layout of a ledger branch. Anything else on the branch is preserved untouched.
const (
	Folder    = "ledger/shards"                // holds <uuid>.jsonl files
	StatePath = "ledger/compaction/state.json" // compaction's state file
	Extension = ".jsonl"
)

// ID names a shard: a version 4 UUID, written bare and in lower case (S2-03).
// The zero ID names nothing.
type ID uuid.UUID

// ParseID reads the canonical text of a shard ID. Upper case, braces, other
// UUID versions and variants are refused.
func ParseID(s string) (ID, error) {
	u, err := uuid.FromString(s)
	if err != nil || u.String() != s || u.Version() != uuid.V4 || u.Variant() != uuid.VariantRFC9562 {
		return ID{}, errors.New("shard: not a lower-case version 4 UUID")
	}
	return ID(u), nil
}

// NewID returns a random shard ID.
func NewID() (ID, error) {
	u, err := uuid.NewV4()
	if err != nil {
		return ID{}, fmt.Errorf("shard: new ID: %w", err)
	}
	return ID(u), nil
}

// FileID returns the ID in a shard's file name, such as
// 41bf13ca-279d-4e6b-ae10-4d463d777db7.jsonl, and whether there is one.
func FileID(name string) (ID, bool) {
	text, ok := strings.CutSuffix(name, Extension)
	if !ok {
		return ID{}, false
	}
	id, err := ParseID(text)
	return id, err == nil
}

// String returns the bare lower-case UUID.
func (id ID) String() string { return uuid.UUID(id).String() }

// FileName returns the shard's name in [Folder].
func (id ID) FileName() string { return id.String() + Extension }

// Path returns the shard's slash-separated path on a branch. It is the only
// place where such a path is made (S9-07).
func (id ID) Path() string { return Folder + "/" + id.FileName() }

// IsZero reports whether id names nothing.
func (id ID) IsZero() bool { return id == ID{} }

// MarshalText implements [encoding.TextMarshaler].
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler] with the rules of [ParseID].
func (id *ID) UnmarshalText(b []byte) (err error) {
	*id, err = ParseID(string(b))
	return err
}

// A Shard is one file of [Folder] whose name ends in .jsonl, as a snapshot holds it.
type Shard struct {
	Name  string // file name, not a path
	ID    ID     // zero when Name is not a shard ID
	Size  int64  // bytes
	Data  []byte // nil when Fault is set; never modified
	Fault Fault
}

// Fault says why a shard's bytes were not read. Each fault is one diagnostic
// of the history; the other shards are not disturbed.
type Fault string

const (
	FaultName       Fault = "name"        // the name is not a shard ID
	FaultNotRegular Fault = "not-regular" // symlink, submodule, directory, FIFO, device, socket
	FaultSize       Fault = "size"        // larger than Limits.FileBytes
	FaultVanished   Fault = "vanished"    // gone or changed while the folder was read
)

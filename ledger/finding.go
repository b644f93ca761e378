package ledger

import (
	"fmt"
	"strings"

	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// Finding is one thing that was checked and is bad, in the first commit that
// has it. It carries identifiers, codes and counts, never a record's content
// or the name of a file that is not the ledger's.
type Finding struct {
	Kind   FindingKind   `json:"kind"`
	Commit shard.Head    `json:"commit,omitempty"`
	File   string        `json:"file,omitempty"`   // a shard's file name; of another file, quoted
	Object shard.Object  `json:"object,omitempty"` // of the store, in hexadecimal
	Detail string        `json:"detail,omitempty"` // a few fixed words
	Code   record.Code   `json:"code,omitempty"`   // of the malformed lines
	Line   int           `json:"line,omitempty"`   // the first one, 1-based
	Count  int           `json:"count,omitempty"`  // of the records, lines or shards that it is about
	SHAs   []record.Hash `json:"shas,omitempty"`   // the first few of its records
}

// FindingKind is what is bad, as a stable word.
type FindingKind string

const (
	// ObjectMissing: an object of the history is not there.
	ObjectMissing FindingKind = "object-missing"
	// ObjectDamaged: an object of the history cannot be read.
	ObjectDamaged FindingKind = "object-damaged"
	// NameForbidden: an entry is called .git, "." or "..".
	NameForbidden FindingKind = "name-forbidden"
	// PathBlocked: something lies where a folder of the ledger belongs.
	PathBlocked FindingKind = "path-blocked"
	// NotRegular: a shard or the state file is a symlink, folder or the like.
	NotRegular FindingKind = "not-regular"

	// ShardName: a file of the shard folder ends in .jsonl and names no shard.
	ShardName FindingKind = "shard-name"
	// ShardSize: a shard is larger than any that is read.
	ShardSize FindingKind = "shard-size"
	// ShardEmpty: a shard has no lines.
	ShardEmpty FindingKind = "shard-empty"
	// ShardMalformed: lines of a shard are no records; Code, Line and Count tell.
	ShardMalformed FindingKind = "shard-malformed"
	// ShardRewritten: a shard has other bytes than in the commit before.
	ShardRewritten FindingKind = "shard-rewritten"

	// DuplicateID: new records have an ID that another record has.
	DuplicateID FindingKind = "duplicate-id"
	// MissingParent: new records name a parent that is not on the branch.
	MissingParent FindingKind = "missing-parent"
	// RecordsLost: records that a parent commit shows are not there any more.
	RecordsLost FindingKind = "records-lost"

	// ShardsDeleted: shards were deleted, but not by a compaction, which adds at
	// most one and changes the state file in the same commit (S5.4-03).
	ShardsDeleted FindingKind = "shards-deleted"
	// UnionInexact: a compaction's replacement does not hold exactly the records
	// of its sources (S6-04).
	UnionInexact FindingKind = "union-inexact"
	// ReplacementForged: a replacement's ID or bytes do not follow from its
	// records (S6-03).
	ReplacementForged FindingKind = "replacement-forged"
	// StateInvalid: the compaction state file is malformed.
	StateInvalid FindingKind = "state-invalid"
	// StateMismatch: the state file names another ledger, or not the plan whose
	// transition the commit is.
	StateMismatch FindingKind = "state-mismatch"
	// StateUnexplained: the state file changed without a compaction.
	StateUnexplained FindingKind = "state-unexplained"

	// BranchTooLarge: the latest commit has more than readers accept (S7-04).
	BranchTooLarge FindingKind = "branch-too-large"
	// TipDiffers: what a reader makes of the latest commit is not what the
	// commits add up to, or not in replay order.
	TipDiffers FindingKind = "tip-differs"
)

// FindingKinds lists every kind.
func FindingKinds() []FindingKind {
	return []FindingKind{
		ObjectMissing, ObjectDamaged, NameForbidden, PathBlocked, NotRegular,
		ShardName, ShardSize, ShardEmpty, ShardMalformed, ShardRewritten,
		DuplicateID, MissingParent, RecordsLost,
		ShardsDeleted, UnionInexact, ReplacementForged, StateInvalid, StateMismatch, StateUnexplained,
		BranchTooLarge, TipDiffers,
	}
}

// maxNamed is how many records a finding names.
const maxNamed = 8

// String returns the finding on one line.
func (f Finding) String() string {
	var b strings.Builder
	b.WriteString(string(f.Kind))
	add := func(label, text string) {
		if text != "" {
			fmt.Fprintf(&b, " %s=%s", label, text)
		}
	}
	add("commit", quoted(string(f.Commit)))
	add("file", f.File)
	if f.Object != "" {
		add("object", f.Object.String())
	}
	if f.Line > 0 {
		add("line", fmt.Sprint(f.Line))
	}
	add("code", string(f.Code))
	if f.Count > 0 {
		add("count", fmt.Sprint(f.Count))
	}
	for _, sha := range f.SHAs {
		add("record", sha.String())
	}
	if f.Detail != "" {
		b.WriteString(": " + f.Detail)
	}
	return b.String()
}

package shard

import (
	"cmp"
	"context"
	"encoding/hex"
	"iter"
)

// A Log gives the whole history of one ledger branch, object by object, for
// checking. It never changes it. Who reads a ledger needs a [Reader] only.
//
// What is stored under an object's name never changes, so a caller may keep
// what it got. An object that is missing or damaged is a [*DamagedError], and
// says nothing about other objects. Files and folders larger than a bound are
// a [*LimitError]. A Log MUST NOT panic on anything that is stored.
type Log interface {
	Reader

	// Name is the branch's name, such as ledgers/tasks.
	Name() string

	// Commits yields every commit that can be reached from the branch's latest
	// head, each once: a commit's parents before it, one line of descent to its
	// end before another, the head last. An absent branch has none. Beside a
	// [*DamagedError] there is a Commit of which only the ID is known, and the
	// sequence goes on; any other error is its last.
	Commits(ctx context.Context) iter.Seq2[Commit, error]

	// Folder returns the entries of a folder in the order of [Entry.Compare]:
	// by the bytes of their names, where a folder's name counts with a slash at
	// its end. No name occurs twice, and none holds a slash; a folder of which
	// that is not true is damaged.
	Folder(ctx context.Context, folder Object) ([]Entry, error)

	// File returns a file's bytes, of which there may be limit.
	File(ctx context.Context, file Object, limit int64) ([]byte, error)
}

// Object is a store's own name of something stored: a few bytes. Equal names
// mean equal content.
type Object string

// String returns the name in hexadecimal.
func (o Object) String() string { return hex.EncodeToString([]byte(o)) }

// MarshalText implements [encoding.TextMarshaler] with the text of String.
func (o Object) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// Commit is one commit of a branch.
type Commit struct {
	ID      Head
	Tree    Object // the folder of all files
	Parents []Head
}

// Entry is one entry of a folder.
type Entry struct {
	Name   string
	Kind   EntryKind
	Object Object
}

// Compare orders entries as Git does: by name, a folder's ending in a slash.
func (e Entry) Compare(o Entry) int {
	n := min(len(e.Name), len(o.Name))
	if c := cmp.Compare(e.Name[:n], o.Name[:n]); c != 0 {
		return c
	}
	return cmp.Compare(e.after(n), o.after(n))
}

// after returns the i-th byte of the name as it counts, which may be past its end.
func (e Entry) after(i int) byte {
	switch {
	case i < len(e.Name):
		return e.Name[i]
	case e.Kind == EntryFolder:
		return '/'
	}
	return 0
}

// EntryKind is what an entry says that it is.
type EntryKind uint8

const (
	EntryIrregular EntryKind = iota // a symlink, or a file of a mode that no ledger file has
	EntryFile                       // a regular file
	EntryFolder                     // a folder
	EntryElsewhere                  // a submodule: its object is in another repository
)

// DamagedError says that an object could not be read as what it should be.
type DamagedError struct {
	Object Object
	Damage Damage
}

// Damage is what is wrong with an object.
type Damage string

const (
	DamageMissing   Damage = "missing"   // it is not there
	DamageContent   Damage = "content"   // its bytes cannot be read, or are not those of its name
	DamageKind      Damage = "kind"      // it is another kind of object
	DamageMalformed Damage = "malformed" // it can be read, and is not well-formed
)

func (e *DamagedError) Error() string {
	return "shard: object " + e.Object.String() + " is damaged: " + string(e.Damage)
}

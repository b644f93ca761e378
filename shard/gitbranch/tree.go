package gitbranch

import (
	"bytes"
	"strings"

	git "github.com/libgit2/git2go/v34"

	"github.com/gitledger/gitledger/shard"
)

// entry is one entry of a Git tree as it is stored. The mode is kept as it is
// written, because libgit2 rounds unusual modes to usual ones.
type entry struct {
	name string
	mode string // octal, as stored
	id   git.Oid
}

const (
	modeTree = "40000"
	modeFile = "100644"
	modeExec = "100755"
	modeLink = "160000" // a submodule
)

// regular reports whether e is a file as a ledger allows it.
func (e entry) regular() bool { return e.mode == modeFile || e.mode == modeExec }

// forEntries calls f for each entry of a raw tree object, and reports whether
// the object is well formed: entries in Git's order, names without a slash. f
// returns false to stop. The entry's name is a copy.
func forEntries(raw []byte, f func(entry) bool) bool {
	var last entry
	for first := true; len(raw) > 0; first = false {
		space := bytes.IndexByte(raw, ' ')
		if space < 5 || space > 6 || !octal(raw[:space]) {
			return false
		}
		nul := bytes.IndexByte(raw, 0)
		if nul < space+2 || len(raw)-nul-1 < len(git.Oid{}) {
			return false
		}
		e := entry{mode: modeText(raw[:space]), name: string(raw[space+1 : nul])}
		if strings.IndexByte(e.name, '/') >= 0 {
			return false
		}
		copy(e.id[:], raw[nul+1:])
		if !first && !before(last, e) {
			return false
		}
		if !f(e) {
			return true
		}
		last = e
		raw = raw[nul+1+len(git.Oid{}):]
	}
	return true
}

// modeText returns a mode as text, without a copy when it is a usual one.
func modeText(mode []byte) string {
	switch string(mode) {
	case modeFile:
		return modeFile
	case modeTree:
		return modeTree
	}
	return string(mode)
}

// before is Git's order of tree entries: by name, a directory's name ending in
// a slash. Equal names are never in order, whatever their kinds.
func before(a, b entry) bool {
	if a.name == b.name {
		return false
	}
	return a.asEntry().Compare(b.asEntry()) < 0
}

// asEntry is e as a history gives it.
func (e entry) asEntry() shard.Entry {
	x := shard.Entry{Name: e.name}
	switch {
	case e.regular():
		x.Kind = shard.EntryFile
	case e.mode == modeTree:
		x.Kind = shard.EntryFolder
	case e.mode == modeLink:
		x.Kind = shard.EntryElsewhere
	}
	return x
}

func octal(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '7' {
			return false
		}
	}
	return true
}

package gitbranch

import (
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
// returns false to stop. The entries keep one copy of the object among them.
func forEntries(raw []byte, f func(entry) bool) bool {
	var last entry
	text := string(raw)
	for first := true; len(text) > 0; first = false {
		space := strings.IndexByte(text, ' ')
		if space < 5 || space > 6 || !octal(text[:space]) {
			return false
		}
		nul := strings.IndexByte(text, 0)
		if nul < space+2 || len(text)-nul-1 < len(git.Oid{}) {
			return false
		}
		e := entry{mode: text[:space], name: text[space+1 : nul]}
		if strings.IndexByte(e.name, '/') >= 0 {
			return false
		}
		copy(e.id[:], text[nul+1:])
		if !first && !before(last, e) {
			return false
		}
		if !f(e) {
			return true
		}
		last = e
		text = text[nul+1+len(git.Oid{}):]
	}
	return true
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

func octal(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < '0' || c > '7' {
			return false
		}
	}
	return true
}

package gittest

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// Loose writes objects into a repository as it is told to, sound or not, one
// file each.
type Loose struct {
	Path string // of the bare repository
}

// LooseFile is a file of a commit.
type LooseFile struct {
	Mode string // octal; "" is 100644
	Data []byte
	ID   string // names the object instead of Data
}

// LooseEntry is an entry of a tree.
type LooseEntry struct{ Mode, Name, ID string }

// Init makes the repository, without a process of git.
func (l Loose) Init() error {
	for _, dir := range []string{"objects/pack", "refs/heads"} {
		if err := os.MkdirAll(filepath.Join(l.Path, filepath.FromSlash(dir)), 0o777); err != nil {
			return errors.New("gittest: cannot make a repository's folder")
		}
	}
	for name, text := range map[string]string{
		"HEAD":   "ref: refs/heads/main\n",
		"config": "[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
	} {
		if err := os.WriteFile(filepath.Join(l.Path, name), []byte(text), 0o666); err != nil {
			return errors.New("gittest: cannot write a repository's file")
		}
	}
	return nil
}

// ObjectPath returns the file of an object.
func (l Loose) ObjectPath(id string) string {
	return filepath.Join(l.Path, "objects", id[:2], id[2:])
}

// Object writes an object and returns its ID.
func (l Loose) Object(kind string, data []byte) (string, error) {
	text := append(fmt.Appendf(nil, "%s %d\x00", kind, len(data)), data...)
	sum := sha1.Sum(text)
	id := hex.EncodeToString(sum[:])
	if _, err := os.Lstat(l.ObjectPath(id)); err == nil {
		return id, nil
	}
	return id, l.Replace(id, text)
}

// Replace puts an object's text, header included, in the place of another.
func (l Loose) Replace(id string, text []byte) error {
	var packed bytes.Buffer
	w, err := zlib.NewWriterLevel(&packed, zlib.BestSpeed)
	if err != nil {
		return errors.New("gittest: zlib")
	}
	w.Write(text)
	w.Close()
	path := l.ObjectPath(id)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return errors.New("gittest: cannot make an object's folder")
	}
	if err := os.WriteFile(path, packed.Bytes(), 0o666); err != nil {
		return errors.New("gittest: cannot write an object")
	}
	return nil
}

// Tree writes a tree with those entries in that order.
func (l Loose) Tree(entries ...LooseEntry) (string, error) {
	var data []byte
	for _, e := range entries {
		id, err := hex.DecodeString(e.ID)
		if err != nil {
			return "", errors.New("gittest: not an object ID")
		}
		data = append(fmt.Appendf(data, "%s %s\x00", e.Mode, e.Name), id...)
	}
	return l.Object("tree", data)
}

// Files writes the trees of files by slash-separated path.
func (l Loose) Files(files map[string]LooseFile) (string, error) {
	var entries []LooseEntry
	within := map[string]map[string]LooseFile{}
	for path, f := range files {
		name, rest, deeper := strings.Cut(path, "/")
		if deeper {
			if within[name] == nil {
				within[name] = map[string]LooseFile{}
			}
			within[name][rest] = f
			continue
		}
		id, mode := f.ID, f.Mode
		if mode == "" {
			mode = "100644"
		}
		if id == "" {
			var err error
			if id, err = l.Object("blob", f.Data); err != nil {
				return "", err
			}
		}
		entries = append(entries, LooseEntry{mode, name, id})
	}
	for name, files := range within {
		id, err := l.Files(files)
		if err != nil {
			return "", err
		}
		entries = append(entries, LooseEntry{"40000", name, id})
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].key() < entries[j].key() })
	return l.Tree(entries...)
}

func (e LooseEntry) key() string {
	if e.Mode == "40000" {
		return e.Name + "/"
	}
	return e.Name
}

// Commit writes a commit.
func (l Loose) Commit(tree string, parents ...string) (string, error) {
	text := "tree " + tree + "\n"
	for _, p := range parents {
		text += "parent " + p + "\n"
	}
	const who = "test <test@localhost> 1700000000 +0000\n"
	return l.Object("commit", []byte(text+"author "+who+"committer "+who+"\ntest\n"))
}

// Branch puts a branch at a commit, whatever that is.
func (l Loose) Branch(name, id string) error {
	path := filepath.Join(l.Path, "refs", "heads", filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return errors.New("gittest: cannot make a reference's folder")
	}
	if err := os.WriteFile(path, []byte(id+"\n"), 0o666); err != nil {
		return errors.New("gittest: cannot write a reference")
	}
	return nil
}

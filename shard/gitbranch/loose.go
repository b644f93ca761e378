package gitbranch

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	git "github.com/libgit2/git2go/v34"
)

// loose reads the objects of one repository that lie in a file each. libgit2
// 1.5 reads such a file for ever when it was cut off, as a machine that loses
// power may leave it, and no context ends that; so it is not asked for these.
type loose struct {
	folders []string // of objects
	file    *bufio.Reader
	inflate io.ReadCloser
}

// errNotLoose is an object that lies elsewhere, or nowhere.
var errNotLoose = errors.New("gitbranch: not a loose object")

// open opens an object and reads what it says of itself.
func (l *loose) open(id git.Oid) (f *os.File, kind git.ObjectType, size int64, err error) {
	if f, err = l.find(id.String()); err != nil {
		return nil, 0, 0, err
	}
	kind, size, err = l.header(f)
	if err != nil {
		f.Close()
		return nil, 0, 0, err
	}
	return f, kind, size, nil
}

func (l *loose) find(name string) (*os.File, error) {
	for _, folder := range l.folders {
		f, err := os.Open(filepath.Join(folder, name[:2], name[2:]))
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, damaged("it cannot be opened")
		}
	}
	return nil, errNotLoose
}

// header starts to inflate an object and reads up to the zero byte.
func (l *loose) header(f *os.File) (git.ObjectType, int64, error) {
	var err error
	if l.inflate == nil {
		l.file = bufio.NewReader(f)
		if l.inflate, err = zlib.NewReader(l.file); err != nil {
			l.inflate = nil
		}
	} else {
		l.file.Reset(f)
		err = l.inflate.(zlib.Resetter).Reset(l.file, nil)
	}
	var text [maxLooseHeader]byte
	n := 0
	for ; err == nil; n++ {
		if n == len(text) {
			return 0, 0, damaged("header")
		}
		if _, err = io.ReadFull(l.inflate, text[n:n+1]); err == nil && text[n] == 0 {
			break
		}
	}
	if err != nil {
		return 0, 0, damaged("compression")
	}
	word, digits, _ := strings.Cut(string(text[:n]), " ")
	size, err := strconv.ParseInt(digits, 10, 64)
	kind, ok := map[string]git.ObjectType{
		"commit": git.ObjectCommit, "tree": git.ObjectTree, "blob": git.ObjectBlob, "tag": git.ObjectTag,
	}[word]
	if err != nil || !ok || size < 0 || strconv.FormatInt(size, 10) != digits {
		return 0, 0, damaged("header")
	}
	return kind, size, nil
}

const maxLooseHeader = 32

// size returns an object's kind and size.
func (l *loose) size(id git.Oid) (git.ObjectType, int64, error) {
	f, kind, size, err := l.open(id)
	if err != nil {
		return git.ObjectInvalid, 0, err
	}
	f.Close()
	return kind, size, nil
}

// read returns an object's bytes, which are those of its name.
func (l *loose) read(id git.Oid, kind git.ObjectType, limit int64) ([]byte, error) {
	f, k, size, err := l.open(id)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if k != kind {
		return nil, damaged("kind")
	}
	if size > limit {
		return nil, errBig
	}
	info, err := f.Stat()
	if err != nil || size > (info.Size()+1)*maxInflation {
		return nil, damaged("size")
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(l.inflate, data); err != nil {
		return nil, damaged("compression")
	}
	if n, err := l.inflate.Read(make([]byte, 1)); n != 0 || err != io.EOF { // which checks the checksum
		return nil, damaged("compression")
	}
	hash := sha1.New()
	hash.Write([]byte(looseWord(kind) + " " + strconv.FormatInt(size, 10) + "\x00"))
	hash.Write(data)
	if !bytes.Equal(hash.Sum(nil), id[:]) {
		return nil, damaged("digest")
	}
	return data, nil
}

// maxInflation is more than deflate can make of a byte, so that a file that
// promises more than it holds costs no memory.
const maxInflation = 1100

func looseWord(kind git.ObjectType) string {
	switch kind {
	case git.ObjectCommit:
		return "commit"
	case git.ObjectTree:
		return "tree"
	}
	return "blob"
}

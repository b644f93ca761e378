package gitbranch

import (
	"bytes"
	"context"
	"crypto/sha1"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// indexes are the checked indexes of packs. libgit2 1.5 believes what such a file
// says and reads outside of the pack when it is damaged, which ends the process;
// so none is left to it before its checksum was found right. A forged index has
// a right checksum: this is against broken disks, not against whoever can write
// to the repository.
type indexes struct {
	mu    sync.Mutex
	sound map[string]stamp
}

// stamp tells a file from one that was put in its place.
type stamp struct {
	size     int64
	modified time.Time
}

// check looks at the indexes in the folders of objects that it does not know yet.
func (x *indexes) check(ctx context.Context, folders []string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	known := x.sound
	x.sound = make(map[string]stamp, len(known)) // what is gone is forgotten
	for _, folder := range folders {
		pack := filepath.Join(folder, "pack")
		entries, _ := os.ReadDir(pack) // absent is empty
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), ".idx") && e.Name() != "multi-pack-index" {
				continue
			}
			if err := ended(ctx); err != nil {
				return err
			}
			name := filepath.Join(pack, e.Name())
			now, err := checkIndex(name, known[name])
			switch {
			case errors.Is(err, fs.ErrNotExist): // packed anew meanwhile
			case err != nil:
				return damaged("index of a pack")
			default:
				x.sound[name] = now
			}
		}
	}
	return nil
}

var errChecksum = errors.New("gitbranch: wrong checksum")

// checkIndex compares the SHA-1 at the end of an index with that of all before
// it, unless the file still has the stamp with which it was sound.
func checkIndex(name string, sound stamp) (stamp, error) {
	f, err := os.Open(name)
	if err != nil {
		return stamp{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return stamp{}, err
	}
	now := stamp{info.Size(), info.ModTime()}
	if now == sound {
		return now, nil
	}
	hash := sha1.New()
	if _, err := io.CopyN(hash, f, now.size-sha1.Size); err != nil {
		return stamp{}, errChecksum
	}
	var want [sha1.Size]byte
	if _, err := io.ReadFull(f, want[:]); err != nil || !bytes.Equal(hash.Sum(nil), want[:]) {
		return stamp{}, errChecksum
	}
	return now, nil
}

package gitbranch

import (
	"os"
	"path/filepath"
	"strings"
)

// A cache grows by a pack with each fetch and by loose objects with each commit,
// and libgit2 would need minutes to repack one of thousands of commits. A worn
// cache is therefore dropped: the server sends the history again, as one pack,
// which is a few megabytes and comes to some kilobytes for each run since.
const (
	maxPacks = 256
	maxLoose = 40 // in one of 256 folders, so some 10,000 in all
)

func (c *cache) worn() bool {
	objects := filepath.Join(c.path(), "objects")
	return count(filepath.Join(objects, "pack"), ".pack") > maxPacks || count(filepath.Join(objects, "17"), "") > maxLoose
}

func count(dir, suffix string) (n int) {
	entries, _ := os.ReadDir(dir) // absent is empty
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), suffix) {
			n++
		}
	}
	return n
}

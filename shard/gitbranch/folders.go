package gitbranch

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
)

// objectFolders finds where a repository's objects are: its own folder, which a
// linked working tree shares with its repository, and those that it borrows from.
func objectFolders(repository string) []string {
	if common, err := os.ReadFile(filepath.Join(repository, "commondir")); err == nil {
		dir := strings.TrimRight(string(common), "\r\n")
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(repository, dir)
		}
		repository = dir
	}
	folders := []string{filepath.Join(repository, "objects")}
	seen := map[string]bool{folders[0]: true}
	for i := 0; i < len(folders) && len(folders) < maxAlternates; i++ {
		f, err := os.Open(filepath.Join(folders[i], "info", "alternates"))
		if err != nil {
			continue
		}
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			dir := strings.TrimRight(lines.Text(), "\r")
			if dir == "" || dir[0] == '#' {
				continue
			}
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(folders[i], dir)
			}
			if dir = filepath.Clean(dir); !seen[dir] {
				seen[dir] = true
				folders = append(folders, dir)
			}
		}
		f.Close()
	}
	return folders
}

// maxAlternates ends a search that leads from folder to folder.
const maxAlternates = 64

package txn

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

func (v Validation) path() string {
	if v.Path != "" {
		return v.Path
	}
	return os.Getenv("PATH")
}

// lookNode finds node in the absolute folders of a PATH. The memory's folder
// is the working directory, so a relative one must not be searched.
func lookNode(path string) (string, error) {
	name := "node"
	if runtime.GOOS == "windows" {
		name = "node.exe"
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		file := filepath.Join(dir, name)
		info, err := os.Stat(file)
		if err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode().Perm()&0o111 != 0) {
			return file, nil
		}
	}
	return "", fs.ErrNotExist
}

// systemEnvironment is what a process cannot start without.
func systemEnvironment() []string {
	if root := os.Getenv("SystemRoot"); runtime.GOOS == "windows" && root != "" {
		return []string{"SystemRoot=" + root}
	}
	return nil
}

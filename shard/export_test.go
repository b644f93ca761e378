package shard

import "io"

// BeforeLock makes each Commit of d call step before it takes the lock: the
// last moment at which another can commit.
func (d *Dir) BeforeLock(step func()) { d.root = beforeLock{d.root, step} }

type beforeLock struct {
	folder
	step func()
}

func (f beforeLock) sub(name string) (folder, error) {
	below, err := f.folder.sub(name)
	return beforeLock{below, f.step}, err
}

func (f beforeLock) lock(name string, exclusive bool) (io.Closer, error) {
	if exclusive {
		f.step()
	}
	return f.folder.lock(name, exclusive)
}

// Own reports whether a file in the ledger folder is the directory's own.
func Own(path string) bool {
	return path == folderName+"/"+lockName || path == folderName+"/"+intentDone
}

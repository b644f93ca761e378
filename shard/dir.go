package shard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// Dir is a ledger in a directory, as a [Branch]: for tools that have a checkout
// rather than a remote. Handles in any number of processes may share one
// directory; use one from several goroutines as you like.
//
// # What is in the directory
//
// The shards and the state file lie where they lie on a Git branch. Beside
// them, in the ledger folder, are .lock, which is empty and stays, and
// .committed, the record of the last commit. Every other file is left alone.
// Only regular files are read; below the directory no symlink is followed, in
// any part of a path. Nothing outside it can be reached.
//
// # What an acknowledgement means
//
// When Commit returns nil the change survives the death of the process and, as
// far as the file system keeps what it was told to sync, a power failure. The
// change is published by one rename, which makes its commit record .commit
// visible; before that nothing of it can be seen, and from then on all of it.
// Whoever reads before the files are in place reads them through the record.
// The next Commit of any process finishes what is left, so no repair is needed.
//
// A process that dies leaves this behind:
//   - before the commit record is renamed: staged files with names such as
//     .<shard>.jsonl.new, which nobody reads and the next Commit removes;
//   - after it: the published change, in part still in staged files;
//   - while it carries the change out, the same;
//   - after the commit record was renamed to .committed: nothing but the change.
//
// The lock is the kernel's, which gives it up when its holder dies.
//
// What another program puts in a published shard's place is kept: Commit fails
// with [ErrIdentityCollision] until one of the two files is gone.
//
// A commit record is believed, wherever it came from. It names shards by their
// IDs, never a path, so that whoever plants one can do no more with it than add,
// delete and replace files of this ledger, which takes the same access.
//
// An error says as elsewhere what happened. [ErrOutcomeUnknown] means that the
// commit record was renamed but could not be made durable: the change can be
// seen, and a power failure may still undo it as a whole.
//
// # The head
//
// The head is a digest of names and bytes, so whoever writes to the directory
// by other means moves it, and the same content has the same head again. Files
// that are not read are known by their size and time. Other programs do not
// know the lock: do not let a checkout or a pull run beside Commit.
type Dir struct {
	// LockWait is how long to wait for other processes; 0 stands for ten
	// seconds, and less than 0 for not at all. Then the call fails with
	// [ErrLocked].
	LockWait time.Duration

	root folder
}

var _ Branch = (*Dir)(nil)

// OpenDir opens a directory that exists, and stays with it if another one takes
// its path. It may be empty, which is an absent branch; nothing is written
// before the first Commit. It fails with [ErrUnavailable].
func OpenDir(path string) (*Dir, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, unavailable("the directory cannot be opened")
	}
	return &Dir{root: osFolder{root}}, nil
}

// Close closes the directory. Calls on other handles are not affected.
func (d *Dir) Close() error {
	if d.root.Close() != nil {
		return unavailable("the directory cannot be closed")
	}
	return nil
}

// Reader returns the directory as a Reader, which cannot be turned back into
// something that writes.
func (d *Dir) Reader() Reader { return dirReader{d.Snapshot} }

type dirReader struct {
	snapshot func(context.Context, Limits) (*Snapshot, error)
}

func (r dirReader) Snapshot(ctx context.Context, limits Limits) (*Snapshot, error) {
	return r.snapshot(ctx, limits)
}

// Snapshot implements [Reader]. It writes nothing. It waits while another
// process commits, and others wait with their commits while it reads.
func (d *Dir) Snapshot(ctx context.Context, limits Limits) (*Snapshot, error) {
	for {
		snap, err := d.snapshotOnce(ctx, limits)
		if !errors.Is(err, errLockAppeared) {
			return snap, err
		}
	}
}

// errLockAppeared: the first commit ever began while a snapshot was read.
var errLockAppeared = errors.New("the lock appeared")

func (d *Dir) snapshotOnce(ctx context.Context, limits Limits) (*Snapshot, error) {
	ledger, err := d.openLedger(ctx)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Snapshot{}, nil
	case errors.Is(err, errIrregular):
		return blockedView(folderName).snapshot(ctx, limits)
	case err != nil:
		return nil, err
	}
	defer ledger.Close()
	unlock, err := d.acquire(ctx, ledger, false)
	locked := err == nil
	if locked {
		defer unlock.Close()
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	v, err := openView(ledger)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	snap, err := v.snapshot(ctx, limits)
	if !locked {
		if _, missing := ledger.lstat(lockName); missing == nil {
			return nil, errLockAppeared
		}
	}
	return snap, err
}

// openLedger opens the ledger folder. The error matches fs.ErrNotExist when
// there is none, and errIrregular when it is something else.
func (d *Dir) openLedger(ctx context.Context) (folder, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ledger, err := d.root.sub(folderName)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errIrregular) {
		return nil, unavailable("the ledger folder cannot be opened")
	}
	return ledger, err
}

const (
	defaultLockWait = 10 * time.Second
	firstPause      = time.Millisecond
	longestPause    = 50 * time.Millisecond
)

// acquire takes the lock, waiting within bounds. A lock file that does not
// exist is fs.ErrNotExist to a reader.
func (d *Dir) acquire(ctx context.Context, ledger folder, exclusive bool) (io.Closer, error) {
	wait := d.LockWait
	if wait == 0 {
		wait = defaultLockWait
	}
	limit := time.NewTimer(wait)
	defer limit.Stop()
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		held, err := ledger.lock(lockName, exclusive)
		switch {
		case err == nil:
			return held, nil
		case errors.Is(err, fs.ErrNotExist) && !exclusive:
			return nil, fs.ErrNotExist
		case !errors.Is(err, errBusy):
			return nil, unavailable("the lock cannot be taken")
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-limit.C:
			timer.Stop()
			return nil, fmt.Errorf("%w: another process has had it for %s", ErrLocked, wait)
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
	}
}

// unavailable is ErrUnavailable with a reason that names no path.
func unavailable(reason string) error { return fmt.Errorf("%w: %s", ErrUnavailable, reason) }

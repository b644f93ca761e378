package shard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
)

// Commit implements [Branch]. The directory may hold what [MaintenanceLimits]
// allow, before the change and after it; else the error is a [*LimitError].
// Every byte of it is read to know the head.
func (d *Dir) Commit(ctx context.Context, expect Head, change Change) (Head, error) {
	if err := change.Validate(); err != nil {
		return "", err
	}
	ledger, err := d.openLedger(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		if change.IsZero() && expect == "" {
			return "", nil
		}
		ledger, err = d.makeLedger(expect, change)
	}
	if errors.Is(err, errIrregular) {
		if blocked, err := blockedView(folderName).snapshot(ctx, Limits{}); err != nil || blocked.Head != expect {
			return "", ErrHeadMoved
		}
		return "", errBlocked()
	}
	if err != nil {
		return "", err
	}
	defer ledger.Close()
	unlock, err := d.acquire(ctx, ledger, true)
	if err != nil {
		return "", err
	}
	defer unlock.Close()

	if err := finish(ledger); err != nil {
		return "", err
	}
	v, err := openView(ledger)
	if err != nil {
		return "", err
	}
	defer v.Close()
	c := commit{view: v, change: change}
	return c.run(ctx, expect)
}

func errBlocked() error {
	return fmt.Errorf("%w: something else lies where a folder belongs", ErrIdentityCollision)
}

// makeLedger makes the ledger folder of an absent branch, unless the change is
// refused anyway.
func (d *Dir) makeLedger(expect Head, change Change) (folder, error) {
	switch {
	case expect != "":
		return nil, ErrHeadMoved
	case len(change.Delete) > 0:
		return nil, ErrShardMissing
	}
	if err := d.root.mkdir(folderName); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, unavailable("the ledger folder cannot be made")
	}
	if err := d.root.sync(); err != nil {
		return nil, unavailable("the ledger folder cannot be made durable")
	}
	ledger, err := d.root.sub(folderName)
	if err != nil && !errors.Is(err, errIrregular) {
		return nil, unavailable("the ledger folder cannot be opened")
	}
	return ledger, err
}

// commit is one change on its way into a directory, under the lock.
type commit struct {
	view   *view
	change Change
}

func (c *commit) run(ctx context.Context, expect Head) (Head, error) {
	before, content, err := c.view.read(ctx, MaintenanceLimits(), false)
	if err != nil {
		return "", err
	}
	if content.head() != expect {
		return "", ErrHeadMoved
	}
	if c.change.IsZero() {
		return expect, nil
	}
	if c.view.blocked != "" || c.view.recordBlocked || c.change.State != nil && c.stateBlocked() {
		return "", errBlocked()
	}
	in, err := c.plan(&content)
	if err != nil {
		return "", err
	}
	if len(in.Add) == 0 && len(in.Delete) == 0 && !in.State {
		return expect, nil // all of it is there
	}
	if err := c.fits(before, in); err != nil {
		return "", err
	}
	if err := c.stage(ctx, in); err != nil {
		sweep(c.view.ledger) // as far as it goes; the next commit does it again
		return "", err
	}
	if err := publish(c.view.ledger); err != nil {
		return "", err
	}
	// The change is there for good. What fails now is done by the next commit.
	_ = finish(c.view.ledger)
	return content.head(), nil
}

// stateBlocked reports whether something lies where the state's folder belongs,
// or a folder where the state belongs.
func (c *commit) stateBlocked() bool {
	if c.view.compaction == nil {
		_, err := c.view.ledger.lstat(compactionName)
		return err == nil
	}
	_, info, err := c.view.stateFile()
	return err == nil && info.IsDir()
}

// plan decides what is to be done to the files, and turns the content into that
// after the change.
func (c *commit) plan(after *content) (intent, error) {
	in := intent{State: c.change.State != nil}
	for _, id := range c.change.Delete {
		if token, ok := after.shards[id.FileName()]; !ok || token == string(FaultNotRegular) || token == string(FaultVanished) {
			return in, ErrShardMissing
		}
		in.Delete = append(in.Delete, id)
	}
	for _, a := range c.change.Add {
		token, exists := after.shards[a.ID.FileName()]
		if exists && token != dataToken(a.Data) {
			return in, ErrIdentityCollision
		}
		if !exists {
			in.Add = append(in.Add, a.ID)
		}
	}
	for _, id := range in.Delete {
		delete(after.shards, id.FileName())
	}
	for _, a := range c.change.Add {
		after.shards[a.ID.FileName()] = dataToken(a.Data)
	}
	if in.State {
		after.state = dataToken(c.change.State)
	}
	after.exists = true
	return in, nil
}

// fits refuses a change after which nobody could read the directory, and so
// nobody could make it smaller either.
func (c *commit) fits(before *Snapshot, in intent) error {
	limits := MaintenanceLimits()
	if files := len(before.Shards) - len(in.Delete) + len(in.Add); files > limits.Files {
		return &LimitError{What: "files", Limit: int64(limits.Files)}
	}
	sizes := map[ID]int64{}
	for _, s := range before.Shards {
		if s.Fault == "" {
			sizes[s.ID] = s.Size
		}
	}
	for _, id := range in.Delete {
		delete(sizes, id)
	}
	for _, a := range c.change.Add {
		sizes[a.ID] = int64(len(a.Data))
	}
	total := int64(0)
	for _, size := range sizes {
		total += size
	}
	if total > limits.Bytes {
		return &LimitError{What: "bytes", Limit: limits.Bytes}
	}
	return nil
}

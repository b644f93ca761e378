package shard

import (
	"context"
	"errors"
	"io"
	"io/fs"
)

// stage writes what the intent needs, and then the commit record, to files that
// nobody reads. All of it is durable afterwards.
func (c *commit) stage(ctx context.Context, in intent) error {
	if len(in.Add) > 0 {
		if err := c.need(&c.view.shards, shardsName); err != nil {
			return err
		}
		adding := map[ID]bool{}
		for _, id := range in.Add {
			adding[id] = true
		}
		for _, a := range c.change.Add {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if !adding[a.ID] {
				continue
			}
			if err := writeFile(c.view.shards, stagedName(a.ID.FileName()), a.Data); err != nil {
				return err
			}
		}
		if c.view.shards.sync() != nil {
			return unavailable("the shard folder cannot be made durable")
		}
	}
	if in.State {
		if err := c.need(&c.view.compaction, compactionName); err != nil {
			return err
		}
		if err := writeFile(c.view.compaction, stagedName(stateName), c.change.State); err != nil {
			return err
		}
		if c.view.compaction.sync() != nil {
			return unavailable("the compaction folder cannot be made durable")
		}
	}
	text, err := in.encode()
	if err != nil {
		return unavailable("the commit record cannot be written")
	}
	if ctx.Err() != nil {
		return ctx.Err() // the last chance
	}
	return writeFile(c.view.ledger, intentStaged, text)
}

// need opens a folder below the ledger's, and makes it when it is absent.
func (c *commit) need(f *folder, name string) error {
	if *f != nil {
		return nil
	}
	ledger := c.view.ledger
	if err := ledger.mkdir(name); err != nil && !errors.Is(err, fs.ErrExist) {
		return unavailable("a folder cannot be made")
	}
	if ledger.sync() != nil {
		return unavailable("a folder cannot be made durable")
	}
	made, err := ledger.sub(name)
	if err != nil {
		return unavailable("a folder cannot be opened")
	}
	*f = made
	return nil
}

// writeFile makes a new file and makes its bytes durable.
func writeFile(f folder, name string, data []byte) error {
	to, err := f.create(name)
	if err != nil {
		return unavailable("a file cannot be made")
	}
	for len(data) > 0 && err == nil {
		var n int
		n, err = to.Write(data)
		if n == 0 && err == nil {
			err = io.ErrShortWrite
		}
		data = data[n:]
	}
	if err == nil {
		err = to.Sync()
	}
	if closeErr := to.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return unavailable("a file cannot be written")
	}
	return nil
}

// publish makes the staged commit record the commit record: the one moment at
// which a change begins to exist.
func publish(ledger folder) error {
	if err := ledger.rename(intentStaged, intentName); err != nil {
		// It may have happened all the same.
		switch _, err := ledger.lstat(intentName); {
		case errors.Is(err, fs.ErrNotExist):
			sweep(ledger)
			return unavailable("the commit record cannot be published")
		case err != nil:
			return ErrOutcomeUnknown
		}
	}
	if ledger.sync() != nil {
		return ErrOutcomeUnknown
	}
	return nil
}

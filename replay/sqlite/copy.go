package sqlite

import (
	"context"
	"errors"
	"io"
	"os"
)

// copyStride is how many bytes are copied between two looks at the context.
const copyStride = 8 << 20

// copyPrevious starts to fill the file with what is at its place, beside
// whatever else the preparation does.
func (d *draft) copyPrevious(ctx context.Context) error {
	from, err := os.Open(d.path)
	if err != nil {
		return storage("prepare", err)
	}
	ctx, d.stop = context.WithCancel(ctx)
	d.copying = make(chan struct{})
	d.background.Go(func() {
		defer close(d.copying)
		defer from.Close()
		d.copied = copyFile(ctx, d.temp, from)
	})
	return nil
}

// previous waits until the file is a copy of what was at its place.
func (d *draft) previous() error {
	if d.copying == nil {
		return errNotExtensible
	}
	<-d.copying
	return d.copied
}

// copyFile lets the system copy, which may share the blocks of the two files
// instead (with reflinks), and starts to write out each part at once.
func copyFile(ctx context.Context, path string, from *os.File) (err error) {
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return storage("prepare", err)
	}
	defer func() { err = errors.Join(err, storage("prepare", to.Close())) }()
	for at := int64(0); ctx.Err() == nil; at += copyStride {
		_, err := io.CopyN(to, from, copyStride)
		startWriteback(to, at)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return storage("prepare", err)
		}
	}
	return ctx.Err()
}

// writeOut starts to write out what the file has so far.
func (d *draft) writeOut() {
	if locks {
		d.background.Go(func() { startWriteback(d.lock, 0) })
	}
}

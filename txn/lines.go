package txn

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Bounds of what is read before it is understood.
const (
	MaxLineBytes     = 256 << 10 // one request as text; escapes make it longer than the record
	MaxArtifactBytes = 12 << 20  // an artifact, and the requests of one run together
)

var errTotalSize = errors.New("over the total size")

// requestLines calls yield with each line that is not blank and its index. A
// line over MaxLineBytes is given as nil. It stops when yield returns false,
// with errTotalSize when the text is too long, and else with the reader's error.
func requestLines(r io.Reader, yield func(index int, line []byte) bool) error {
	limited := &io.LimitedReader{R: r, N: MaxArtifactBytes + 1}
	in := bufio.NewReaderSize(limited, MaxLineBytes+1)
	for index := 0; ; {
		line, err := in.ReadSlice('\n')
		long := errors.Is(err, bufio.ErrBufferFull)
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = in.ReadSlice('\n')
		}
		if limited.N <= 0 {
			return errTotalSize
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if long {
			line = nil
		} else {
			line = bytes.TrimSpace(line)
		}
		if long || len(line) > 0 {
			if !yield(index, line) {
				return nil
			}
			index++
		}
		if err != nil {
			return nil
		}
	}
}

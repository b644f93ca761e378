package txn

import (
	"errors"

	"github.com/gitledger/gitledger/internal/artifact"
)

// WriteFile writes the artifact of a transaction to a new file, with mode
// 0600, and makes it durable. It follows no symlink. What is there already
// stays as it is and gives an error that matches [io/fs.ErrExist]; of a failed
// write nothing is left.
func WriteFile(path string, t *Transaction) error {
	data, err := t.MarshalJSON()
	if err != nil {
		return err
	}
	return artifact.WriteNew(path, append(data, '\n'))
}

// ReadFile reads an artifact's bytes for [Parse] or [Persist]: a regular file
// of at most [MaxArtifactBytes]. It follows no symlink and waits on no FIFO. A
// file that cannot be an artifact matches [ErrArtifact]; one that is absent
// matches [io/fs.ErrNotExist].
func ReadFile(path string) ([]byte, error) {
	data, err := artifact.ReadBounded(path, MaxArtifactBytes)
	switch {
	case errors.Is(err, artifact.ErrTooLarge):
		return nil, refused(&RequestError{Index: -1, Reason: ReasonTotalSize, Detail: "the artifact is too large"})
	case errors.Is(err, artifact.ErrNotRegular):
		return nil, refused(&RequestError{Index: -1, Reason: ReasonShape, Detail: "not a regular file"})
	}
	return data, err
}

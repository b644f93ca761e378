package compact

import (
	"errors"

	"github.com/gitledger/gitledger/internal/artifact"
)

// WriteFile writes a plan to a new file that only its owner may read. It fails,
// and changes nothing, when path exists in any form (it matches
// [io/fs.ErrExist]).
func WriteFile(path string, p *Plan) error {
	return artifact.WriteNew(path, append(p.Append(nil), '\n'))
}

// ReadFile reads the bytes of a plan for [Apply], at most [MaxPlanBytes],
// without following a symlink. What cannot be a plan file is a
// [*RejectedError]; a file that is absent matches [io/fs.ErrNotExist].
func ReadFile(path string) ([]byte, error) {
	data, err := artifact.ReadBounded(path, MaxPlanBytes)
	if errors.Is(err, artifact.ErrNotRegular) || errors.Is(err, artifact.ErrTooLarge) {
		return nil, reject("")
	}
	return data, err
}

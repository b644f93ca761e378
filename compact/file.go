package compact

import (
	"errors"

	"github.com/gitledger/gitledger/internal/artifact"
)

// WriteFile writes a plan to a new file that only its owner may read. It fails,
// and changes nothing, when path exists in any form (it matches
// [io/fs.ErrExist]), and with a [*RejectedError] when [ParsePlan] would not
// accept the plan, as one over [MaxPlanBytes], or a nil one: what [Propose]
// answers when there is nothing to do.
func WriteFile(path string, p *Plan) error {
	if p == nil {
		return because(PlanMalformed)
	}
	data := append(p.Append(nil), '\n')
	if _, err := ParsePlan(data); err != nil {
		return err
	}
	return artifact.WriteNew(path, data)
}

// ReadFile reads the bytes of a plan for [Apply], at most [MaxPlanBytes],
// without following a symlink (S9-07). What cannot be a plan file is a
// [*RejectedError]; a file that is absent matches [io/fs.ErrNotExist].
func ReadFile(path string) ([]byte, error) {
	data, err := artifact.ReadBounded(path, MaxPlanBytes)
	switch {
	case errors.Is(err, artifact.ErrNotRegular):
		return nil, because(PlanNotRegular)
	case errors.Is(err, artifact.ErrTooLarge):
		return nil, because(PlanTooLarge)
	}
	return data, err
}

package compact

import "errors"

// ErrRejected is matched by the error of a plan that must not be applied.
var ErrRejected = errors.New("compact: plan rejected")

// RejectedError says why a plan was rejected. It matches [ErrRejected].
type RejectedError struct {
	Ledger string // that it was meant for; empty from [ParsePlan] and [ReadFile], which know of none
	Reason Reason
}

func (e *RejectedError) Error() string {
	if e.Ledger == "" {
		return ErrRejected.Error() + ": " + e.Reason.String()
	}
	return "compact: ledger " + e.Ledger + ": plan rejected: " + e.Reason.String()
}

func (e *RejectedError) Is(target error) bool { return target == ErrRejected }

// because is the error of a plan that is rejected as a whole.
func because(code Code) error { return &RejectedError{Reason: Reason{Code: code}} }

// reject is the error of a plan whose field is wrong.
func reject(field string) error {
	return &RejectedError{Reason: Reason{Code: PlanInvalid, Field: field}}
}

package ledger

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Bounds of a report, so that a hostile file cannot make an endless one. What is
// beyond them is counted.
const (
	maxCollected = 1000 // problems that are kept until they are sorted
	maxProblems  = 100  // problems that are listed
	maxPathBytes = 400
)

// report collects problems.
type report struct {
	problems Problems
	more     int // that were not kept
}

func (r *report) add(p Problem) {
	if len(r.problems) == maxCollected {
		r.more++
		return
	}
	if len(p.Path) > maxPathBytes {
		const half = maxPathBytes / 2
		p.Path = strings.ToValidUTF8(p.Path[:half], "") + "…" + strings.ToValidUTF8(p.Path[len(p.Path)-half:], "")
	}
	r.problems = append(r.problems, p)
}

// fail adds a problem whose path is written down only when it is kept.
func (r *report) fail(at spot, code ProblemCode, path *configPath, text, advice string) {
	if len(r.problems) == maxCollected {
		r.more++
		return
	}
	r.add(Problem{Code: code, Path: path.String(), Line: at.line, Column: at.column, Text: text, Advice: advice})
}

// err sorts and bounds the problems; it is nil when there are none.
func (r *report) err() error {
	ps := r.problems
	if len(ps) == 0 {
		return nil
	}
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Text, b.Text))
	})
	if more := r.more + max(len(ps)-maxProblems, 0); more > 0 {
		ps = append(slices.Clip(ps[:min(len(ps), maxProblems)]), Problem{Code: ProblemTooLarge,
			Text: strconv.Itoa(more) + " further problems are not listed", Advice: "correct the ones above first"})
	}
	return ps
}

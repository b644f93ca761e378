package oracle

import (
	"cmp"
	"slices"
)

// placed is where in the replay order a writer's record is.
type placed struct{ turn, at int }

// disorder returns the turns of records that come before one of an earlier
// turn, or before an earlier one of their own.
func disorder(all []placed) []int {
	slices.SortStableFunc(all, func(a, b placed) int { return cmp.Compare(a.turn, b.turn) })
	var turns []int
	for i := 1; i < len(all); i++ {
		if all[i].at < all[i-1].at {
			turns = append(turns, all[i].turn)
		}
	}
	return turns
}

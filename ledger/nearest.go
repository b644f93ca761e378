package ledger

import "strings"

// didYouMean returns `; did you mean "x"?` with the known name that is nearest
// to name, or nothing when none is near.
func didYouMean(name string, known []string) string {
	best, distance := "", 3
	if len(name) <= 64 {
		for _, k := range known {
			if d := editDistance(strings.ToLower(name), k, distance); d < distance {
				best, distance = k, d
			}
		}
	}
	if best == "" || distance >= len(best) {
		return ""
	}
	return `; did you mean "` + best + `"?`
}

// editDistance counts the insertions, deletions and replacements of bytes that
// turn a into b, or returns limit when there are more. Hyphens, underscores and
// a swap of neighbours count as one.
func editDistance(a, b string, limit int) int {
	a, b = strings.ReplaceAll(a, "_", "-"), strings.ReplaceAll(b, "_", "-")
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			replace := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, replace)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return min(rows[len(a)][len(b)], limit)
}

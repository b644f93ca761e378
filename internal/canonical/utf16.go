package canonical

import "cmp"

// CompareUTF16 compares two strings of valid UTF-8 by UTF-16 code units, as
// ECMAScript does. It reads bytes: the two orders differ only where a character
// from U+E000 to U+FFFF meets one beyond, which UTF-16 writes with surrogates.
func CompareUTF16(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}
	if i == n {
		return cmp.Compare(len(a), len(b))
	}
	const privateUse, supplementary = 0xee, 0xf0 // lead bytes of U+E000 and U+10000
	if x, y := a[i], b[i]; x >= privateUse && y >= privateUse && (x >= supplementary) != (y >= supplementary) {
		return cmp.Compare(y, x)
	}
	return cmp.Compare(a[i], b[i])
}

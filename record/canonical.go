package record

import (
	"fmt"

	"github.com/gitledger/gitledger/internal/canonical"
)

// Canonicalize appends the canonical form of the JSON text src to dst (S2-01).
// Of a key that occurs twice the last value counts, as in ECMAScript. It fails,
// and returns dst as it was, when src is not JSON in UTF-8, is nested deeper
// than 32 levels, or holds a number beyond the range of a double.
func Canonicalize(dst, src []byte) ([]byte, error) {
	out, err := canonical.Append(dst, src, canonical.LastWins)
	if err != nil {
		return dst, fmt.Errorf("record: canonicalize: %w", err)
	}
	return out, nil
}

// IsCanonical reports whether b is one canonical JSON value in written order.
func IsCanonical(b []byte) bool { return canonical.Check(b, 0)&canonical.Written != 0 }

package record

import (
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/gitledger/gitledger/internal/canonical"
)

// Draft is what a record is made from.
type Draft struct {
	ID      ID        // not zero
	Type    string    // 1 to 128 UTF-16 code units, in UTF-8
	Time    time.Time // cut to milliseconds, written in UTC; years 0 to 9999
	Parents []Hash    // in any order; at most 64, no two the same
	Payload []byte    // JSON text; canonicalised. At most 32 levels
}

// ErrInvalidDraft is matched by every error of [Seal].
var ErrInvalidDraft = errors.New("record: invalid draft")

// Seal makes the record of a draft: its canonical line, with the digest of
// that line (S2-02). The error names the field that is wrong, not its value.
func Seal(d Draft) (Record, error) {
	if d.ID.IsZero() {
		return Record{}, fmt.Errorf("%w: no id", ErrInvalidDraft)
	}
	if y := d.Time.UTC().Year(); y < 0 || y > 9999 {
		return Record{}, fmt.Errorf("%w: time outside the years 0 to 9999", ErrInvalidDraft)
	}
	if !utf8.ValidString(d.Type) {
		return Record{}, fmt.Errorf("%w: type is not UTF-8", ErrInvalidDraft)
	}
	parents := slices.SortedFunc(slices.Values(d.Parents), Hash.Compare)
	if len(parents) > MaxParents {
		return Record{}, fmt.Errorf("%w: more than %d parents", ErrInvalidDraft, MaxParents)
	}
	if len(slices.Compact(slices.Clone(parents))) != len(parents) {
		return Record{}, fmt.Errorf("%w: repeated parent", ErrInvalidDraft)
	}
	if !validType(canonical.AppendQuoted(nil, d.Type)) {
		return Record{}, fmt.Errorf("%w: type must have 1 to %d UTF-16 code units", ErrInvalidDraft, MaxTypeUnits)
	}
	payload, err := canonical.Append(nil, d.Payload, canonical.LastWins)
	if err != nil {
		return Record{}, fmt.Errorf("%w: payload: %w", ErrInvalidDraft, err)
	}
	var zero Hash
	open := appendLine(nil, d, parents, payload, zero)
	member, ok := new(Record).envelope(open)
	if !ok {
		return Record{}, fmt.Errorf("%w: payload: more than %d levels", ErrInvalidDraft, canonical.MaxDepth)
	}
	bare := append(open[:member.start:member.start], open[member.end:]...)
	line := appendLine(open[:0], d, parents, payload, Sum(bare))
	return Parse(line)
}

func appendLine(dst []byte, d Draft, parents []Hash, payload []byte, sha Hash) []byte {
	dst = append(dst, `{"id":"`...)
	dst = append(dst, d.ID.String()...)
	dst = append(dst, `","parents":[`...)
	for i, h := range parents {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '"')
		dst = append(h.AppendText(dst), '"')
	}
	dst = append(dst, `],"payload":`...)
	dst = append(dst, payload...)
	dst = append(dst, `,"sha":"`...)
	dst = sha.AppendText(dst)
	dst = append(dst, `","timestamp":"`...)
	dst = append(dst, FormatTime(d.Time)...)
	dst = append(dst, `","type":`...)
	dst = canonical.AppendQuoted(dst, d.Type)
	return append(dst, `,"version":1}`...)
}

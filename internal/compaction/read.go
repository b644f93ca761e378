package compaction

import (
	"time"

	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/record"
)

// Digest reads a canonical string that is a digest.
func Digest(v []byte) (record.Hash, bool) {
	if !canonical.IsString(v) {
		return record.Hash{}, false
	}
	h, err := record.ParseHash(string(v[1 : len(v)-1]))
	return h, err == nil
}

// Instant reads a UTC instant with whole seconds or up to three decimals.
func Instant(s string) (time.Time, bool) {
	const whole = "2006-01-02T15:04:05Z"
	if n := len(s); n != len(whole) && (n < len(whole)+2 || n > len(whole)+4 || s[len(whole)-1] != '.') {
		return time.Time{}, false
	}
	t, err := time.Parse(whole, s)
	return t, err == nil
}

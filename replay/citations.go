package replay

import (
	"strings"

	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/ledger"
)

// checkCitations checks the citations of a note (S4.3-17).
func checkCitations(v []byte) error {
	n := 0
	for c := range canonical.Elements(v) {
		if n++; n > ledger.MaxCitations || len(c) > ledger.MaxCitationBytes || !isCitation(c) {
			return InvalidCitation
		}
	}
	if n == 0 {
		return InvalidCitation
	}
	return nil
}

// citation is one source in the repository; lines are 0 when not stated.
type citation struct {
	path       string
	start, end int64
}

// readCitation returns a citation, and whether it is valid.
func readCitation(v []byte) (c citation, ok bool) {
	m, ok := canonical.Exact(v, "type", "path", "start_line", "end_line")
	if !ok || string(m[0]) != `"repository"` {
		return c, false
	}
	if c.path, ok = canonical.Text(m[1]); !ok || !isRepositoryPath(c.path) {
		return c, false
	}
	if c.start, ok = readLine(m[2]); !ok {
		return c, false
	}
	if c.end, ok = readLine(m[3]); !ok || c.end != 0 && c.end < c.start {
		return c, false
	}
	return c, true
}

func isCitation(v []byte) bool {
	_, ok := readCitation(v)
	return ok
}

// readLine reads a line number, which may be absent.
func readLine(v []byte) (int64, bool) {
	if v == nil {
		return 0, true
	}
	n, ok := canonical.Integer(v)
	return n, ok && n >= 1
}

// isRepositoryPath reports whether p is a relative path inside the repository:
// no empty, "." or ".." part, no scheme, no backslash, no control character,
// and none of these in percent-encoded form.
func isRepositoryPath(p string) bool {
	if !(ledger.Field{Kind: ledger.TextField}).Admits(p) || hasScheme(p) || hasEncodedSeparator(p) {
		return false
	}
	for i := range len(p) {
		if p[i] == '\\' || p[i] < 0x20 || p[i] == 0x7f {
			return false
		}
	}
	for part := range strings.SplitSeq(p, "/") {
		if part == "" || part == "." || part == ".." {
			return false
		}
	}
	return true
}

// hasScheme reports whether p starts like a URL: a letter, then letters,
// digits, plus signs, dots and hyphens, then a colon.
func hasScheme(p string) bool {
	for i := range len(p) {
		c := p[i]
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '.' || c == '-'):
		default:
			return i > 0 && c == ':'
		}
	}
	return false
}

// hasEncodedSeparator reports whether p holds a dot, slash or backslash in
// percent-encoded form.
func hasEncodedSeparator(p string) bool {
	for i := 0; i+3 <= len(p); i++ {
		high, low := p[i+1], p[i+2]|0x20
		if p[i] == '%' && (high == '2' && (low == 'e' || low == 'f') || high == '5' && low == 'c') {
			return true
		}
	}
	return false
}

package replay

import (
	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/ledger"
)

// checkCitations checks the citations of a note (S4.3-17).
func checkCitations(v []byte) error {
	n := 0
	for c := range canonical.Elements(v) {
		if n++; n > ledger.MaxCitations || len(c) > ledger.MaxCitationBytes {
			return InvalidCitation
		}
		if _, ok := readCitation(c); !ok {
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
	if c.path, ok = canonical.Text(m[1]); !ok || !ledger.IsRepositoryPath(c.path) {
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

// readLine reads a line number, which may be absent.
func readLine(v []byte) (int64, bool) {
	if v == nil {
		return 0, true
	}
	n, ok := canonical.Integer(v)
	return n, ok && n >= 1
}

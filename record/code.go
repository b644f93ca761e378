package record

// Code says what is wrong with a stored line, file or record. Codes are part
// of the wire format and stable.
type Code string

// A line that fails has exactly one of the first four, checked in this order;
// InvalidEnvelope comes once more after InvalidSHA, for a line with the right
// digest whose bytes are not canonical.
const (
	InvalidJSON        Code = "invalid-json"        // not JSON, or not UTF-8
	UnsupportedVersion Code = "unsupported-version" // an object whose version is present and not 1
	InvalidEnvelope    Code = "invalid-envelope"    // wrong shape, or not canonical; also a file that is no shard
	InvalidSHA         Code = "invalid-sha"         // the digest is not the record's
	TruncatedRecord    Code = "truncated-record"    // a last line without its newline

	DuplicateIDConflict Code = "duplicate-id-conflict" // the ID of another record with another digest
	MissingParent       Code = "missing-parent"        // a parent is not in the history
	Cycle               Code = "cycle"                 // the record can never become ready
)

// Error is why a line is no record. It holds nothing of the line.
type Error struct{ Code Code }

func (e *Error) Error() string { return "record: " + string(e.Code) }

// Is makes two errors with the same code match.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

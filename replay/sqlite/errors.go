package sqlite

import (
	"errors"
	"io/fs"
	"strconv"
	"syscall"

	"github.com/mattn/go-sqlite3"
)

// What a caller of this package decides on. Every error but the context's
// matches one of them, or comes from replaying the history. None carries a
// path, a value, or the text of SQLite or the operating system.
var (
	// ErrStorage: the file system failed, such as a full disk or a missing
	// permission. It also matches [fs.ErrPermission] or [fs.ErrNotExist] when
	// that is why.
	ErrStorage = errors.New("storage failed")

	// ErrNotProjection: the file is no database that this package wrote, or it
	// is damaged. Prepare it again.
	ErrNotProjection = errors.New("not an intact projection database")

	// ErrStatement: the SQL is not valid, or its arguments do not fit it.
	ErrStatement = errors.New("statement is not valid")

	// ErrDenied: the statement does something else than reading.
	ErrDenied = errors.New("statement is not allowed")

	// ErrTooLarge: a statement, value or intermediate result exceeds its bound.
	ErrTooLarge = errors.New("statement or value is too large")

	// ErrTimeout: the query ran longer than [Limits.Time].
	ErrTimeout = errors.New("query exceeded its time")

	// ErrRequest: a [RecordQuery] is not valid.
	ErrRequest = errors.New("record query is not valid")
)

// Error is a failure of this package.
type Error struct {
	Op     string // what was being done, such as "open"
	Offset int    // of what is wrong with a statement, in bytes; -1 when unknown
	Kind   error  // one of the errors above

	cause error // nil or an error without text of its own, such as fs.ErrPermission
}

func (e *Error) Error() string {
	text := "sqlite: " + e.Op + ": " + e.Kind.Error()
	if e.Offset >= 0 {
		text += " at byte " + strconv.Itoa(e.Offset)
	}
	return text
}

// Unwrap gives the Kind, and for [ErrStorage] what is known of the reason.
func (e *Error) Unwrap() []error {
	if e.cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.cause}
}

func fail(op string, kind error) error { return &Error{Op: op, Offset: -1, Kind: kind} }

// storage is the error of a call to the operating system.
func storage(op string, err error) error {
	if err == nil {
		return nil
	}
	e := &Error{Op: op, Offset: -1, Kind: ErrStorage}
	for _, known := range []error{fs.ErrPermission, fs.ErrNotExist} {
		if errors.Is(err, known) {
			e.cause = known
		}
	}
	return e
}

// translate turns an error of the driver into one of this package.
func translate(op string, err error) error {
	if err == nil {
		return nil
	}
	var se sqlite3.Error
	if !errors.As(err, &se) {
		return fail(op, ErrStatement)
	}
	switch se.Code {
	case sqlite3.ErrInterrupt:
		return fail(op, ErrTimeout)
	case sqlite3.ErrAuth, sqlite3.ErrReadonly, sqlite3.ErrPerm:
		return fail(op, ErrDenied)
	case sqlite3.ErrTooBig, sqlite3.ErrNomem:
		return fail(op, ErrTooLarge)
	case sqlite3.ErrCorrupt, sqlite3.ErrNotADB, sqlite3.ErrFormat, sqlite3.ErrSchema, sqlite3.ErrConstraint:
		return fail(op, ErrNotProjection)
	case sqlite3.ErrCantOpen, sqlite3.ErrIoErr, sqlite3.ErrFull, sqlite3.ErrBusy, sqlite3.ErrLocked, sqlite3.ErrProtocol:
		return storage(op, errnoOf(se))
	}
	return fail(op, ErrStatement)
}

func errnoOf(se sqlite3.Error) error {
	if se.SystemErrno != 0 {
		return se.SystemErrno
	}
	return syscall.EIO
}

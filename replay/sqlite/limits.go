package sqlite

import (
	"time"

	"github.com/mattn/go-sqlite3"
)

// Limits bound a query. A zero field has the default, which suits an agent
// that reads results into a prompt.
type Limits struct {
	Rows  int           // rows of a result; 1000
	Bytes int           // names, text and blobs of a result, numbers as 8 bytes; 1 MiB
	Time  time.Duration // from the call to the last row; 5 s
}

// What a statement may be and hold, whatever the limits of its result. No
// value of a projection is longer than maxValueBytes; of longer ones SQLite
// says so before it makes them.
const (
	maxStatementBytes  = 64 << 10
	maxValueBytes      = 256 << 10
	maxColumns         = 64
	maxExpressionDepth = 100
	maxParserDepth     = 100
	maxCompoundTerms   = 20
	maxOperations      = 25_000 // of SQLite's virtual machine
	maxArguments       = 100    // of one function
	maxParameters      = 1200
	maxPatternBytes    = 256 // of LIKE and GLOB
)

const (
	defaultRows  = 1000
	defaultBytes = 1 << 20
	defaultTime  = 5 * time.Second
)

func (l Limits) orDefaults() Limits {
	if l.Rows <= 0 {
		l.Rows = defaultRows
	}
	if l.Bytes <= 0 {
		l.Bytes = defaultBytes
	}
	if l.Time <= 0 {
		l.Time = defaultTime
	}
	return l
}

const limitParserDepth = 12 // SQLITE_LIMIT_PARSER_DEPTH, which the driver has no name for

func setLimits(conn *sqlite3.SQLiteConn) {
	for _, l := range []struct{ id, value int }{
		{sqlite3.SQLITE_LIMIT_LENGTH, maxValueBytes},
		{sqlite3.SQLITE_LIMIT_SQL_LENGTH, maxStatementBytes},
		{sqlite3.SQLITE_LIMIT_COLUMN, maxColumns},
		{sqlite3.SQLITE_LIMIT_EXPR_DEPTH, maxExpressionDepth},
		{limitParserDepth, maxParserDepth},
		{sqlite3.SQLITE_LIMIT_COMPOUND_SELECT, maxCompoundTerms},
		{sqlite3.SQLITE_LIMIT_VDBE_OP, maxOperations},
		{sqlite3.SQLITE_LIMIT_FUNCTION_ARG, maxArguments},
		{sqlite3.SQLITE_LIMIT_ATTACHED, 0},
		{sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, maxPatternBytes},
		{sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, maxParameters},
		{sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 0},
		{sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0},
	} {
		conn.SetLimit(l.id, l.value)
	}
}

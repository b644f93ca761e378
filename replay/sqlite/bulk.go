package sqlite

/*
#include "bulk.h"
*/
import "C"

import (
	"encoding/binary"
	"unsafe"

	"github.com/mattn/go-sqlite3"
)

// The driver crosses into C and allocates for each value that it binds. Here
// the values of many rows lie one after another in one buffer, and a single
// call inserts all of them.

// Kinds of a value in the buffer.
const (
	bulkNull    = C.bulk_null
	bulkInteger = C.bulk_integer
	bulkText    = C.bulk_text
)

func appendNull(b []byte) []byte { return append(b, bulkNull) }

func appendInteger(b []byte, n int64) []byte {
	return binary.NativeEndian.AppendUint64(append(b, bulkInteger), uint64(n))
}

func appendText[T string | []byte](b []byte, text T) []byte {
	b = binary.NativeEndian.AppendUint64(append(b, bulkText), uint64(len(text)))
	return append(b, text...)
}

// bulk is a statement that is run for many rows.
type bulk struct {
	stmt    *C.sqlite3_stmt
	columns int
}

// bulk prepares a statement with so many parameters.
func (c *connection) bulk(query string, columns int) (*bulk, error) {
	text := C.CString(query)
	defer C.free(unsafe.Pointer(text))
	var code C.int
	stmt := C.bulk_prepare(c.guard.c.db, text, C.int(len(query)), &code)
	if stmt == nil {
		return nil, bulkError(code)
	}
	return &bulk{stmt, columns}, nil
}

// run runs the statement for each row of a buffer.
func (s *bulk) run(values []byte, rows int) error {
	if code := C.bulk_run(s.stmt, C.int(s.columns), C.int(rows), (*C.uchar)(unsafe.SliceData(values)), C.int64_t(len(values))); code != 0 {
		return bulkError(code)
	}
	return nil
}

func (s *bulk) close() { C.sqlite3_finalize(s.stmt) }

func bulkError(code C.int) error {
	return translate("execute", sqlite3.Error{Code: sqlite3.ErrNo(code & 0xff)})
}

package sqlite

/*
#include "guard.h"
*/
import "C"

import (
	"errors"
	"runtime"
	"unsafe"

	"github.com/mattn/go-sqlite3"
)

// guard bounds the time of what runs on a connection, and hardens it. It must
// not be used after the connection was closed, except by free; whoever may call
// stop has to have ended before that.
type guard struct{ c *C.guard }

// harden opens a connection with open, watched from its first statement on. It
// fails closed: without each one of the options there is no connection.
func (g *guard) harden(open func() (*connection, error)) (*connection, error) {
	g.c.max_value = maxValueBytes
	conn, err := g.capture(open)
	if err != nil {
		return nil, g.explain(err)
	}
	if C.guard_harden(g.c) == 0 {
		_ = conn.close()
		return nil, fail("open", ErrStorage)
	}
	return conn, nil
}

// explain tells a statement that memory ended from one that was stopped.
func (g *guard) explain(err error) error {
	if errors.Is(err, ErrTimeout) && g.c.full != 0 {
		return fail("query", ErrTooLarge)
	}
	return err
}

func newGuard() (*guard, error) {
	g := &guard{(*C.guard)(C.calloc(1, C.sizeof_guard))}
	if g.c == nil {
		return nil, fail("open", ErrTooLarge)
	}
	return g, nil
}

// capture stays on one thread, because that is how the handle finds its guard.
func (g *guard) capture(open func() (*connection, error)) (*connection, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer C.guard_disarm()
	if C.guard_arm(g.c) != 0 {
		return nil, fail("open", ErrTooLarge)
	}
	return open()
}

// maxMemory is by how much SQLite's memory may grow while a query runs: enough
// to sort the whole of the largest ledger, because nothing is sorted on disk.
// SQLite counts for the whole process, so this is generous.
const maxMemory = 256 << 20

// stop ends the query that runs now, or refuses the next one. resume allows
// queries again.
func (g *guard) stop()   { C.guard_stop(g.c) }
func (g *guard) resume() { C.guard_resume(g.c, maxMemory) }

func (g *guard) free() { C.free(unsafe.Pointer(g.c)) }

// checkStatement reports whether sql is one statement that only reads.
func (g *guard) checkStatement(sql string) error {
	text := C.CString(sql)
	defer C.free(unsafe.Pointer(text))
	statements := 0
	for at := 0; at < len(sql); {
		var tail, readonly, offset C.int
		code := C.guard_prepare(g.c, (*C.char)(unsafe.Add(unsafe.Pointer(text), at)), C.int(len(sql)-at), &tail, &readonly, &offset)
		if code != 0 {
			err := translate("query", sqlite3.Error{Code: sqlite3.ErrNo(code & 0xff)}).(*Error)
			if offset >= 0 {
				err.Offset = at + int(offset)
			}
			return err
		}
		if readonly >= 0 {
			statements++
		}
		if readonly == 0 {
			return fail("query", ErrDenied)
		}
		if tail <= 0 {
			break
		}
		at += int(tail)
	}
	if statements != 1 {
		return fail("query", ErrStatement)
	}
	return nil
}

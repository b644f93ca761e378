// Package canonical is the project's reader and writer of canonical JSON: the
// text that ECMAScript's JSON.stringify gives for a value whose object keys are
// sorted at every level. It works on bytes; nothing is decoded into Go values
// unless a caller asks for one.
//
// [Append] turns any JSON text into canonical form, [Check] decides in one pass
// whether a text already is, and [Members], [Elements], [Exact] and [Text] read
// text that is known to be canonical.
//
// The written order of keys is: array-index keys (canonical decimal integers 0
// to 4294967294) first, in numeric order, then the others by UTF-16 code
// units. Plain order is RFC 8785's: UTF-16 code units only. They differ only in
// objects that hold index keys.
package canonical

import "errors"

// MaxDepth is the depth of the deepest value; the outermost value has depth 0.
const MaxDepth = 32

// Reasons why a text has no canonical form. They hold nothing of the text.
var (
	ErrSyntax    = errors.New("not valid JSON")
	ErrDepth     = errors.New("nested deeper than 32 levels")
	ErrNumber    = errors.New("number is not finite")
	ErrInteger   = errors.New("integer exceeds what a double can carry")
	ErrDuplicate = errors.New("duplicate object key")
)

// Orders is a set of key orders.
type Orders uint8

const (
	Written Orders = 1 << iota // index keys first
	Plain                      // RFC 8785
)

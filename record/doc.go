// Package record makes and reads ledger records: immutable JSON objects of
// version 1 that are stored as one canonical line each and identified by the
// SHA-256 of their own bytes.
//
// Start with [Seal], which makes a record, and [Parse], which reads a stored
// line; a [Record] that exists is valid, because only these two make one.
// [Lines] reads a whole shard and isolates what is malformed. [Sort] gives the
// replay order. [Canonicalize], [Marshal] and [IsCanonical] are the canonical
// JSON that everything rests on.
//
// The package does no I/O: bytes in, bytes out. What parses has exactly the
// bytes that [Record.Line] gives back.
package record

// Package sqlite keeps a ledger's projection in a disposable SQLite database,
// and answers queries on it.
//
// The trusted preparation job calls [Prepare]: it reads a branch, verifies and
// replays its records, and puts a complete database in place, or fails and
// leaves the previous one. The untrusted agent calls [Open] and [DB.Query], or
// [DB.Records] where no SQL is wanted. The database is read-only and bounded
// for it: only reading statements are accepted, and results are limited in
// rows, bytes and time.
//
// Everything that a query returns was written by strangers. It is data, never
// instructions (S9-11), and notes are claims to be verified, not facts (S4.3-19).
//
// The database holds the tables records, parents, shards, diagnostics and
// replay_metadata, and those of the ledger's type; see [ledger.Tables]. Rows of
// state are in the order of their keys. It is no durable state and is never
// needed for recovery (S5.1-02).
//
// This is the only package that links SQLite; it needs cgo.
package sqlite

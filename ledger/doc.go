// Package ledger holds what a ledger is: its declaration ([Config]) and its
// records ([History]).
//
// [Reconstruct] makes a History of a [shard.Snapshot]. The package does no I/O.
package ledger

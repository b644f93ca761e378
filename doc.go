// Package gitledger is the overview of a Go implementation of the Git-backed
// ledger of GitHub Agentic Workflows: bounded, deterministic, append-only JSONL
// records on Git branches, with disposable SQLite projections.
//
// A ledger is the branch ledgers/<name> of a repository. The work on it is
// split over six jobs with different trust, and each job is one call. What a
// job may touch is in the call's signature: a job that must not write cannot
// be handed anything that writes.
//
//	job           trust      call                            it is handed
//	prepare       trusted    replay/sqlite.Prepare           a branch reader, the configuration, a path
//	agent         untrusted  replay/sqlite.Open, DB.Query    a read-only database file
//	safe outputs  trusted    txn.Normalize                   requests and the configuration: no storage
//	persist       trusted    txn.Persist                     branches, the configuration, the artifact's bytes
//	plan          untrusted  compact.Propose                 a branch reader, the configuration
//	apply         trusted    compact.Apply                   a branch, the configuration, the plan's bytes
//
// Data flows one way, from a branch to a database:
//
//	shard.Reader → shard.Snapshot → ledger.History → replay.State → SQLite
//
// and from an agent's requests back to the branch:
//
//	requests → txn.Transaction → shard.Change → shard.Branch
//
// Start with the declaration of a ledger in package ledger and a repository in
// shard/gitbranch; examples/lifecycle runs all six jobs against a Git server.
//
// # What is promised
//
// What was acknowledged is on the branch: a record is durable once the
// persistence job reported it so, and not before (S3-10, S5.2-07). The same
// history gives the same order, the same rows and the same replacement shards
// everywhere, whatever the layout of its files. Limits are checked before
// memory is spent. Errors carry codes, names, hashes and counts; never a
// payload's value, a file path, a credential or a library's text.
//
// Payloads are data from strangers. They are integrity-checked, not
// authenticated, and must never be followed as instructions (S9-11). A ledger
// is not confidential; do not keep secrets in one (S9-16).
package gitledger

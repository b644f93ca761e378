// Package txn carries an agent's requests to a ledger branch in two trusted
// steps that never meet: the safe-outputs job, which holds no storage, and the
// persistence job, which believes nothing that the first one wrote.
//
// [Normalize] turns requests, JSON lines of untrusted text, into a
// [Transaction], or gives every reason why not, all at once. [WriteFile] and
// [ReadFile] carry its artifact between the jobs. [Persist] validates the
// artifact again, reconciles it with the latest state of each branch and
// publishes what is new. [Validation] runs a repo-memory validation script.
//
// # What an acknowledgement means
//
// A request is queued when [Check] or Normalize accepts it: nothing is stored,
// and it may still be rejected (S3-10). A record is durable when Persist
// reports its ledger as persisted or already present, and not before
// (S5.2-07): the branch confirmed the commit.
//
// What is lost when the process dies in Persist:
//
//	before the push was sent       nothing is on the branch; persist the artifact again
//	while the push is carried out  all of a ledger's batch is on its branch or
//	                               nothing of it; persist the artifact again
//	after it, before the report    everything is on the branch; persisting the
//	                               artifact again reports already present
//
// Record IDs follow from the transaction ID and the position of the request,
// so that persisting an artifact any number of times stores its records once.
// Ledgers are separate branches: a batch is atomic on each, not across them.
package txn

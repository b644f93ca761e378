// Package compact merges the small shards of a ledger into larger ones without
// losing anything: every record keeps its digest, its parents and its payload.
//
// [Propose] is the untrusted plan job: it is handed a reader, decides whether
// the ledger is due, selects shards and writes a [Plan]. [Apply] is the trusted
// apply job: it is handed a branch and takes the plan as hostile input. It
// believes none of it, but reads the branch again, checks every source byte for
// byte and record for record, rebuilds the replacement from the branch's own
// records, proves that the same records are visible before and after, and
// publishes one commit that is guarded by the head it looked at (S5.3, S5.4).
// [Check] does all that apart from publishing. [WriteFile] and [ReadFile] carry
// the plan from one job to the other.
//
// Compaction fails open (S5.3-11): whatever goes wrong, the branch is as it was
// or as the plan wants it, and stays readable and appendable. Only a rejected
// plan and the inability to reach a verdict are errors.
//
// [Requests] is the ledger_request_compaction safe output. It asks maintenance
// to consider a ledger, and compacts nothing itself.
package compact

// Package ledger holds what a ledger is: its declaration ([Config]) and its
// records ([History]). It is what a workflow compiler imports: it needs no cgo
// and does no I/O but on a file system that it is handed.
//
// [ParseYAML] reads tools.ledger from a workflow file; [ParseMap] and
// [ParseTools] take what a compiler has decoded itself, [ParseJSON] and
// [ParseBase64] the form in which jobs are handed it. A [Parser] with a file
// system resolves schemas that are declared by a path. Whatever is wrong comes
// back at once, as [Problems].
//
// From a configuration alone the package makes what surrounds the ledgers:
// [Configs.Tools] are the safe-output tools that the agent is offered,
// [Configs.Prompt] tells it how to use them, [Jobs] and [MaintenanceJobs]
// describe the jobs that a compiler renders, and [Merge] brings the ledgers of
// several workflows together for maintenance. [Operations] and [Tables] state
// what each type takes and derives; everything else reads those tables.
//
// [CompileSchema] compiles a value schema. It never reads anything but the
// schema itself, and a value is weighed before it is validated, so that neither
// a hostile schema nor a hostile value takes long.
//
// [Reconstruct] makes a History of a [shard.Snapshot].
package ledger

// Package workflows has a complete sample: ledger.yml, whose agent has a memory,
// and maintenance.yml, which compacts it. Its tests play both as GitHub's runner
// would, with the real programs and a real Git server.
package workflows

// Package actions is what the main of a job takes from GitHub Actions and says to
// it: settings from flags and the environment, outputs, a step summary,
// annotations and an exit code. [Main] runs a [Program]; its [Call] is all that
// the program needs of the world.
//
// Whatever comes from a ledger is text from strangers. [Text] makes it safe for a
// terminal or a log, [Markdown] for a summary, and an annotation never holds any.
package actions

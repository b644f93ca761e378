//go:build !race

package simulation

// usual is how many seeds run when nothing else is said.
const usual = 10_000

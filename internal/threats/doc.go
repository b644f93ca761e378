// Package threats plays the adversary of the specification's section 9 against
// the real jobs and a real Git server: an agent that follows somebody else's
// instructions, calls tools, writes any file that an agent can write and
// appends any line to the safe-output file, but holds no credential for a
// branch. Where a threat needs somebody who can push, the tests say so. It has
// tests only.
package threats

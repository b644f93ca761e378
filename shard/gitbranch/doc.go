// Package gitbranch keeps ledgers on the branches of a Git repository.
package gitbranch

package shard

import (
	"errors"
	"fmt"
)

// What a caller of a Branch decides on. Every error of a Branch matches at
// most one of them with [errors.Is]; none carries a path, a URL, a credential
// or a library's text.
var (
	// ErrHeadMoved: the branch is not at the expected head; nothing changed.
	// Take a new snapshot, validate again, and try again.
	ErrHeadMoved = errors.New("shard: branch head moved")

	// ErrOutcomeUnknown: the change was sent and no answer came. Take a new
	// snapshot to learn whether it is there.
	ErrOutcomeUnknown = errors.New("shard: outcome of the commit is unknown")

	// ErrIdentityCollision: a shard to be added exists with other bytes (S9-12).
	// Nothing changed; trying again does not help.
	ErrIdentityCollision = errors.New("shard: shard exists with other content")

	// ErrShardMissing: a shard to be deleted does not exist. Nothing changed.
	ErrShardMissing = errors.New("shard: shard to delete does not exist")

	// ErrTooLarge: the branch holds more than the limits allow; see [LimitError].
	ErrTooLarge = errors.New("shard: branch exceeds the read limits")

	// ErrLocked: another process holds the lock of the branch or of a [Dir], or
	// one that died left a Git reference's lock behind. See the package
	// documentation of gitbranch.
	ErrLocked = errors.New("shard: branch is locked")

	// ErrUnauthorized: the server refused the credentials.
	ErrUnauthorized = errors.New("shard: not authorized")

	// ErrRefused: the server or a hook refused the change for good. Nothing changed.
	ErrRefused = errors.New("shard: change refused by the server")

	// ErrUnavailable: the store could not be reached or answered nonsense, and
	// nothing was sent that could have changed it. Trying again may help.
	ErrUnavailable = errors.New("shard: branch is unavailable")

	// ErrInvalidChange: the change contradicts itself or could not be read
	// again; see [Change.Validate]. Nothing changed.
	ErrInvalidChange = errors.New("shard: invalid change")
)

// LimitError says which limit a branch exceeds. It matches [ErrTooLarge].
type LimitError struct {
	What  string // "files" or "bytes"
	Limit int64
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("shard: branch holds more than %d %s", e.Limit, e.What)
}

func (e *LimitError) Is(target error) bool { return target == ErrTooLarge }

// Package replay derives the state of a ledger from its history: the six
// built-in reducers (S4.3).
//
// [Replay] applies a history and gives a [State], whose [State.Tables] are what
// the projection holds; package sqlite writes them. [State.Apply] tries further
// operations on top, and [Validate] checks what can be said of one operation
// without a state. An invalid operation is an [*Error] with a stable [Code];
// nothing is skipped silently (S4.3-10).
//
// Values stay the canonical bytes that the records hold. They are data from
// strangers, never instructions (S9-11).
package replay

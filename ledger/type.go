package ledger

import "slices"

// Type is a ledger's state model. Only the types below exist (S4.3-01). The
// zero Type is a raw ledger: records of any shape, with the generic projection
// and no derived state (S7-11).
type Type string

// The built-in types, and [Raw].
const (
	Raw     Type = ""
	Log     Type = "log"
	Set     Type = "set"
	Map     Type = "map"
	Table   Type = "table"
	Counter Type = "counter"
	Notes   Type = "notes"
)

// Types returns the built-in types in their documented order, without [Raw].
func Types() []Type { return []Type{Log, Set, Map, Table, Counter, Notes} }

// Known reports whether t is a built-in type or [Raw].
func (t Type) Known() bool { return t == Raw || slices.Contains(Types(), t) }

// TakesSchema reports whether a ledger of this type may declare a value
// schema: counters and notes may not (S4.3-16).
func (t Type) TakesSchema() bool { return t != Counter && t != Notes }

// String returns the type's name; a raw ledger is "raw".
func (t Type) String() string {
	if t == Raw {
		return "raw"
	}
	return string(t)
}

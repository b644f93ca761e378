package txn

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/record"
)

const (
	artifactVersion = 1

	// MaxTransactionID is the longest transaction ID, in UTF-16 code units.
	MaxTransactionID = 128
)

// Transaction is the requests of one run as records-to-be: what the artifact
// of the safe-outputs job holds. Only [Normalize] and [Parse] make one. It is
// immutable, and marshals as the artifact.
type Transaction struct {
	id      string
	appends []Append // by index
}

// Append is one record-to-be.
type Append struct {
	Index  int       // 0-based position in the batch
	Ledger string    // the ledger's name
	ID     record.ID // follows from the transaction ID and the index (S5.2-04)

	payload []byte // canonical, without the id
}

// Payload returns the operation or raw record as canonical JSON, without its
// ID: the payload of the record that it becomes. Do not modify it.
func (a Append) Payload() []byte { return a.payload }

// record returns what the artifact holds under "record": the payload and its id.
func (a Append) record() []byte { return withID(a.payload, a.ID) }

// ID returns the transaction ID.
func (t *Transaction) ID() string { return t.id }

// Len returns how many records the transaction holds.
func (t *Transaction) Len() int { return len(t.appends) }

// Appends yields the records in the order of the requests.
func (t *Transaction) Appends() iter.Seq[Append] { return slices.Values(t.appends) }

// Ledgers returns the names of the ledgers that the transaction appends to, sorted.
func (t *Transaction) Ledgers() []string {
	var names []string
	for _, a := range t.appends {
		names = append(names, a.Ledger)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// of returns one ledger's records in the order of the requests.
func (t *Transaction) of(name string) []Append {
	var out []Append
	for _, a := range t.appends {
		if a.Ledger == name {
			out = append(out, a)
		}
	}
	return out
}

// String says how much the transaction holds, without values.
func (t *Transaction) String() string {
	return fmt.Sprintf("transaction %s (records %d, ledgers %d)", printable(t.id), t.Len(), len(t.Ledgers()))
}

// MarshalJSON returns the artifact as canonical JSON.
func (t *Transaction) MarshalJSON() ([]byte, error) {
	b := []byte(`{"version":` + strconv.Itoa(artifactVersion) + `,"transaction_id":`)
	b = canonical.AppendQuoted(b, t.id)
	b = append(b, `,"ledgers":{`...)
	for i, name := range t.Ledgers() {
		if i > 0 {
			b = append(b, ',')
		}
		b = canonical.AppendQuoted(b, name)
		b = append(b, `:{"appends":[`...)
		for j, a := range t.of(name) {
			if j > 0 {
				b = append(b, ',')
			}
			b = fmt.Appendf(b, `{"index":%d,"ledger":`, a.Index)
			b = canonical.AppendQuoted(b, name)
			b = append(append(b, `,"record":`...), a.record()...)
			b = append(b, `,"transaction_id":`...)
			b = append(canonical.AppendQuoted(b, t.id), '}')
		}
		b = append(b, "]}"...)
	}
	b = append(b, "}}"...)
	return canonical.AppendWrapped(make([]byte, 0, len(b)), b, canonical.Refuse, recordLevel)
}

// recordLevel is how many levels of the artifact are around a record.
const recordLevel = 5

// validTransactionID reports whether s can identify a transaction.
func validTransactionID(s string) bool {
	if s == "" || !utf8.ValidString(s) {
		return false
	}
	units := 0
	for _, r := range s {
		units += utf16.RuneLen(r)
	}
	return units <= MaxTransactionID
}

// printable returns s for a message or a log: as it is when it is plain, else
// quoted, and never long.
func printable(s string) string {
	const shown = 128
	if len(s) > shown {
		s = string(bytes.ToValidUTF8([]byte(s[:shown]), nil)) + "…"
	}
	for i := range len(s) {
		// A runner finds a command that starts with "##[" anywhere in a line.
		if s[i] <= ' ' || s[i] >= 0x7f || s[i] == '"' || s[i] == '\\' || s[i] == '[' {
			return strings.ReplaceAll(strconv.QuoteToASCII(s), "##[", `##\x5b`)
		}
	}
	return s
}

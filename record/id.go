package record

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"

	"github.com/gofrs/uuid/v5"
)

// IDPrefix starts every record ID that is written.
const IDPrefix = "ldg-"

// ID identifies a record: a version 4 UUID (S2-03), written "ldg-" and the
// lower-case UUID. A bare lower-case UUID is read as well and keeps its form.
// It is comparable. The zero ID identifies nothing.
type ID struct {
	uuid uuid.UUID
	bare bool
}

// ParseID reads a record ID. Upper case, braces, other UUID versions and
// variants are refused.
func ParseID(s string) (ID, error) {
	if id, ok := parseID([]byte(s)); ok {
		return id, nil
	}
	return ID{}, errors.New("record: not a record ID")
}

const uuidText = 36

func parseID(b []byte) (id ID, ok bool) {
	switch len(b) {
	case uuidText:
		id.bare = true
	case len(IDPrefix) + uuidText:
		if string(b[:len(IDPrefix)]) != IDPrefix {
			return ID{}, false
		}
		b = b[len(IDPrefix):]
	default:
		return ID{}, false
	}
	if !decodeUUID((*[uuid.Size]byte)(&id.uuid), b) {
		return ID{}, false
	}
	if id.uuid.Version() != uuid.V4 || id.uuid.Variant() != uuid.VariantRFC9562 {
		return ID{}, false
	}
	return id, true
}

// NewID returns a random ID. It fails only when the system gives no randomness.
func NewID() (ID, error) {
	u, err := uuid.NewV4()
	if err != nil {
		return ID{}, fmt.Errorf("record: new ID: %w", err)
	}
	return ID{uuid: u}, nil
}

// DeterministicID returns the ID of the record that the request at index
// (0-based over the whole batch) of a transaction becomes (S5.2-04). The same
// transaction gives the same IDs on every retry.
func DeterministicID(transactionID string, index int) ID {
	return ID{uuid: FoldUUID(Sum([]byte(transactionID + ":" + strconv.Itoa(index))))}
}

// FoldUUID makes a version 4 UUID of a digest's first 16 bytes.
func FoldUUID(h Hash) uuid.UUID {
	u := uuid.UUID(h[:uuid.Size])
	u.SetVersion(uuid.V4)
	u.SetVariant(uuid.VariantRFC9562)
	return u
}

// String returns the ID as it was read, or "ldg-" and the UUID.
func (id ID) String() string {
	return string(id.AppendText(make([]byte, 0, len(IDPrefix)+uuidText)))
}

// AppendText appends what String returns.
func (id ID) AppendText(dst []byte) []byte {
	if !id.bare {
		dst = append(dst, IDPrefix...)
	}
	u := &id.uuid
	dst = append(hex.AppendEncode(dst, u[:4]), '-')
	dst = append(hex.AppendEncode(dst, u[4:6]), '-')
	dst = append(hex.AppendEncode(dst, u[6:8]), '-')
	dst = append(hex.AppendEncode(dst, u[8:10]), '-')
	return hex.AppendEncode(dst, u[10:])
}

// Compare compares the texts of two IDs: 0 when they are the same, and less or
// more than 0 when id comes before or after other.
func (id ID) Compare(other ID) int {
	if id.bare != other.bare { // a prefix comes after every digit
		if id.bare {
			return -1
		}
		return 1
	}
	return bytes.Compare(id.uuid[:], other.uuid[:])
}

// IsZero reports whether id identifies nothing.
func (id ID) IsZero() bool { return id.uuid == uuid.Nil }

// MarshalText implements [encoding.TextMarshaler].
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler] with the rules of [ParseID].
func (id *ID) UnmarshalText(b []byte) (err error) {
	*id, err = ParseID(string(b))
	return err
}

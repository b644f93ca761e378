package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
)

// Hash is a SHA-256 digest. It is comparable, and cheap as a map key.
type Hash [sha256.Size]byte

const (
	hashPrefix = "sha256:"
	hashText   = len(hashPrefix) + 2*sha256.Size
)

// Sum returns the digest of b.
func Sum(b []byte) Hash { return sha256.Sum256(b) }

// ParseHash reads "sha256:" and 64 lower-case hexadecimal digits, and nothing else.
func ParseHash(s string) (Hash, error) {
	if h, ok := parseHash([]byte(s)); ok {
		return h, nil
	}
	return Hash{}, errors.New("record: not a sha256: digest in lower case")
}

func parseHash(b []byte) (h Hash, ok bool) {
	if len(b) != hashText || string(b[:len(hashPrefix)]) != hashPrefix {
		return h, false
	}
	return h, decodeHex(h[:], b[len(hashPrefix):])
}

// String returns "sha256:" and the digest in lower-case hexadecimal.
func (h Hash) String() string { return string(h.AppendText(make([]byte, 0, hashText))) }

// AppendText appends what String returns.
func (h Hash) AppendText(dst []byte) []byte {
	return hex.AppendEncode(append(dst, hashPrefix...), h[:])
}

// MarshalText implements [encoding.TextMarshaler].
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler] with the rules of [ParseHash].
func (h *Hash) UnmarshalText(b []byte) (err error) {
	*h, err = ParseHash(string(b))
	return err
}

// Compare orders digests as their text does.
func (h Hash) Compare(o Hash) int { return bytes.Compare(h[:], o[:]) }

// prefix is a number that orders as the digest's first eight bytes do.
func (h Hash) prefix() uint64 { return binary.BigEndian.Uint64(h[:8]) }

// IsZero reports whether h is the zero Hash, which stands for none.
func (h Hash) IsZero() bool { return h == Hash{} }

package sqlite

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
)

// source is what a database was built from. It is kept in projection_source,
// which is this package's own business.
type source struct {
	head    string
	config  record.Hash
	records int
	order   record.Hash // of the records in replay order, and where each is stored
}

// configSum is the digest of what a configuration says about the projection.
func configSum(cfg *ledger.Config) record.Hash {
	var b []byte
	for _, s := range []string{"projection/1", cfg.Name, string(cfg.Type), cfg.Key} {
		b = append(canonical.AppendQuoted(b, s), ',')
	}
	if cfg.Schema != nil {
		b = append(b, cfg.Schema.Raw()...)
	}
	return record.Sum(b)
}

// orderSum digests records in replay order.
type orderSum struct {
	hash hash.Hash
	line []byte
}

func newOrderSum() *orderSum { return &orderSum{hash: sha256.New()} }

func (s *orderSum) add(r *record.Record, at ledger.Location) {
	sha := r.SHA()
	s.line = append(s.line[:0], sha[:]...)
	s.line = append(s.line, at.Shard...)
	s.line = binary.BigEndian.AppendUint64(s.line, uint64(at.Offset))
	s.hash.Write(s.line)
}

func (s *orderSum) sum() (h record.Hash) {
	s.hash.Sum(h[:0])
	return h
}

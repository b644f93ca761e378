package sqlite

import (
	"crypto/sha256"
	"encoding/binary"

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

// orderSums digests the first n records of a history in replay order, and all.
func orderSums(h *ledger.History, n int) (first, all record.Hash) {
	sum := sha256.New()
	var line []byte
	for i, r := range h.Records() {
		if i == n {
			sum.Sum(first[:0])
		}
		sha, at := r.SHA(), h.Location(i)
		line = append(append(line[:0], sha[:]...), at.Shard...)
		line = binary.BigEndian.AppendUint64(line, uint64(at.Offset))
		sum.Write(line)
	}
	sum.Sum(all[:0])
	if n == h.Len() {
		first = all
	}
	return first, all
}

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

	resumable bool // the state's rows say all that a later preparation needs
}

// extensible reports whether more records of a ledger can be added.
func (s *source) extensible(cfg *ledger.Config) bool {
	return s.resumable && s.config == configSum(cfg)
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
// A record stands there with its digest and offset, and the name of its shard
// when that is another than before.
func orderSums(h *ledger.History, n int) (first, all record.Hash) {
	const enough = 32 << 10 // bytes to digest at a time
	sum := sha256.New()
	text := make([]byte, 0, 2*enough)
	flush := func() {
		sum.Write(text)
		text = text[:0]
	}
	in := ""
	for i, r := range h.Records() {
		if i == n {
			flush()
			sum.Sum(first[:0])
		}
		sha, at := r.SHA(), h.Location(i)
		text = append(text, sha[:]...)
		text = binary.BigEndian.AppendUint64(text, uint64(at.Offset))
		if at.Shard != in {
			in = at.Shard
			text = append(canonical.AppendQuoted(text, in), 0)
		}
		if len(text) > enough {
			flush()
		}
	}
	flush()
	sum.Sum(all[:0])
	if n == h.Len() {
		first = all
	}
	return first, all
}

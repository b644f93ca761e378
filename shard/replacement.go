package shard

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/record"
)

// Replacement returns the one shard that holds the given records, each once:
// their lines sorted by digest, under an ID that follows from the records and
// the metadata, a JSON text. The same records and metadata give the same shard
// everywhere (S6-03): neither the order of the records matters, nor which of
// its forms a record was stored in, because one in plain RFC 8785 order that
// carries the digest of its written form is written in that form.
func Replacement(records []*record.Record, metadata []byte) (Addition, error) {
	meta, err := canonical.Append(nil, metadata, canonical.Refuse)
	if err != nil {
		return Addition{}, fmt.Errorf("shard: replacement metadata: %w", err)
	}
	sorted := slices.Clone(records)
	slices.SortFunc(sorted, func(a, b *record.Record) int { return a.SHA().Compare(b.SHA()) })
	sorted = slices.CompactFunc(sorted, func(a, b *record.Record) bool { return a.SHA() == b.SHA() })

	size := 0
	for _, r := range sorted {
		size += len(r.Line()) + 1
	}
	data := make([]byte, 0, size)
	identity := make([]byte, 0, size+2*len(meta)+64)
	identity = canonical.AppendQuoted(append(identity, `{"metadata":`...), string(meta))
	identity = append(identity, `,"records":[`...)
	for i, r := range sorted {
		if i > 0 {
			identity = append(identity, ',')
		}
		start := len(identity)
		identity = r.AppendWritten(identity)
		line := r.Line()
		if written := identity[start:]; !bytes.Equal(written, line) {
			if _, err := record.Parse(written); err == nil {
				line = written // the digest is that of this form
			}
		}
		data = append(append(data, line...), '\n')
	}
	identity = append(identity, `]}`...)
	return Addition{ID: ID(record.FoldUUID(record.Sum(identity))), Data: data}, nil
}

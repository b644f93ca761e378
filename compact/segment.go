package compact

import (
	"slices"
	"strconv"

	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/internal/compaction"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// Segment is a shard as a plan identifies it (S5.3-03).
type Segment struct {
	ID      shard.ID
	SHA256  record.Hash   // of the shard's bytes
	Bytes   int64         // the shard's size
	Records []record.Hash // digests of its records, ascending, each once
}

// describe returns the identity of a shard that holds the given records.
func describe(id shard.ID, data []byte, records []record.Record) Segment {
	return Segment{ID: id, SHA256: record.Sum(data), Bytes: int64(len(data)), Records: digests(records)}
}

// digests returns the digests of records, ascending, each once.
func digests(records []record.Record) []record.Hash {
	out := make([]record.Hash, len(records))
	for i := range records {
		out[i] = records[i].SHA()
	}
	slices.SortFunc(out, record.Hash.Compare)
	return slices.Compact(out)
}

func (s *Segment) equal(o *Segment) bool {
	return s.ID == o.ID && s.SHA256 == o.SHA256 && s.Bytes == o.Bytes && slices.Equal(s.Records, o.Records)
}

// append appends the segment in canonical form.
func (s *Segment) append(dst []byte) []byte {
	dst = append(dst, `{"bytes":`...)
	dst = strconv.AppendInt(dst, s.Bytes, 10)
	dst = append(dst, `,"records":`...)
	dst = appendHashes(dst, s.Records)
	return append(s.identity().Append(append(dst, ',')), '}')
}

func (s *Segment) identity() compaction.Identity {
	return compaction.Identity{ID: s.ID, SHA256: s.SHA256}
}

func appendHashes(dst []byte, hashes []record.Hash) []byte {
	dst = append(dst, '[')
	for i, h := range hashes {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '"')
		dst = append(h.AppendText(dst), '"')
	}
	return append(dst, ']')
}

// parseSegment reads a segment from canonical text. room is how many records
// it may name. bad is the member that is wrong, or "" for none.
func parseSegment(text []byte, room int) (s Segment, bad string, ok bool) {
	v, ok := canonical.Exact(text, "segment", "sha256", "bytes", "records")
	if !ok {
		return s, "", false
	}
	id, _ := canonical.Text(v[0])
	var err error
	if s.ID, err = shard.ParseID(id); err != nil {
		return s, "segment", false
	}
	if s.SHA256, ok = compaction.Digest(v[1]); !ok {
		return s, "sha256", false
	}
	if s.Bytes, ok = canonical.Integer(v[2]); !ok || s.Bytes < 1 || s.Bytes > shard.MaintenanceLimits().FileBytes {
		return s, "bytes", false
	}
	for e := range canonical.Elements(v[3]) {
		h, ok := compaction.Digest(e)
		if n := len(s.Records); !ok || n == room || n > 0 && s.Records[n-1].Compare(h) >= 0 {
			return s, "records", false
		}
		s.Records = append(s.Records, h)
	}
	if len(s.Records) == 0 {
		return s, "records", false
	}
	return s, "", true
}

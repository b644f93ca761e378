package ledger

import (
	"errors"
	"slices"

	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// file is a shard in one commit.
type file struct {
	name   string
	id     shard.ID
	object shard.Object
}

// content is what the bytes of a shard hold.
type content struct {
	records []int32 // their numbers, ascending, each once
	whole   bool    // valid records and nothing else
	sum     record.Hash
	size    int64
}

// content returns what a shard holds. The first time it reads and verifies it,
// and reports what is wrong with it.
func (a *audit) content(f file) *content {
	c, ok := a.contents[f.object]
	if !ok {
		c = &content{}
		a.contents[f.object] = c
		data, err := a.log.File(a.ctx, f.object, shard.MaintenanceLimits().FileBytes)
		if err == nil {
			a.verify(f, data, c)
		} else {
			a.unread(f, err)
		}
	}
	return c
}

// unread reports a shard that is not read.
func (a *audit) unread(f file, err error) {
	d, damaged := errors.AsType[*shard.DamagedError](err)
	switch {
	case errors.Is(err, shard.ErrTooLarge):
		a.find(Finding{Kind: ShardSize, File: f.name, Object: f.object})
	case damaged && d.Damage == shard.DamageKind:
		a.find(Finding{Kind: NotRegular, File: f.name, Object: f.object})
	default:
		a.damaged(err)
	}
}

// verify verifies a shard's lines.
func (a *audit) verify(f file, data []byte, c *content) {
	a.summary.Contents++
	a.summary.Bytes += int64(len(data))
	c.size, c.sum = int64(len(data)), record.Sum(data)
	var bad []Finding
	c.records = make([]int32, 0, mostRecords(data))
	for line, err := range record.Lines(data) {
		if line.Number%cancelStride == 0 && a.over() {
			return
		}
		if err == nil {
			c.records = append(c.records, a.records.enter(&line.Record))
			continue
		}
		code := codeOf(err)
		at := slices.IndexFunc(bad, func(b Finding) bool { return b.Code == code })
		if at < 0 {
			at = len(bad)
			bad = append(bad, Finding{Kind: ShardMalformed, File: f.name, Object: f.object, Code: code, Line: line.Number})
		}
		bad[at].Count++
	}
	slices.Sort(c.records)
	c.records = slices.Clip(slices.Compact(c.records))
	c.whole = len(bad) == 0 && len(c.records) > 0
	for _, b := range bad {
		a.find(b)
	}
	if len(data) == 0 {
		a.find(Finding{Kind: ShardEmpty, File: f.name, Object: f.object})
	}
}

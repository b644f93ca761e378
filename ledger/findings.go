package ledger

import (
	"bytes"
	"fmt"

	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// A megabyte can hold a million malformed lines, and a description of each
// would take a hundred times the history's memory.
const (
	maxShardDiagnostics = 1_000
	maxDiagnostics      = 10_000
)

// findings collects diagnostics.
type findings struct {
	listed   []Diagnostic
	unlisted int
}

// add lists d, with the ID of the record that it is about, if any.
func (f *findings) add(d Diagnostic, r *record.Record) {
	if len(f.listed) == maxDiagnostics {
		f.unlisted++
		return
	}
	if r != nil {
		d.ID = r.ID().String()
	}
	f.listed = append(f.listed, d)
}

// inShards adds what is wrong with the shards, by file and line: their bad
// lines, and the records whose ID an earlier one has, which conflicts lists.
func (f *findings) inShards(v *verified, shards []shard.Shard, conflicts []int) {
	for i := range v.shards {
		s := &v.shards[i]
		bad := s.bad
		addBad := func(before int) {
			for ; len(bad) > 0 && bad[0].number < before; bad = bad[1:] {
				f.add(Diagnostic{Code: bad[0].code, File: shards[i].Name, Line: bad[0].number}, nil)
			}
		}
		count := lineCounter{data: shards[i].Data, number: 1}
		for ; len(conflicts) > 0 && conflicts[0] < s.end; conflicts = conflicts[1:] {
			at := conflicts[0]
			number := count.to(v.places[at].offset)
			addBad(number)
			f.add(Diagnostic{Code: record.DuplicateIDConflict, File: shards[i].Name, Line: number}, &v.records[at])
		}
		addBad(len(shards[i].Data) + 2) // after the last line
		f.unlisted += s.unlisted
	}
}

// close says in the last diagnostic how many are not listed.
func (f *findings) close() {
	if f.unlisted > 0 {
		f.listed[len(f.listed)-1].Detail = fmt.Sprintf("%d more are not listed", f.unlisted)
	}
}

// lineCounter gives the numbers of lines by their offsets, in ascending order.
type lineCounter struct {
	data   []byte
	offset int64
	number int // of the line at offset
}

func (c *lineCounter) to(offset int64) int {
	c.number += bytes.Count(c.data[c.offset:offset], []byte{'\n'})
	c.offset = offset
	return c.number
}

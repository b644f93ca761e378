package record

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/gitledger/gitledger/internal/randtest"
)

// TestBitFlips flips each bit of each byte of a shard of 50 records. The line
// it is in is lost, or the two lines that a damaged newline joins; no other.
func TestBitFlips(t *testing.T) {
	random := randtest.New(t)
	var records []Record
	var parents []Hash
	for i := range 50 { // short ones: the test costs their length squared
		d := Draft{ID: DeterministicID(fmt.Sprint(random.Uint64()), i), Type: "t", Parents: parents, Payload: []byte(`{"é":-1.5}`)}
		r, err := Seal(d)
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
		if parents = nil; i%2 == 0 {
			parents = []Hash{r.sha}
		}
	}
	shard := shardOf(records)
	step := 1
	if testing.Short() {
		step = 7 // bits
	}
	var workers sync.WaitGroup
	processors := runtime.GOMAXPROCS(0)
	for worker := range processors {
		workers.Go(func() {
			damaged := bytes.Clone(shard)
			start := 0
			for k := range records {
				end := start + len(records[k].line)
				for i := start + worker; i <= end; i += processors {
					lost := 1
					if i == end && k+1 < len(records) {
						lost = 2
					}
					for bit := i % step; bit < 8; bit += step {
						damaged[i] ^= 1 << bit
						if !onlyLost(t, damaged, records, k, lost) {
							t.Errorf("bit %d of byte %d, in line %d", bit, i, k+1)
							return
						}
						damaged[i] = shard[i]
					}
				}
				start = end + 1
			}
		})
	}
	workers.Wait()
}

// onlyLost reports whether a damaged shard has all the records but lost ones
// from the k-th on, and a diagnostic.
func onlyLost(t *testing.T, damaged []byte, records []Record, k, lost int) bool {
	at, bad := 0, 0
	for line, err := range Lines(damaged) {
		if err != nil {
			if bad++; at != k && at != k+lost {
				t.Errorf("line %d is bad", line.Number)
				return false
			}
			continue
		}
		if at == k {
			at += lost
		}
		if at >= len(records) || line.Record.sha != records[at].sha || !bytes.Equal(line.Record.line, records[at].line) {
			t.Errorf("line %d is another record", line.Number)
			return false
		}
		at++
	}
	if at == k {
		at += lost
	}
	if bad == 0 || at != len(records) {
		t.Errorf("%d diagnostics, %d records", bad, at)
		return false
	}
	return true
}

// FuzzShard puts valid lines between arbitrary ones: each is found, under its
// number, and each other line has one diagnostic.
func FuzzShard(f *testing.F) {
	records := randomRecords(f, randtest.New(f), 8)
	f.Add([]byte("\n\n{}\n\xff"), uint8(3))
	f.Add([]byte(""), uint8(0))
	f.Add(shardOf(records[:2]), uint8(1))
	f.Fuzz(func(t *testing.T, other []byte, every uint8) {
		var shard []byte
		want := map[int]Hash{} // by line
		number := 0
		for _, line := range bytes.SplitAfter(other, []byte("\n")) {
			if number%(int(every)+1) == 0 {
				r := records[number%len(records)]
				shard = append(append(shard, r.line...), '\n')
				number++
				want[number] = r.sha
			}
			shard = append(shard, line...)
			number++
		}
		seen, offset := 0, int64(0)
		for line, err := range Lines(shard) {
			if seen++; line.Number != seen || line.Offset != offset {
				t.Fatalf("line %d at %d, want %d at %d", line.Number, line.Offset, seen, offset)
			}
			text, _, ended := bytes.Cut(shard[offset:], []byte("\n"))
			offset += int64(len(text)) + 1
			if sha, ok := want[seen]; ok && (err != nil || line.Record.sha != sha) {
				t.Fatalf("the valid line %d gave %v", seen, err)
			}
			if _, alone := Parse(slices.Clone(text)); ended && (alone == nil) != (err == nil) {
				t.Fatalf("line %d: %v, alone %v", seen, err, alone)
			}
			if !ended && !errors.Is(err, &Error{Code: TruncatedRecord}) {
				t.Fatalf("the last line gave %v", err)
			}
			delete(want, seen)
		}
		if len(want) > 0 || offset < int64(len(shard)) {
			t.Fatalf("%d lines were not seen", len(want))
		}
	})
}

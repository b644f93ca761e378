package main

import (
	"bytes"
	"errors"
	"strconv"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/txn"
)

// batches cuts a file into transactions. The ID of one follows from what it says
// and how often the file said that before, so lines that say the same are many.
//
// What an earlier run wrote is found by these IDs whatever its length was, and a
// new batch ends where such a one begins. So the limits may have changed since, the
// file may have grown, and a line that was left out may have been mended: only what
// is not there is written.
type batches struct {
	configs ledger.Configs
	file    *content
	sums    []record.Hash // of each request
	there   map[record.ID]bool
	seen    map[record.Hash]int
	clear   int // before this request no batch of an earlier run begins
}

// batch is some of the file's requests, one after the other.
type batch struct {
	tx *txn.Transaction // nil when the ledger has it
	n  int
}

func newBatches(cfg ledger.Config, file *content, h *ledger.History) *batches {
	b := &batches{configs: ledger.Configs{cfg}, file: file, there: map[record.ID]bool{}, seen: map[record.Hash]int{}}
	for _, request := range file.requests {
		b.sums = append(b.sums, record.Sum(request))
	}
	for i := range h.Len() {
		b.there[h.Record(i).ID()] = true
	}
	return b
}

// next returns the batch that begins with a request.
func (b *batches) next(at int) (batch, error) {
	if n, sum := b.find(at); n > 0 {
		b.seen[sum]++
		return batch{nil, n}, nil
	}
	n := b.room(at)
	for b.clear = max(b.clear, at+1); b.clear < at+n; b.clear++ {
		if found, _ := b.find(b.clear); found > 0 {
			n = b.clear - at
			break
		}
	}
	return b.fit(at, n)
}

// room is how many requests a batch may have: none of them is behind a line that
// was left out, which may be there the next time.
func (b *batches) room(at int) int {
	n := min(len(b.sums)-at, ledger.MaxRequests)
	for i := at + 1; i < at+n; i++ {
		if b.file.gaps[i] {
			return i - at
		}
	}
	return n
}

// find returns how many requests from one on are a batch that the ledger has; the
// longest, if several are.
func (b *batches) find(at int) (n int, found record.Hash) {
	if len(b.there) == 0 {
		return 0, found
	}
	var sum record.Hash
	for i := range min(len(b.sums)-at, ledger.MaxRequests) {
		sum = extend(sum, b.sums[at+i])
		id := b.transactionID(sum)
		if b.there[record.DeterministicID(id, 0)] && b.there[record.DeterministicID(id, i)] {
			n, found = i+1, sum
		}
	}
	return n, found
}

// fit makes a transaction of as many of the requests as the limits allow.
func (b *batches) fit(at, most int) (batch, error) {
	var best batch
	for n, tooMany := most, most+1; n > best.n && n < tooMany; n = (best.n + tooMany) / 2 {
		text := bytes.Join(b.file.requests[at:at+n], []byte("\n"))
		tx, err := txn.Normalize(b.configs, b.transactionID(b.sum(at, n)), bytes.NewReader(text))
		if err == nil {
			best = batch{tx, n}
			continue
		}
		if _, refused := errors.AsType[*txn.RequestErrors](err); !refused || n == 1 {
			return best, err
		}
		tooMany = n
	}
	b.seen[b.sum(at, best.n)]++
	return best, nil
}

// sum is the digest of requests, which find extends one by one.
func (b *batches) sum(at, n int) (sum record.Hash) {
	for _, one := range b.sums[at : at+n] {
		sum = extend(sum, one)
	}
	return sum
}

// extend is the digest of requests and one more.
func extend(sum, one record.Hash) record.Hash {
	var both [2 * len(sum)]byte
	copy(both[copy(both[:], sum[:]):], one[:])
	return record.Sum(both[:])
}

func (b *batches) transactionID(sum record.Hash) string {
	id := append(make([]byte, 0, 96), "migrate "...)
	id = append(sum.AppendText(id), ' ')
	return string(strconv.AppendInt(id, int64(b.seen[sum]), 10))
}

package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/txn"
)

// turn is one transaction of a writer. All of it follows from the seed and two
// numbers, so that a writer that was started again, and the judge, make the
// same one.
type turn struct {
	seed           uint64
	writer, number int

	requests strings.Builder
	batches  map[string]*batch // by ledger
	count    int               // of requests
}

// batch is what a turn does to one ledger.
type batch struct {
	expect  expectation
	effects []effect
	key     string // that several writers insert, when contested
}

// expectation is what must become of a batch.
type expectation uint8

const (
	admitted  expectation = iota // the state admits it
	doomed                       // the state does not
	contested                    // it does for exactly one writer
)

// effect is what an operation that is durable does to the state, worked out
// without the library.
type effect func(facts)

// facts are a ledger's state, as the model has it.
type facts map[string]string

// kinds is how many ledgers a writer visits before it comes back to the first.
const kinds = 7

func newTurn(seed uint64, writer, number int) *turn {
	t := &turn{seed: seed, writer: writer, number: number, batches: map[string]*batch{}}
	do := [kinds]func(int){t.sum, t.event, t.entry, t.label, t.value, t.lesson, t.task}
	do[(writer+number)%kinds](number / kinds)
	if number%5 == 0 { // some transactions write to several ledgers
		t.entry(0)
		t.event(0)
	}
	return t
}

// transactionID names the transaction of a writer's turn.
func transactionID(seed uint64, writer, number int) string {
	return fmt.Sprintf("%d:%d:%d", seed, writer, number)
}

// transaction is the transaction as the safe-outputs job makes it.
func (t *turn) transaction() (*txn.Transaction, error) {
	return txn.Normalize(ledgers(), transactionID(t.seed, t.writer, t.number), strings.NewReader(t.requests.String()))
}

// request adds a request on a ledger, the members of its object given as text,
// and what it does.
func (t *turn) request(ledger, members string, does effect) {
	fmt.Fprintf(&t.requests, `{"ledger":%q,%s}`+"\n", ledger, members)
	b := t.batch(ledger)
	b.effects = append(b.effects, does)
	t.count++
}

func (t *turn) batch(ledger string) *batch {
	if t.batches[ledger] == nil {
		t.batches[ledger] = &batch{}
	}
	return t.batches[ledger]
}

// padding is text whose length differs from turn to turn.
func (t *turn) padding() string {
	r := rand.New(rand.NewPCG(t.seed, uint64(t.writer)<<32|uint64(t.number)))
	return strings.Repeat("x", r.IntN(200))
}

// own names something that only this writer touches.
func (t *turn) own(n int) string { return fmt.Sprintf("writer %d, %d", t.writer, n) }

// recordID is the ID of the i-th request of a writer's turn.
func (t *turn) recordID(number, i int) record.ID {
	return record.DeterministicID(transactionID(t.seed, t.writer, number), i)
}

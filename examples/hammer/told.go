package main

import (
	"fmt"

	"github.com/gitledger/gitledger/internal/oracle"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/txn"
)

// told is one batch of a turn, and what its writer was told of it.
type told struct {
	turn   *turn
	batch  *batch
	claims []oracle.Claim
	status txn.Status // empty when the writer was told nothing

	there bool // as the judge finds: its records are on the branch
}

// claims turns what was reported into claims, by ledger. A turn of which
// nothing was reported, because its writer was killed or stopped in it, may
// have left its records.
func (h *hammer) claims() (map[string][]*told, error) {
	all := map[string][]*told{}
	reported := make([]int, len(h.next))
	for i := range h.turns {
		e := &h.turns[i]
		reported[e.Writer] = max(reported[e.Writer], e.Number+1)
		if err := h.claim(all, e); err != nil {
			return nil, err
		}
	}
	for writer, number := range reported {
		if err := h.claim(all, &turnEvent{Writer: writer, Number: number}); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (h *hammer) claim(all map[string][]*told, e *turnEvent) error {
	t := newTurn(h.options.seed, e.Writer, e.Number)
	tx, err := t.transaction()
	if err != nil {
		return err
	}
	for _, name := range tx.Ledgers() {
		one := &told{turn: t, batch: t.batches[name]}
		var shas []record.Hash
		for _, b := range e.Batches {
			if b.Ledger == name {
				one.status, shas = b.Status, b.SHAs
			}
		}
		for a := range tx.Appends() {
			if a.Ledger != name {
				continue
			}
			c := oracle.Claim{Writer: e.Writer, Turn: e.Number, ID: a.ID, Payload: a.Payload(), Fate: one.fate()}
			if k := len(one.claims); k < len(shas) {
				c.SHA = shas[k]
			}
			one.claims = append(one.claims, c)
		}
		all[name] = append(all[name], one)
	}
	return nil
}

// fate is what the writer was told of its records. A call that failed says
// that it has written nothing, but not what the ones before it have.
func (t *told) fate() oracle.Fate {
	switch {
	case t.status.Durable():
		return oracle.Acknowledged
	case t.status == txn.Rejected:
		return oracle.Refused
	}
	return oracle.Unknown
}

// judgeBatches checks what concerns batches: each is there as a whole or not
// at all, and was told what had to come of it.
func judgeBatches(h *ledger.History, all []*told) (broken []string) {
	there := make(map[record.ID]bool, h.Len())
	for _, r := range h.Records() {
		there[r.ID()] = true
	}
	won, lost := map[string]int{}, map[string]int{}
	for _, t := range all {
		n := 0
		for _, c := range t.claims {
			if there[c.ID] {
				n++
			}
		}
		t.there = n == len(t.claims)
		say := func(text string) {
			broken = append(broken, fmt.Sprintf("turn %d of writer %d %s", t.turn.number, t.turn.writer, text))
		}
		if n > 0 && !t.there {
			say(fmt.Sprintf("is there in part: %d of %d records", n, len(t.claims)))
		}
		switch t.status {
		case "", txn.Persisted, txn.AlreadyPresent, txn.Rejected, txn.Unknown, txn.Failed:
		default:
			say("ended as " + string(t.status))
		}
		switch t.batch.expect {
		case admitted:
			if t.status == txn.Rejected {
				say("was rejected, though the state admits it")
			}
		case doomed:
			if n > 0 {
				say("is there, though the state does not admit it")
			}
		case contested:
			if t.there {
				won[t.batch.key]++
			} else if t.status == txn.Rejected {
				lost[t.batch.key]++
			}
		}
	}
	for key, n := range won {
		if n > 1 {
			broken = append(broken, fmt.Sprintf("%d writers inserted the row %q", n, key))
		}
	}
	for key, n := range lost {
		if won[key] == 0 {
			broken = append(broken, fmt.Sprintf("%d writers were told that the row %q is taken, and nobody has it", n, key))
		}
	}
	return broken
}

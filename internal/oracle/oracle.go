// Package oracle judges a ledger that many writers worked on: what they were
// told is recorded, and compared afterwards with what is there.
package oracle

import (
	"bytes"
	"fmt"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
)

// Claim is one record that a writer sent, and what it was told of it.
type Claim struct {
	Writer int
	Turn   int // a writer's turns follow each other: the next begins when one was answered
	ID     record.ID
	SHA    record.Hash // as acknowledged; zero when the writer was not told
	// Payload is the payload that the record must have, in canonical form.
	Payload []byte
	Fate    Fate
}

// Fate is what a writer was told of a record.
type Fate uint8

const (
	Unknown      Fate = iota // nothing: it is there, or it is not
	Acknowledged             // it is durable
	Refused                  // it was not written, and never will be
)

// Judge compares a history with the claims of all its writers, and returns
// what is wrong, in words of identifiers. Every acknowledged record is there
// exactly once with its content, none that was refused is, nothing else is, and
// the records of a writer are in the order of its turns. Claims of one writer
// may come in any order; within a turn they count as they come.
func Judge(h *ledger.History, claims []Claim) []string {
	var wrong []string
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if err := h.Err(); err != nil {
		say("the history has diagnostics: %v", err)
	}
	places := make(map[record.ID]int, h.Len())
	for i, r := range h.Records() {
		if _, twice := places[r.ID()]; twice {
			say("record %s is there twice", r.ID())
		}
		places[r.ID()] = i
	}
	claimed := make(map[record.ID]bool, len(claims))
	order := map[int][]placed{}
	for i := range claims {
		c := &claims[i]
		if claimed[c.ID] {
			say("record %s is claimed twice", c.ID)
		}
		claimed[c.ID] = true
		at, there := places[c.ID]
		switch {
		case !there && c.Fate == Acknowledged:
			say("record %s of writer %d, turn %d was acknowledged and is lost", c.ID, c.Writer, c.Turn)
		case there && c.Fate == Refused:
			say("record %s of writer %d, turn %d was refused and is there", c.ID, c.Writer, c.Turn)
		}
		if !there {
			continue
		}
		r := h.Record(at)
		if !bytes.Equal(r.Payload(), c.Payload) || !c.SHA.IsZero() && r.SHA() != c.SHA {
			say("record %s of writer %d, turn %d has other content", c.ID, c.Writer, c.Turn)
		}
		order[c.Writer] = append(order[c.Writer], placed{c.Turn, at})
	}
	for id := range places {
		if !claimed[id] {
			say("record %s was sent by nobody", id)
		}
	}
	for writer, all := range order {
		for _, turn := range disorder(all) {
			say("turn %d of writer %d comes before an earlier one", turn, writer)
		}
	}
	return wrong
}

package main

import (
	"fmt"
	"strings"
)

// take takes note of what a process says.
func (h *hammer) take(m message, ending bool) error {
	if m.event == nil {
		return h.ended(m, ending)
	}
	h.log.add(m.event)
	switch e := m.event; {
	case e.Broken != "":
		h.broken = append(h.broken, e.Broken)
	case e.Compaction != nil:
		h.tally.compaction(e.Compaction)
	case e.Turn != nil:
		h.turns = append(h.turns, *e.Turn)
		h.next[e.Turn.Writer] = e.Turn.Number + 1
		acknowledged := h.tally.acknowledged
		h.tally.turn(e.Turn)
		if n := h.options.killEvery; n > 0 && h.tally.acknowledged > acknowledged && h.tally.acknowledged%n == 0 && !ending {
			h.killOne()
		}
	}
	return nil
}

// ended takes note of a process that is no more. One that was killed is started
// again, with the turns that its writers had not finished.
func (h *hammer) ended(m message, ending bool) error {
	p := m.from
	writing := h.writing[p]
	delete(h.writing, p)
	delete(h.compact, p)
	if !p.killed {
		if m.err != nil {
			h.broken = append(h.broken, fmt.Sprintf("a process ended by itself: %v: %s", m.err, strings.TrimSpace(p.stderr.String())))
		}
		return nil
	}
	if !writing || ending {
		return nil
	}
	var writers []assignment
	for _, a := range p.orders.Writers {
		if a.From = h.next[a.Writer]; h.options.turns == 0 || a.From < h.options.turns {
			writers = append(writers, a)
		}
	}
	if len(writers) == 0 {
		return nil
	}
	o := p.orders // with its cache, as it was left
	o.Writers = writers
	return h.begin(o, h.writing)
}

// killOne kills one of the writing processes.
func (h *hammer) killOne() {
	var alive []*process
	for p := range h.writing {
		if !p.killed {
			alive = append(alive, p)
		}
	}
	if len(alive) > 0 {
		alive[h.random.IntN(len(alive))].kill()
		h.tally.kills++
	}
}

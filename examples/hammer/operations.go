package main

import (
	"fmt"
	"strconv"
)

// What the turns do, by the type of the ledger. n counts a writer's turns on
// it, so that keys are made, changed and deleted again in a fixed sequence.

func (t *turn) sum(n int) {
	for _, name := range []string{"all", t.own(0)} {
		operation, amount := "increment", 1+t.number%9
		if n%4 == 3 {
			operation = "decrement"
		}
		t.request(counts, fmt.Sprintf(`"operation":%q,"name":%q,"amount":%d`, operation, name, amount), func(f facts) {
			if operation == "decrement" {
				f.add(name, -amount)
			} else {
				f.add(name, amount)
			}
		})
	}
}

func (t *turn) event(int) {
	t.request(events, fmt.Sprintf(`"record":{"padding":%q,"turn":%d,"writer":%d}`, t.padding(), t.number, t.writer), func(facts) {})
}

func (t *turn) entry(int) {
	value := fmt.Sprintf(`{"padding":%q,"turn":%d,"writer":%d}`, t.padding(), t.number, t.writer)
	t.request(journal, `"operation":"append","value":`+value, func(f facts) { f.add(value, 1) })
}

func (t *turn) label(n int) {
	value, operation := strconv.Quote(t.own(n/3)), "add"
	switch n % 3 {
	case 1:
		value = `"of everyone"`
	case 2:
		if n/3%2 == 1 {
			operation = "remove"
		}
	}
	t.request(labels, fmt.Sprintf(`"operation":%q,"value":%s`, operation, value), func(f facts) {
		if operation == "remove" {
			delete(f, value)
		} else {
			f[value] = value
		}
	})
}

func (t *turn) value(n int) {
	key := t.own(n / 3)
	if n%3 == 2 && n/3%2 == 1 {
		t.request(latest, fmt.Sprintf(`"operation":"delete","key":%q`, key), func(f facts) { delete(f, key) })
		return
	}
	value := fmt.Sprintf(`{"padding":%q,"turn":%d}`, t.padding(), t.number)
	t.request(latest, fmt.Sprintf(`"operation":"put","key":%q,"value":%s`, key, value), func(f facts) { f[key] = value })
}

// lesson writes a note and votes for it in one batch, and the next time votes
// against it.
func (t *turn) lesson(n int) {
	if n%2 == 1 {
		before := t.recordID(t.number-kinds, 0).String()
		t.request(lessons, fmt.Sprintf(`"operation":"vote","note_id":%q,"vote":"down","reason":"hammered"`, before),
			func(f facts) { f.add("down "+before, 1) })
		return
	}
	note := t.recordID(t.number, 0).String()
	t.request(lessons, fmt.Sprintf(`"temp_id":"it","operation":"note","subject":"turn %d","note":"writer %d","reason":"r%s","citations":[{"type":"repository","path":"README.md"}]`,
		t.number, t.writer, t.padding()), func(f facts) { f["note "+note] = fmt.Sprintf("turn %d, writer %d", t.number, t.writer) })
	t.request(lessons, `"operation":"vote","note_id":"#it","vote":"up"`, func(f facts) { f.add("up "+note, 1) })
}

// task makes and changes rows. Once in six times all writers insert the same
// row, and one of them is to get it; once the batch holds an operation that the
// state cannot admit.
func (t *turn) task(n int) {
	round := n / 6
	key := t.own(round)
	switch n % 6 {
	case 0:
		t.row("insert", key, "new")
	case 1:
		key = fmt.Sprintf("contested %d", round)
		t.row("insert", key, fmt.Sprintf("writer %d", t.writer))
		b := t.batch(tasks)
		b.expect, b.key = contested, key
	case 2:
		t.row("upsert", key, "never")
		if round%2 == 0 {
			t.row("insert", key, "never")
		} else {
			t.request(tasks, fmt.Sprintf(`"operation":"update","key":%q,"patch":{"state":"never"}`, t.own(-1)), func(facts) {})
		}
		t.batch(tasks).expect = doomed
	case 3:
		t.request(tasks, fmt.Sprintf(`"operation":"update","key":%q,"patch":{"state":"changed"}`, key), func(f facts) {
			f[key] = row(key, "changed", t.number-3*kinds)
		})
	case 4:
		t.row("upsert", key, "again")
	case 5:
		if round%2 == 0 {
			t.row("upsert", key, "kept")
			return
		}
		t.request(tasks, fmt.Sprintf(`"operation":"delete","key":%q`, key), func(f facts) { delete(f, key) })
	}
}

// row adds a request that writes a whole row.
func (t *turn) row(operation, key, state string) {
	value := row(key, state, t.number)
	t.request(tasks, fmt.Sprintf(`"operation":%q,"value":%s`, operation, value), func(f facts) { f[key] = value })
}

func row(key, state string, number int) string {
	return fmt.Sprintf(`{"state":%q,"task":%q,"turn":%d}`, state, key, number)
}

// add adds to a number.
func (f facts) add(name string, amount int) {
	sum, _ := strconv.Atoi(f[name])
	f[name] = strconv.Itoa(sum + amount)
}

package branchtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/gitledger/gitledger/shard"
)

var rules = []rule{
	{"absent", "an absent branch is a snapshot with a zero head, no shards and no state", nil, absent},
	{"create", "a zero expected head creates the branch", nil, create},
	{"create-only", "a zero expected head never changes a branch that exists", nil, createOnly},
	{"stale-head", "a commit on a head that is no longer the branch's fails with ErrHeadMoved and changes nothing", nil, staleHead},
	{"unknown-head", "a head that this branch never had is not where it is", nil, unknownHead},
	{"round-trip", "a shard's bytes come back as they were given, in order of name", nil, roundTrip},
	{"delete", "a deleted shard is gone and the others stay; the branch stays even when it is empty", nil, deletes},
	{"delete-missing", "deleting a shard that does not exist fails with ErrShardMissing and changes nothing", nil, deleteMissing},
	{"collision", "adding a shard that exists with other bytes fails with ErrIdentityCollision and changes nothing", nil, collision},
	{"same-bytes", "adding a shard that exists with the same bytes is accepted", nil, sameBytes},
	{"state", "a change's state replaces the state file; no state leaves it", nil, state},
	{"invalid-change", "a change that contradicts itself fails with ErrInvalidChange and changes nothing", nil, invalidChange},
	{"empty-change", "a change that does nothing changes no content", nil, emptyChange},
	{"ownership", "neither a change's nor a snapshot's bytes are shared with the store", nil, ownership},
	{"context", "a call with an ended context fails with the context's error and changes nothing", nil, contexts},
	{"limit-files", "more files than the limit is an error that matches ErrTooLarge", nil, limitFiles},
	{"limit-bytes", "more bytes than the limit is an error that matches ErrTooLarge", nil, limitBytes},
	{"limit-file-bytes", "a shard over the file limit is a FaultSize and does not count", nil, limitFileBytes},
	{"race", "a writer that publishes between another's comparison and its publication wins; the other fails with ErrHeadMoved", canRace, race},
	{"race-create", "of two creators one wins, and the other fails with ErrHeadMoved", canRace, raceCreate},
	{"race-delete", "a deletion that races with an addition does not undo it", canRace, raceDelete},
	{"not-yet-visible", "nothing of a change is visible before it is published", canRace, notYetVisible},
	{"whole-visible", "readers see all of a change or nothing of it", nil, wholeVisible},
	{"contention", "with many writers, each acknowledged shard is there once, and no other", nil, contention},
	{"unrelated-files", "files that a change does not name are kept", canList, unrelatedFiles},
	{"names", "a file named *.jsonl without a shard ID is a FaultName; other names are no shards", canPlant, names},
	{"state-size", "a state file over its limit is not read", canPlant, stateSize},
	{"read-only", "a snapshot changes nothing in the store", canFingerprint, readOnly},
	{"refused-writes-nothing", "a commit that is refused at once leaves every file as it was", canList, refusedWritesNothing},
	{"reader", "a reader has no way to commit", canReader, readerOnly},
	{"deleted-branch", "a commit on a head of a branch that was deleted does not make it again", canDelete, deletedBranch},
	{"rewound-branch", "a commit on a head that was rewound does not bring it back", canRewind, rewoundBranch},
}

func absent(p *probe) {
	snap := p.look()
	if snap.Head != "" {
		p.errorf("the head is not zero")
	}
	if len(snap.Shards) != 0 || snap.State != nil {
		p.errorf("there are shards or a state")
	}
}

func create(p *probe) {
	a := p.add("first\n")
	head := p.commit(p.open(), "", adding(a))
	snap := p.look()
	if snap.Head != head {
		p.errorf("another handle's snapshot is not at the head that Commit returned")
	}
	p.holds("after the commit", snap, a)
}

func createOnly(p *probe) {
	b := p.open()
	p.commit(b, "", adding(p.add("first\n")))
	p.refuse("on an existing branch", b, "", adding(p.add("second\n")), shard.ErrHeadMoved)
}

func staleHead(p *probe) {
	mine, theirs := p.open(), p.open()
	old := p.commit(mine, "", adding(p.add("first\n")))
	now := p.commit(theirs, old, adding(p.add("second\n")))
	if now == old {
		p.errorf("the head did not change with the content")
	}
	p.refuse("with an old head", mine, old, adding(p.add("third\n")), shard.ErrHeadMoved)
	p.refuse("with an old head, a state alone", mine, old, shard.Change{State: []byte("{}\n")}, shard.ErrHeadMoved)
}

func unknownHead(p *probe) {
	b := p.open()
	heads := []shard.Head{"nonsense", "0000000000000000000000000000000000000000",
		"1234567890123456789012345678901234567890"}
	for _, head := range heads {
		p.refuse("on an absent branch", b, head, adding(p.add("first\n")), shard.ErrHeadMoved)
	}
	p.commit(b, "", adding(p.add("first\n")))
	for _, head := range heads {
		p.refuse("on a branch", b, head, adding(p.add("second\n")), shard.ErrHeadMoved)
	}
}

func roundTrip(p *probe) {
	b := p.open()
	texts := []string{"a\n", "\r\n\r\n", "\x00\xff\xfe\n", "no newline", "tab\t\u2028\n",
		string(bytes.Repeat([]byte("0123456789abcdef\n"), 20000))}
	var all []shard.Addition
	for _, text := range texts {
		all = append(all, p.add(text))
	}
	head := p.commit(b, "", adding(all[0]))
	head = p.commit(b, head, adding(all[1:]...))
	var many shard.Change
	for i := range 60 {
		many.Add = append(many.Add, p.add(fmt.Sprintf("line %d\n", i)))
	}
	p.commit(b, head, many)
	p.holds("after adding", p.look(), append(all, many.Add...)...)
}

func deletes(p *probe) {
	b := p.open()
	one, two, three := p.add("1\n"), p.add("2\n"), p.add("3\n")
	head := p.commit(b, "", adding(one, two, three))
	head = p.commit(b, head, shard.Change{Delete: []shard.ID{two.ID}})
	p.holds("after one deletion", p.look(), one, three)
	head = p.commit(b, head, shard.Change{Delete: []shard.ID{one.ID, three.ID}})
	snap := p.look()
	p.holds("after all deletions", snap)
	if snap.Head != head {
		p.errorf("the branch without shards is not at the head that Commit returned")
	}
	p.commit(b, head, adding(two))
	p.holds("after adding a deleted shard again", p.look(), two)
}

func deleteMissing(p *probe) {
	b := p.open()
	p.refuse("on an absent branch", b, "", shard.Change{Delete: []shard.ID{p.add("x").ID}}, shard.ErrShardMissing)
	one := p.add("1\n")
	head := p.commit(b, "", adding(one))
	p.refuse("beside other changes", b, head, shard.Change{
		Add: []shard.Addition{p.add("2\n")}, Delete: []shard.ID{one.ID, p.add("x").ID}, State: []byte("{}\n"),
	}, shard.ErrShardMissing)
}

func collision(p *probe) {
	b := p.open()
	one, two := p.add("1\n"), p.add("2\n")
	head := p.commit(b, "", adding(one, two))
	for what, data := range map[string]string{"other bytes": "3\n", "a truncated copy": "1", "a longer copy": "1\n1\n"} {
		p.refuse(what, b, head, shard.Change{
			Add:    []shard.Addition{p.add("4\n"), {ID: one.ID, Data: []byte(data)}},
			Delete: []shard.ID{two.ID}, State: []byte("{}\n"),
		}, shard.ErrIdentityCollision)
	}
}

func sameBytes(p *probe) {
	b := p.open()
	one, two, three := p.add("1\n"), p.add("2\n"), p.add("3\n")
	head := p.commit(b, "", adding(one, two))
	head = p.commit(b, head, shard.Change{Add: []shard.Addition{one, three}, Delete: []shard.ID{two.ID}})
	p.holds("with other changes", p.look(), one, three)
	p.commit(b, head, adding(one))
	p.holds("alone", p.look(), one, three)
}

func state(p *probe) {
	b := p.open()
	one := p.add("1\n")
	head := p.commit(b, "", shard.Change{Add: []shard.Addition{one}, State: []byte("first\n")})
	expect := func(what, want string) {
		snap := p.look()
		if string(snap.State) != want {
			p.errorf("%s: the state is not what was written", what)
		}
		p.holds(what, snap, one)
	}
	expect("created", "first\n")
	head = p.commit(b, head, shard.Change{State: []byte("second\n")})
	expect("replaced", "second\n")
	two := p.add("2\n")
	head = p.commit(b, head, adding(two))
	p.commit(b, head, shard.Change{Delete: []shard.ID{two.ID}})
	expect("left alone", "second\n")
}

func invalidChange(p *probe) {
	b := p.open()
	one := p.add("1\n")
	head := p.commit(b, "", adding(one))
	two := p.add("2\n")
	for what, c := range map[string]shard.Change{
		"an addition without an ID":         adding(shard.Addition{Data: []byte("x\n")}),
		"a shard added twice":               adding(two, two),
		"a shard added twice, other bytes":  adding(two, shard.Addition{ID: two.ID, Data: []byte("x\n")}),
		"an empty shard":                    adding(shard.Addition{ID: two.ID}),
		"a shard that nobody could read":    adding(shard.Addition{ID: two.ID, Data: make([]byte, shard.MaintenanceLimits().FileBytes+1)}),
		"a state that nobody could read":    {State: make([]byte, shard.MaintenanceLimits().StateBytes()+1)},
		"a deletion without an ID":          {Delete: []shard.ID{{}}},
		"a shard deleted twice":             {Delete: []shard.ID{one.ID, one.ID}},
		"a shard both added and deleted":    {Add: []shard.Addition{{ID: one.ID, Data: []byte("x\n")}}, Delete: []shard.ID{one.ID}},
		"the same bytes added, and deleted": {Add: []shard.Addition{one}, Delete: []shard.ID{one.ID}},
	} {
		p.refuse(what, b, head, c, shard.ErrInvalidChange)
	}
}

func emptyChange(p *probe) {
	b := p.open()
	one := p.add("1\n")
	head := p.commit(b, "", shard.Change{Add: []shard.Addition{one}, State: []byte("{}\n")})
	before := p.look()
	if _, err := b.Commit(p.ctx, head, shard.Change{}); err != nil && !errors.Is(err, shard.ErrInvalidChange) {
		p.errorf("Commit: %v", err)
	}
	p.sameContent("after the empty change", before, p.look())
}

func ownership(p *probe) {
	b := p.open()
	one := shard.Addition{ID: p.add("").ID, Data: []byte("kept\n")}
	file := []byte("state\n")
	p.commit(b, "", shard.Change{Add: []shard.Addition{one}, State: file})
	copy(one.Data, "LOST")
	copy(file, "LOST!")
	snap := p.snapshot(b)
	kept := shard.Addition{ID: one.ID, Data: []byte("kept\n")}
	p.holds("after the caller changed its bytes", snap, kept)
	if string(snap.State) != "state\n" {
		p.errorf("the state changed with the caller's bytes")
	}
	for _, s := range snap.Shards {
		clear(s.Data)
	}
	p.holds("after a snapshot's bytes were changed", p.snapshot(b), kept)
}

func contexts(p *probe) {
	b := p.open()
	head := p.commit(b, "", adding(p.add("1\n")))
	before := p.snapshot(b)
	ended, cancel := context.WithCancel(p.ctx)
	cancel()
	if _, err := b.Snapshot(ended, shard.ProjectionLimits()); !errors.Is(err, context.Canceled) {
		p.errorf("Snapshot with an ended context: %v", err)
	}
	if _, err := b.Commit(ended, head, adding(p.add("2\n"))); !errors.Is(err, context.Canceled) {
		p.errorf("Commit with an ended context: %v", err)
	}
	p.same("after calls with an ended context", before, p.snapshot(b))
}

package replay

import (
	"iter"
	"slices"

	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
)

// notesReducer keeps notes and the votes on them (S4.3-07). Neither is ever
// changed (S4.3-18).
type notesReducer struct {
	notes pile[note]
	votes pile[vote]
	kinds map[record.ID]kind
	mark  struct{ notes, votes int }
}

// note and vote keep canonical values.
type note struct {
	id                               record.ID
	sha                              record.Hash
	timestamp                        string
	subject, note, reason, citations []byte
}

type vote struct {
	id, noteID record.ID
	up         bool
	timestamp  string
	reason     []byte // nil when there is none
}

type kind uint8

const (
	aNote kind = iota + 1
	aVote
)

func newNotesReducer() *notesReducer { return &notesReducer{kinds: map[record.ID]kind{}} }

func (r *notesReducer) apply(op *Operation, f *fields) error {
	if r.kinds[op.ID] != 0 {
		return DuplicateNote
	}
	if f.operation == "note" {
		r.notes.add(note{op.ID, op.SHA, op.Timestamp, f.subject, f.note, f.reason, f.citations})
		r.kinds[op.ID] = aNote
		return nil
	}
	noteID, err := f.target()
	if err != nil || r.kinds[noteID] != aNote {
		return MissingNote
	}
	r.votes.add(vote{op.ID, noteID, string(f.vote) == `"up"`, op.Timestamp, f.reason})
	r.kinds[op.ID] = aVote
	return nil
}

// target is the note that a vote is on.
func (f *fields) target() (record.ID, error) { return record.ParseID(text(f.noteID)) }

// fetch looks for the note of a vote. Other operations meet nothing: no two
// records of a history have the same ID.
func (r *notesReducer) fetch(f *fields, from Stored) error {
	id, err := f.target()
	if f.operation != "vote" || err != nil || r.kinds[id] != 0 {
		return nil
	}
	found, err := from.HasNote(id.String())
	if found {
		r.kinds[id] = aNote
	}
	return err
}

func (r *notesReducer) delta() Delta    { return Delta{Tables: r.tables()} }
func (r *notesReducer) resumable() bool { return true }

func (r *notesReducer) begin() { r.mark.notes, r.mark.votes = r.notes.n, r.votes.n }

func (r *notesReducer) end(accept bool) {
	if accept {
		return
	}
	for n := range r.notes.from(r.mark.notes) {
		delete(r.kinds, n.id)
	}
	for v := range r.votes.from(r.mark.votes) {
		delete(r.kinds, v.id)
	}
	r.notes.cut(r.mark.notes)
	r.votes.cut(r.mark.votes)
}

// byID returns pointers to assertions, in the order of their IDs' text.
func byID[T any](p *pile[T], id func(*T) record.ID) []*T {
	sorted := slices.AppendSeq(make([]*T, 0, p.n), p.from(0))
	slices.SortFunc(sorted, func(a, b *T) int { return id(a).Compare(id(b)) })
	return sorted
}

func (r *notesReducer) tables() []Table {
	notes := byID(&r.notes, func(n *note) record.ID { return n.id })
	votes := byID(&r.votes, func(v *vote) record.ID { return v.id })
	citations := 0
	for _, n := range notes {
		for range canonical.Elements(n.citations) {
			citations++
		}
	}
	rows := map[string]rows{
		"notes":          {len(notes), func(yield func([]any) bool) { yieldNotes(notes, yield) }},
		"note_citations": {citations, func(yield func([]any) bool) { yieldCitations(notes, yield) }},
		"note_votes":     {len(votes), func(yield func([]any) bool) { yieldVotes(votes, yield) }},
	}
	var tables []Table
	for _, spec := range ledger.Tables(ledger.Notes) {
		tables = append(tables, Table{TableSpec: spec, Len: rows[spec.Name].n, Rows: rows[spec.Name].all})
	}
	return tables
}

type rows struct {
	n   int
	all iter.Seq[[]any]
}

func yieldNotes(notes []*note, yield func([]any) bool) {
	row := make([]any, 6)
	for _, n := range notes {
		row[0], row[1], row[2], row[3] = n.id.String(), text(n.subject), text(n.note), text(n.reason)
		row[4], row[5] = n.timestamp, n.sha.String()
		if !yield(row) {
			return
		}
	}
}

func yieldCitations(notes []*note, yield func([]any) bool) {
	row := make([]any, 6)
	for _, n := range notes {
		id, ordinal := n.id.String(), int64(0)
		for v := range canonical.Elements(n.citations) {
			c, _ := readCitation(v)
			row[0], row[1], row[2], row[3] = id, ordinal, "repository", c.path
			row[4], row[5] = orNull(c.start), orNull(c.end)
			if !yield(row) {
				return
			}
			ordinal++
		}
	}
}

func yieldVotes(votes []*vote, yield func([]any) bool) {
	row := make([]any, 5)
	for _, v := range votes {
		row[0], row[1], row[2], row[3], row[4] = v.id.String(), v.noteID.String(), "down", nil, v.timestamp
		if v.up {
			row[2] = "up"
		}
		if v.reason != nil {
			row[3] = text(v.reason)
		}
		if !yield(row) {
			return
		}
	}
}

// text decodes a string that was checked before.
func text(v []byte) string {
	s, _ := canonical.Text(v)
	return s
}

func orNull(line int64) any {
	if line == 0 {
		return nil
	}
	return line
}

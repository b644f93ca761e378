package main

import (
	"cmp"
	"slices"

	"github.com/gitledger/gitledger/replay"
)

// notes takes those with the most votes. All votes are counted before a note's
// text is looked at, so that the many that are not shown cost little.
func (v *view) notes(notes, citations, votes replay.Table) {
	v.NoteCount = notes.Len
	counted := map[string]*noteView{}
	column := columnsOf(notes)
	for row := range notes.Rows {
		id := textOf(row[column["id"]])
		counted[id] = &noteView{ID: id, Created: textOf(row[column["created_at"]]), Citations: []string{}}
	}
	column = columnsOf(votes)
	for row := range votes.Rows {
		note := counted[textOf(row[column["note_id"]])]
		switch {
		case note == nil:
		case row[column["vote"]] == "up":
			note.Up++
		default:
			note.Down++
		}
	}
	ranked := make([]*noteView, 0, len(counted))
	for _, note := range counted {
		ranked = append(ranked, note)
	}
	slices.SortFunc(ranked, func(a, b *noteView) int {
		return cmp.Or(b.Net()-a.Net(), cmp.Compare(b.Created, a.Created), cmp.Compare(a.ID, b.ID))
	})
	for _, note := range ranked[min(len(ranked), maxNotes):] {
		delete(counted, note.ID)
	}
	ranked = ranked[:min(len(ranked), maxNotes)]
	fill(counted, notes)
	cite(counted, citations)
	explain(counted, votes)
	for _, note := range ranked {
		v.Notes = append(v.Notes, *note)
	}
}

func fill(shown map[string]*noteView, notes replay.Table) {
	column := columnsOf(notes)
	for row := range notes.Rows {
		if note := shown[textOf(row[column["id"]])]; note != nil {
			note.Subject = cut(textOf(row[column["subject"]]), maxText)
			note.Note = cut(textOf(row[column["note"]]), maxText)
			note.Reason = cut(textOf(row[column["reason"]]), maxText)
		}
	}
}

// cite gives notes their citations: paths and lines.
func cite(shown map[string]*noteView, citations replay.Table) {
	column := columnsOf(citations)
	for row := range citations.Rows {
		note := shown[textOf(row[column["note_id"]])]
		if note == nil || len(note.Citations) == maxCitations {
			continue
		}
		text := cut(textOf(row[column["path"]]), maxText)
		if start := textOf(row[column["start_line"]]); start != "" {
			text += ":" + start
			if end := textOf(row[column["end_line"]]); end != "" {
				text += "-" + end
			}
		}
		note.Citations = append(note.Citations, text)
	}
}

// explain gives notes their latest votes.
func explain(shown map[string]*noteView, votes replay.Table) {
	column := columnsOf(votes)
	for row := range votes.Rows {
		note := shown[textOf(row[column["note_id"]])]
		if note == nil {
			continue
		}
		created := textOf(row[column["created_at"]])
		at, _ := slices.BinarySearchFunc(note.Votes, created, func(v voteView, t string) int { return cmp.Compare(t, v.Created) })
		if at == maxVotes {
			continue
		}
		vote := voteView{textOf(row[column["vote"]]), cut(textOf(row[column["reason"]]), maxText), created}
		note.Votes = slices.Insert(note.Votes, at, vote)
		note.Votes = note.Votes[:min(len(note.Votes), maxVotes)]
	}
}

func columnsOf(t replay.Table) map[string]int {
	columns := map[string]int{}
	for i, c := range t.Columns {
		columns[c.Name] = i
	}
	return columns
}

package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/gitledger/gitledger/internal/actions"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/replay"
	"github.com/gitledger/gitledger/shard"
)

const (
	maxGraph   = 120  // records of the graph
	maxState   = 2000 // rows of state, and notes, that are shown
	maxPayload = 2000 // characters of a payload
)

// view is all that is shown of a ledger.
type view struct {
	Ledger   string `json:"ledger"`
	Type     string `json:"type"`
	Declared bool   `json:"declared"`
	Branch   string `json:"branch"`
	Head     string `json:"head,omitempty"`

	Records     int                 `json:"records"`
	Shards      int                 `json:"shards"`
	Bytes       int64               `json:"bytes"`
	Heads       []string            `json:"heads"`
	Diagnostics []ledger.Diagnostic `json:"diagnostics"`
	Invalid     string              `json:"invalid,omitempty"` // why there is no state

	Newest    []recordView `json:"newest"` // the newest first
	graph     []node
	Columns   []string   `json:"state_columns,omitempty"`
	State     [][]string `json:"state,omitempty"`
	StateRows int        `json:"state_rows"`
	Notes     []noteView `json:"notes,omitempty"`

	Growth      []growth     `json:"-"`
	Compactions []compaction `json:"compactions"`
}

type recordView struct {
	Short     string `json:"-"`
	SHA       string `json:"sha"`
	ID        string `json:"id"`
	Type      string `json:"type"`
	Timestamp string `json:"timestamp"`
	Payload   string `json:"payload"` // cut after some characters
	Head      bool   `json:"head"`
}

type noteView struct {
	ID        string   `json:"id"`
	Subject   string   `json:"subject"`
	Note      string   `json:"note"`
	Reason    string   `json:"reason"`
	Created   string   `json:"created_at"`
	Citations []string `json:"citations"`
	Up        int      `json:"upvotes"`
	Down      int      `json:"downvotes"`
}

// gather reads a ledger. A malformed one is shown as far as it goes.
func gather(ctx context.Context, log shard.Log, cfg ledger.Config, newest int) (*view, error) {
	snap, err := log.Snapshot(ctx, shard.MaintenanceLimits())
	if err != nil {
		return nil, err
	}
	h, err := ledger.Reconstruct(ctx, snap)
	if err != nil {
		return nil, err
	}
	v := &view{Ledger: cfg.Name, Type: cfg.Type.String(), Branch: cfg.Branch(), Head: string(snap.Head),
		Records: h.Len(), Shards: len(snap.Shards), Heads: []string{}, Diagnostics: append([]ledger.Diagnostic{}, h.Diagnostics()...)}
	for _, s := range snap.Shards {
		v.Bytes += s.Size
	}
	heads := map[record.Hash]bool{}
	for _, head := range h.Heads() {
		heads[head] = true
		v.Heads = append(v.Heads, head.String())
	}
	for i := h.Len() - 1; i >= max(0, h.Len()-newest); i-- {
		r := h.Record(i)
		v.Newest = append(v.Newest, recordView{
			Short: actions.Short(r.SHA()), SHA: r.SHA().String(), ID: r.ID().String(), Type: r.Type(), Timestamp: r.Timestamp(),
			Payload: cut(string(r.Payload()), maxPayload), Head: heads[r.SHA()],
		})
	}
	v.graph = layOut(h, heads, maxGraph, newest)
	if state, err := replay.Replay(ctx, h, cfg); err != nil {
		v.Invalid = err.Error()
	} else {
		v.tables(state.Tables())
	}
	v.Growth, v.Compactions, err = follow(ctx, log)
	return v, err
}

// tables takes the derived state: the first maxState rows, or the best notes.
func (v *view) tables(tables []replay.Table) {
	notes := map[string]*noteView{}
	var order []string
	for _, t := range tables {
		if t.Rows == nil {
			continue
		}
		n := 0
		for row := range t.Rows {
			if n++; n > maxState && t.Name == "state" {
				break
			}
			text := make([]string, len(row))
			for i, cell := range row {
				if text[i] = fmt.Sprint(cell); cell == nil {
					text[i] = ""
				}
			}
			switch t.Name {
			case "state":
				for i := range text {
					text[i] = cut(text[i], maxPayload)
				}
				v.State = append(v.State, text)
			case "notes":
				notes[text[0]] = &noteView{ID: text[0], Subject: text[1], Note: text[2], Reason: text[3], Created: text[4]}
				order = append(order, text[0])
			case "note_citations":
				if note := notes[text[0]]; note != nil {
					note.Citations = append(note.Citations, citation(t, text))
				}
			case "note_votes":
				if note := notes[text[1]]; note != nil && text[2] == "up" {
					note.Up++
				} else if note != nil {
					note.Down++
				}
			}
		}
		if t.Name == "state" {
			v.StateRows = t.Len
			for _, c := range t.Columns {
				v.Columns = append(v.Columns, c.Name)
			}
		} else if t.Name == "notes" {
			v.StateRows = t.Len
		}
	}
	for _, id := range order {
		v.Notes = append(v.Notes, *notes[id])
	}
	slices.SortStableFunc(v.Notes, func(a, b noteView) int { return (b.Up - b.Down) - (a.Up - a.Down) })
	v.Notes = v.Notes[:min(len(v.Notes), maxState)] // the best, so not before they are in order
}

// citation is a row of note_citations as text: its path and lines.
func citation(t replay.Table, row []string) string {
	at := map[string]string{}
	for i, c := range t.Columns {
		at[c.Name] = row[i]
	}
	text := at["path"]
	if at["start_line"] != "" {
		text += ":" + at["start_line"]
		if at["end_line"] != "" {
			text += "-" + at["end_line"]
		}
	}
	return text
}

func cut(text string, most int) string {
	n := 0
	for i := range text {
		if n++; n > most {
			return text[:i] + "…"
		}
	}
	return text
}

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/gitledger/gitledger/internal/actions"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/replay"
	"github.com/gitledger/gitledger/shard"
)

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
		Records: h.Len(), Shards: len(snap.Shards), Heads: []string{}}
	for _, s := range snap.Shards {
		v.Bytes += s.Size
	}
	v.diagnose(h)
	heads := map[record.Hash]bool{}
	for _, head := range h.Heads() {
		if heads[head] = true; len(v.Heads) < maxHeads {
			v.Heads = append(v.Heads, head.String())
		}
	}
	v.HeadCount = len(heads)
	v.newest(h, heads, newest)
	v.graph = layOut(h, heads, maxGraph)
	if err := v.derive(ctx, h, cfg); err != nil {
		return nil, err
	}
	return v, v.follow(ctx, log, cfg.Name)
}

// diagnose takes the first of what is malformed. A name of a file may be anything
// that Git takes for one.
func (v *view) diagnose(h *ledger.History) {
	all := h.Diagnostics()
	v.DiagnosticCount = len(all)
	if malformed, ok := errors.AsType[*ledger.MalformedError](h.Err()); ok {
		v.DiagnosticCount += malformed.Unlisted
	}
	v.Diagnostics = make([]ledger.Diagnostic, 0, min(len(all), maxDiagnostics))
	for _, d := range all[:min(len(all), maxDiagnostics)] {
		d.File, d.ID, d.Detail = cut(d.File, maxText), cut(d.ID, maxText), cut(d.Detail, maxText)
		v.Diagnostics = append(v.Diagnostics, d)
	}
}

func (v *view) newest(h *ledger.History, heads map[record.Hash]bool, most int) {
	v.Newest = []recordView{}
	for i := h.Len() - 1; i >= max(0, h.Len()-most); i-- {
		r := h.Record(i)
		shown := recordView{
			Short: actions.Short(r.SHA().String()), SHA: r.SHA().String(), ID: r.ID().String(), Type: r.Type(), Timestamp: r.Timestamp(),
			Parents: []string{}, Payload: cut(string(r.Payload()), maxText), Head: heads[r.SHA()],
		}
		for parent := range r.Parents() {
			shown.Parents = append(shown.Parents, parent.String())
		}
		v.Newest = append(v.Newest, shown)
	}
}

// derive takes the state, or why there is none.
func (v *view) derive(ctx context.Context, h *ledger.History, cfg ledger.Config) error {
	state, err := replay.Replay(ctx, h, cfg)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		v.Invalid = err.Error()
		return nil
	}
	tables := map[string]replay.Table{}
	for _, t := range state.Tables() {
		tables[t.Name] = t
	}
	if t, ok := tables["state"]; ok {
		v.rows(t)
	}
	if t, ok := tables["notes"]; ok {
		v.notes(t, tables["note_citations"], tables["note_votes"])
	}
	return nil
}

func (v *view) rows(t replay.Table) {
	v.StateRows = t.Len
	for _, c := range t.Columns {
		v.Columns = append(v.Columns, c.Name)
	}
	for row := range t.Rows {
		if len(v.State) == maxRows {
			break
		}
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = cut(textOf(cell), maxText)
		}
		v.State = append(v.State, cells)
	}
}

// textOf is a cell as text.
func textOf(cell any) string {
	if cell == nil {
		return ""
	}
	return fmt.Sprint(cell)
}

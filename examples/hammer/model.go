package main

import (
	"fmt"
	"slices"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay"
)

// model is the state that the batches which are there add up to, worked out
// without the library. What several writers touch commutes, so only the order
// of each writer's turns matters.
func model(all []*told) facts {
	f := facts{}
	for _, t := range all {
		if !t.there {
			continue
		}
		for _, does := range t.batch.effects {
			does(f)
		}
	}
	return f
}

// maxShown is how many differences are told.
const maxShown = 5

// compareState compares a replayed state with the model, and says how many
// facts there are.
func compareState(state *replay.State, cfg ledger.Config, want facts) (wrong []string, n int) {
	got := observe(state, cfg)
	keys := map[string]bool{}
	for _, f := range []facts{got, want} {
		for key := range f {
			keys[key] = true
		}
	}
	if cfg.Type == ledger.Raw {
		return nil, 0 // it has no state
	}
	for key := range keys {
		g, there := got[key]
		w, wanted := want[key]
		if there != wanted || g != w {
			wrong = append(wrong, fmt.Sprintf("the state of %q is %q, and should be %q", key, g, w))
		}
	}
	slices.Sort(wrong)
	if more := len(wrong) - maxShown; more > 0 {
		wrong = append(wrong[:maxShown], fmt.Sprintf("and so for %d more", more))
	}
	return wrong, len(keys)
}

// observe reads the facts of a replayed state from its tables.
func observe(state *replay.State, cfg ledger.Config) facts {
	f := facts{}
	for _, table := range state.Tables() {
		if table.View {
			continue
		}
		for row := range table.Rows {
			switch table.Name {
			case "state":
				if cfg.Type == ledger.Log {
					f.add(fmt.Sprint(row[1]), 1)
				} else {
					f[fmt.Sprint(row[0])] = fmt.Sprint(row[1])
				}
			case "notes":
				f[fmt.Sprintf("note %v", row[0])] = fmt.Sprintf("%v, %v", row[1], row[2])
			case "note_votes":
				f.add(fmt.Sprintf("%v %v", row[2], row[1]), 1)
			}
		}
	}
	return f
}

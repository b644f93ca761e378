package simulation

import (
	"encoding/json"
	"fmt"

	"github.com/gitledger/gitledger/ledger"
)

// model is what operations add up to, in the plainest way.
type model struct {
	kind  ledger.Type
	log   []string
	cells map[string]string // of a map or set, by key or value
	sums  map[string]int64
}

func newModel(kind ledger.Type) *model {
	return &model{kind: kind, cells: map[string]string{}, sums: map[string]int64{}}
}

func (m *model) apply(payload string) {
	var op struct {
		Operation, Key, Name string
		Value                json.RawMessage
		Amount               int64
	}
	if json.Unmarshal([]byte(payload), &op) != nil {
		return
	}
	value := string(op.Value)
	switch op.Operation {
	case "append":
		m.log = append(m.log, value)
	case "put":
		m.cells[op.Key] = value
	case "delete":
		delete(m.cells, op.Key)
	case "add":
		m.cells[value] = value
	case "remove":
		delete(m.cells, value)
	case "increment":
		m.sums[op.Name] += op.Amount
	}
}

// rows are the rows of the state table.
func (m *model) rows() map[string]struct{} {
	rows := map[string]struct{}{}
	for i, v := range m.log {
		rows[fmt.Sprint(i, v)] = struct{}{}
	}
	for k, v := range m.cells {
		rows[k+" "+v] = struct{}{}
	}
	for k, v := range m.sums {
		rows[fmt.Sprint(k, " ", v)] = struct{}{}
	}
	return rows
}

// row is a row of the library's table in the same form.
func (m *model) row(row []any) string {
	switch m.kind {
	case ledger.Log:
		return fmt.Sprint(row[0], row[1])
	case ledger.Set:
		return fmt.Sprint(row[1], " ", row[1])
	}
	return fmt.Sprint(row[0], " ", row[1])
}

package main

import (
	"encoding/json"
	"strconv"

	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/replay/sqlite"
)

// question is what ledger_query takes.
type question struct {
	ledger string
	sql    string
	args   []any
}

func badArguments(message string) error {
	return refusal{code: "arguments", message: message}
}

// members reads an object strictly: no member but those that are named, none
// twice, and no integer that a double cannot carry.
func members(text []byte, names ...string) ([][]byte, error) {
	if len(text) == 0 {
		text = []byte("{}")
	}
	object, err := canonical.AppendExact(nil, text)
	if err != nil {
		return nil, badArguments(err.Error())
	}
	values, ok := canonical.Exact(object, names...)
	if !ok {
		return nil, badArguments("an object with no other members than those of the input schema is needed")
	}
	return values, nil
}

// optional decodes a string that may be absent or null.
func optional(name string, value []byte) (string, error) {
	if value == nil || string(value) == "null" {
		return "", nil
	}
	text, ok := canonical.Text(value)
	if !ok {
		return "", badArguments(name + " must be a string")
	}
	return text, nil
}

func parseQuestion(text []byte) (q question, err error) {
	values, err := members(text, "ledger", "sql", "args")
	if err != nil {
		return q, err
	}
	if q.ledger, err = optional("ledger", values[0]); err != nil {
		return q, err
	}
	var ok bool
	if q.sql, ok = canonical.Text(values[1]); !ok || q.sql == "" {
		return q, badArguments("sql must be a string")
	}
	if values[2] == nil || string(values[2]) == "null" {
		return q, nil
	}
	if !canonical.IsArray(values[2]) {
		return q, badArguments("args must be an array")
	}
	for value := range canonical.Elements(values[2]) {
		arg, ok := scalar(value)
		if !ok {
			return q, badArguments("args are strings, numbers, booleans and null")
		}
		q.args = append(q.args, arg)
	}
	return q, nil
}

// scalar decodes a canonical value that SQLite has a type for.
func scalar(value []byte) (any, bool) {
	switch string(value) {
	case "null":
		return nil, true
	case "true":
		return true, true
	case "false":
		return false, true
	}
	if text, ok := canonical.Text(value); ok {
		return text, true
	}
	if n, ok := canonical.Integer(value); ok {
		return n, true
	}
	if canonical.IsObject(value) || canonical.IsArray(value) {
		return nil, false
	}
	f, err := strconv.ParseFloat(string(value), 64)
	return f, err == nil
}

// typed is an argument of the command line: JSON if it is a number, a boolean,
// null or a string in quotes, else the text as it stands.
func typed(argument string) any {
	if value, err := canonical.AppendExact(nil, []byte(argument)); err == nil {
		if v, ok := scalar(value); ok {
			return v
		}
	}
	return argument
}

// parseRecordQuery reads what ledger_records takes: a sqlite.RecordQuery and the
// ledger's name.
func parseRecordQuery(text []byte) (name string, q sqlite.RecordQuery, err error) {
	values, err := members(text, "ledger", "type", "filters", "cursor", "limit")
	if err != nil {
		return "", q, err
	}
	for i, field := range []struct {
		name string
		to   *string
	}{{"ledger", &name}, {"type", &q.Type}, {"cursor", &q.Cursor}} {
		if *field.to, err = optional(field.name, values[[]int{0, 1, 3}[i]]); err != nil {
			return "", q, err
		}
	}
	if values[4] != nil {
		n, ok := canonical.Integer(values[4])
		if !ok || n < 1 || n > sqlite.MaxPage {
			return "", q, badArguments("limit must be an integer from 1 to " + strconv.Itoa(sqlite.MaxPage))
		}
		q.Limit = int(n)
	}
	if values[2] == nil {
		return name, q, nil
	}
	if !canonical.IsArray(values[2]) {
		return "", q, badArguments("filters must be an array")
	}
	for element := range canonical.Elements(values[2]) {
		parts, ok := canonical.Exact(element, "path", "op", "value")
		path, isPath := canonical.Text(at(parts, 0))
		op, isOp := canonical.Text(at(parts, 1))
		if !ok || !isPath || !isOp {
			return "", q, badArguments("a filter has a path, an op and a value")
		}
		q.Filters = append(q.Filters, sqlite.Filter{Path: path, Op: op, Value: json.RawMessage(at(parts, 2))})
	}
	return name, q, nil
}

func at(values [][]byte, i int) []byte {
	if i < len(values) {
		return values[i]
	}
	return nil
}

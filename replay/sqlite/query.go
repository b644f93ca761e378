package sqlite

import (
	"context"
	"encoding/json"
	"math"
)

// Result is a query's result as one value. It marshals to JSON with the
// members columns, rows and truncated. Its content is untrusted data.
type Result struct {
	Columns   []string `json:"columns"`
	Rows      [][]any  `json:"rows"` // strings, []byte (base64 in JSON), int64, float64 and nil
	Truncated bool     `json:"truncated"`
}

// Query runs one statement that only reads and collects its rows, within the
// limits of the database; what is over them is cut off and said so by
// Truncated. See [DB.Stream] for what it accepts.
func (db *DB) Query(ctx context.Context, query string, args ...any) (*Result, error) {
	rows, err := db.Stream(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	result := &Result{Columns: rows.Columns(), Rows: [][]any{}}
	for row, err := range rows.All() {
		if err != nil {
			return nil, err
		}
		result.Rows = append(result.Rows, row)
	}
	result.Truncated = rows.Truncated()
	return result, nil
}

// MarshalJSON writes infinities, which JSON has no number for, as the strings
// "Infinity" and "-Infinity".
func (r Result) MarshalJSON() ([]byte, error) {
	type plain Result
	rows := make([][]any, len(r.Rows))
	for i, row := range r.Rows {
		rows[i] = make([]any, len(row))
		for j, v := range row {
			rows[i][j] = finite(v)
		}
	}
	r.Rows = rows
	if r.Columns == nil {
		r.Columns = []string{}
	}
	return json.Marshal(plain(r))
}

func finite(v any) any {
	f, ok := v.(float64)
	switch {
	case ok && math.IsInf(f, 1):
		return "Infinity"
	case ok && math.IsInf(f, -1):
		return "-Infinity"
	}
	return v
}

package sqlite

import (
	"slices"
	"strings"

	"github.com/mattn/go-sqlite3"

	"github.com/gitledger/gitledger/ledger"
)

// Actions of SQLite's authorizer that the driver has no names for.
const actionRecursive = 33

// authorizer decides on each action that a statement would take when it is
// compiled. Only selecting is allowed, from the projection's own tables and
// from the table-valued functions that take JSON apart.
type authorizer struct {
	tables []string
	denied bool // something was, since the last reset
}

func newAuthorizer(t ledger.Type) *authorizer {
	a := &authorizer{tables: []string{"sqlite_schema", "sqlite_master", "json_each", "json_tree"}}
	for _, spec := range specs(t) {
		a.tables = append(a.tables, spec.Name)
	}
	for _, pragma := range descriptions() {
		a.tables = append(a.tables, "pragma_"+pragma)
	}
	return a
}

func (a *authorizer) decide(action int, first, second, _ string) int {
	allowed := false
	switch action {
	case sqlite3.SQLITE_SELECT, actionRecursive:
		allowed = true
	case sqlite3.SQLITE_READ:
		// Without a column it only says that a statement names something, which
		// may be a common table expression of its own.
		allowed = second == "" || slices.Contains(a.tables, first)
	case sqlite3.SQLITE_FUNCTION:
		allowed = isPure(second)
	case sqlite3.SQLITE_PRAGMA:
		allowed = slices.Contains(descriptions(), strings.ToLower(first))
	}
	if allowed {
		return sqlite3.SQLITE_OK
	}
	a.denied = true
	return sqlite3.SQLITE_DENY
}

// isPure reports whether a function may be called: any that computes something
// of its arguments. What loads code, takes pointers, or belongs to modules
// that a projection does not use is left out, and so is json_pretty, which makes
// a text of any length before it looks at the limit.
func isPure(function string) bool {
	_, found := slices.BinarySearch(pureFunctions(), function)
	return found
}

// pureFunctions are in byte order.
func pureFunctions() []string {
	return []string{
		"->", "->>", "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "avg", "ceil", "ceiling",
		"changes", "char", "coalesce", "concat", "concat_ws", "cos", "cosh", "count", "cume_dist", "current_date",
		"current_time", "current_timestamp", "date", "datetime", "degrees", "dense_rank", "exp", "first_value",
		"floor", "format", "glob", "group_concat", "hex", "if", "ifnull", "iif", "instr", "json", "json_array",
		"json_array_length", "json_error_position", "json_extract", "json_group_array", "json_group_object",
		"json_insert", "json_object", "json_patch", "json_quote", "json_remove", "json_replace",
		"json_set", "json_type", "json_valid", "julianday", "lag", "last_value", "lead", "length", "like",
		"likelihood", "likely", "ln", "log", "log10", "log2", "lower", "ltrim", "max", "median", "min", "mod",
		"nth_value", "ntile", "nullif", "octet_length", "percent_rank", "percentile", "percentile_cont",
		"percentile_disc", "pi", "pow", "power", "printf", "quote", "radians", "random", "rank", "replace", "round",
		"row_number", "rtrim", "sign", "sin", "sinh", "sqlite_version", "sqrt", "strftime", "string_agg", "substr",
		"substring", "subtype", "sum", "tan", "tanh", "time", "timediff", "total", "trim", "trunc", "typeof",
		"unhex", "unicode", "unistr", "unistr_quote", "unixepoch", "unlikely", "upper", "zeroblob",
	}
}

// descriptions are the pragmas that only tell what tables and indexes there
// are. Each is also a table-valued function.
func descriptions() []string {
	return []string{"table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo"}
}

package ledger

import "regexp/syntax"

// Bounds of what the validating library handles entry by entry, or from the
// start each time: the lists of enum, required and dependencies, and patterns.
const (
	maxListed       = 2048   // entries of one list
	maxListedTotal  = 8192   // entries of all lists of a schema
	maxPatternBytes = 2048   // of one pattern
	maxPatternSteps = 20_000 // instructions of the programs of all patterns
)

// listed counts the entries of a list, and says why there are too many.
func (r *schemaReader) listed(n int) string {
	r.entries += n
	switch {
	case n > maxListed:
		return "has more than 2048 entries"
	case r.entries > maxListedTotal:
		return "brings the lists of the schema to more than 8192 entries"
	}
	return ""
}

// pattern compiles a pattern as the validating library will, and measures it.
// The regexp package's message is not passed on.
func (r *schemaReader) pattern(source string) (p *pattern, why string) {
	if len(source) > maxPatternBytes {
		return nil, "is a pattern of more than 2048 bytes"
	}
	parsed, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return nil, "is not a pattern that RE2 knows (it has no lookaround and no back references)"
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, "is not a pattern that RE2 knows (it has no lookaround and no back references)"
	}
	if r.steps += len(program.Inst); r.steps > maxPatternSteps {
		return nil, "brings the patterns of the schema to more than 20000 steps"
	}
	return &pattern{size: len(program.Inst)}, ""
}

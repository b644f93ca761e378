package ledger

import (
	"fmt"
	"strconv"
	"strings"
)

// ProblemCode names a kind of [Problem]. Codes are stable; texts may change.
type ProblemCode string

const (
	ProblemSyntax          ProblemCode = "syntax"            // not YAML, JSON or base64
	ProblemTooLarge        ProblemCode = "too-large"         // over a size or count bound
	ProblemTooDeep         ProblemCode = "too-deep"          // nested too deeply, or an anchor that contains itself
	ProblemDuplicate       ProblemCode = "duplicate"         // a property or ledger name that occurs twice
	ProblemWrongKind       ProblemCode = "wrong-kind"        // such as a list where an object belongs
	ProblemExpression      ProblemCode = "expression"        // "${{" in a name, key or string
	ProblemUnknownProperty ProblemCode = "unknown-property"  // not a setting of a ledger
	ProblemMixedForms      ProblemCode = "mixed-forms"       // settings beside named ledgers
	ProblemName            ProblemCode = "name"              // not a ledger name
	ProblemType            ProblemCode = "type"              // not a built-in type
	ProblemRemovedType     ProblemCode = "removed-type"      // the former claims type
	ProblemReplay          ProblemCode = "replay"            // custom replay (S7-08)
	ProblemScript          ProblemCode = "compaction-script" // a custom compaction script
	ProblemLegacy          ProblemCode = "legacy-location"   // tools.repo-memory.ledger (S7-09)
	ProblemKey             ProblemCode = "key"               // missing, misplaced or malformed
	ProblemSchema          ProblemCode = "schema"            // cannot be compiled, or the type takes none
	ProblemSchemaFile      ProblemCode = "schema-file"       // a schema path that cannot be used
	ProblemLimit           ProblemCode = "limit"             // a size out of bounds, or a record above its segment
	ProblemCompaction      ProblemCode = "compaction"        // a policy out of bounds
	ProblemBranch          ProblemCode = "branch"            // branch_name is not the ledger's
	ProblemPolicyDiffers   ProblemCode = "policy-differs"    // workflows disagree about one ledger; see [Merge]
)

// Problem is one thing that is wrong with a configuration. It names where, what
// and what to do instead; it never holds a value from the configuration, only
// names of its properties.
type Problem struct {
	Code   ProblemCode
	Path   string // in the configuration, such as tools.ledger.runs.max-record-kb
	Line   int    // 1-based; 0 when the input had no lines or the place is unknown
	Column int    // 1-based; 0 with Line
	Text   string // what is wrong
	Advice string // what to do instead
}

// String returns "line 3, column 5: path: text; advice".
func (p Problem) String() string {
	var b strings.Builder
	if p.Line > 0 {
		fmt.Fprintf(&b, "line %d, column %d: ", p.Line, p.Column)
	}
	if p.Path != "" {
		b.WriteString(p.Path + ": ")
	}
	b.WriteString(p.Text)
	if p.Advice != "" {
		b.WriteString("; " + p.Advice)
	}
	return b.String()
}

// Problems is everything that is wrong with one configuration, in the order of
// its lines, or of its paths when it has no lines. It is an error; get it back
// with [errors.As]. It holds at most 100 problems and one that counts the others.
type Problems []Problem

// Error states each problem on a line of its own.
func (ps Problems) Error() string {
	if len(ps) == 1 {
		return "ledger configuration: " + ps[0].String()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "ledger configuration: %d problems", len(ps))
	for _, p := range ps {
		b.WriteString("\n\t" + p.String())
	}
	return b.String()
}

// quoted makes a name from the configuration safe to show: a long name is cut,
// and one with anything but printable ASCII is quoted. So is one that reads like
// several names of a path, or like a command to whatever prints it.
func quoted(name string) string {
	const shown = 64
	cut := name
	if len(cut) > shown {
		cut = strings.ToValidUTF8(cut[:shown], "") + "…"
	}
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\".:[]`", c) >= 0 {
			// A runner finds a command of this form within quotes too.
			return strings.ReplaceAll(strconv.QuoteToASCII(cut), "##[", `##\x5b`)
		}
	}
	if name == "" {
		return `""`
	}
	return cut
}

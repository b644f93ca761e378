package ledger

import "slices"

// schemaGraph is what was understood of a schema: its rules, with references
// resolved to the rules they lead to.
type schemaGraph struct {
	root    *rule
	targets []*rule         // what references lead to, in order of discovery
	names   map[string]bool // property names that the schema states
	count   int             // of rules
}

// rule is one schema or subschema.
type rule struct {
	constant  *bool // true or false in place of an object
	ref       *rule // $ref; nothing else counts beside it
	target    int   // 1-based index in targets; 0 when no reference leads here
	keywords  []keyword
	children  []child
	types     []string
	enum      map[string]bool // canonical texts; const is an enum of one
	enumSize  int
	required  []string
	bounds    bounds
	pattern   *pattern
	format    string
	unique    bool
	multiple  bool
	fixed     map[string]*rule // properties
	patterns  []patternRule
	others    *rule // additionalProperties
	names     *rule
	items     *rule // one schema for all
	tuple     []*rule
	rest      *rule // additionalItems
	contains  *rule
	dependent map[string]*rule
	inPlace   []*rule // allOf, anyOf, oneOf, if, then, else
	not       *rule
	exclusive bool // it has oneOf
}

// keyword is an assertion or annotation as it is written down again.
type keyword struct {
	name string
	text []byte // JSON
}

// child is a keyword whose value holds subschemas.
type child struct {
	keyword string
	shape   childShape
	names   []string // of an object's members, sorted
	rules   []*rule
	lists   [][]byte // a dependency that is a list of names; nil where rules has one
}

type childShape uint8

const (
	oneRule childShape = iota
	listOfRules
	rulesByName
)

type bounds struct {
	minimum, maximum               *float64
	exclusiveMinimum, exclusiveMax *float64
	huge                           bool // a bound or divisor that is costly to print
	length, count, size            interval
}

// interval bounds a length or count; most is -1 for no upper bound.
type interval struct{ least, most int64 }

func (i interval) admits(n int) bool {
	return int64(n) >= i.least && (i.most < 0 || int64(n) <= i.most)
}

// pattern is what a pattern costs: the instructions of its program.
type pattern struct{ size int }

type patternRule struct {
	pattern
	rule *rule
}

// allInPlace yields the rules that apply to the same value as r does.
func (r *rule) allInPlace() []*rule {
	out := slices.Clone(r.inPlace)
	if r.ref != nil {
		return []*rule{r.ref}
	}
	if r.not != nil {
		out = append(out, r.not)
	}
	for _, c := range r.children {
		if c.keyword == "dependencies" {
			for _, d := range c.rules {
				if d != nil {
					out = append(out, d)
				}
			}
		}
	}
	return out
}

// maxExpansion bounds how many rules may apply to one value at one place, all
// references followed.
const maxExpansion = 5000

// checkExpansion refuses references that come back to a rule without having
// gone down into the value, which would never end, and ones that multiply.
func (g *schemaGraph) checkExpansion() error {
	const onPath = -1
	sizes := map[*rule]int{}
	var size func(r *rule) int // 0 for a loop
	size = func(r *rule) int {
		switch n := sizes[r]; {
		case n == onPath:
			return 0
		case n > 0:
			return n
		}
		sizes[r] = onPath
		total := 1
		for _, next := range r.allInPlace() {
			n := size(next)
			if n == 0 {
				return 0
			}
			total = min(total+n, maxExpansion+1)
		}
		sizes[r] = total
		return total
	}
	for _, r := range g.all() {
		switch n := size(r); {
		case n == 0:
			return malformed("", "$ref", "has references that lead back to themselves")
		case n > maxExpansion:
			return malformed("", "$ref", "has references that multiply to more than 5000 rules for one value")
		}
	}
	return nil
}

// all returns every rule once.
func (g *schemaGraph) all() []*rule {
	var out []*rule
	seen := map[*rule]bool{}
	var walk func(r *rule)
	walk = func(r *rule) {
		if r == nil || seen[r] {
			return
		}
		seen[r] = true
		out = append(out, r)
		walk(r.ref)
		for _, c := range r.children {
			for _, next := range c.rules {
				walk(next)
			}
		}
	}
	walk(g.root)
	for _, target := range g.targets { // a definition that nothing reachable uses
		walk(target)
	}
	return out
}

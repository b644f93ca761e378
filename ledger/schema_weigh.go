package ledger

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/gitledger/gitledger/internal/canonical"
)

// maxWork bounds what one validation may cost, in the units of the constants
// below, which are about nanoseconds of the validating library on a slow
// machine. The library has no bound of its own: what it would do is weighed
// before it is asked.
const maxWork = 80_000_000

const (
	workRule     = 700     // applying one rule to one value
	workNumber   = 1_500   // besides, for a number
	workExponent = 6_000   // besides, for one with an exponent
	workDivide   = 6_000   // multipleOf
	workRefuse   = 11_000  // reporting one broken rule
	workRefuseUp = 400     // besides, for each level that it lies deeper
	workHuge     = 700_000 // besides, for a bound with a huge exponent
	workCompare  = 4_000   // bringing one value into comparable form, for enum and uniqueItems
	workByte     = 120     // besides, for each of its bytes
	workSearch   = 4       // looking at one entry of a list
	workMatch    = 2       // one instruction of a pattern on one byte
	workCompile  = 1_000   // compiling one instruction, as patternProperties does each time
	workFormat   = 300     // one byte, for format
	workRegex    = 40_000  // one byte, for the format regex: it may repeat a thousandfold
)

// weigher adds up what a validation would cost at most, and stops when that is
// too much. Whether an assertion holds matters to the sum, since a broken one
// costs most; where that is not cheap to see, it counts as broken.
type weigher struct {
	left    int64
	refused int // how many broken rules were counted
}

func (w *weigher) spend(work int64) bool {
	w.left -= work
	return w.left >= 0
}

func (w *weigher) refuse(r *rule, depth int) {
	w.refused++
	w.spend(workRefuse + workRefuseUp*int64(depth))
	if r.bounds.huge {
		w.spend(workHuge)
	}
}

func (w *weigher) weigh(r *rule, v []byte, depth int) {
	if r == nil || !w.spend(workRule) || len(v) == 0 {
		return
	}
	if r.constant != nil {
		if !*r.constant {
			w.refuse(r, depth)
		}
		return
	}
	if r.ref != nil {
		w.weigh(r.ref, v, depth)
		return
	}
	if !w.typed(r, v) {
		w.refuse(r, depth)
		return
	}
	for _, next := range r.inPlace {
		before := w.refused
		if w.weigh(next, v, depth); w.refused > before {
			w.refuse(r, depth) // for allOf, anyOf, oneOf, then or else itself
		}
	}
	if r.not != nil {
		w.weigh(r.not, v, depth)
	}
	if r.not != nil || r.exclusive { // broken by what holds
		w.refuse(r, depth)
	}
	if r.enum != nil {
		w.spend(workCompare + workByte*int64(len(v)) + workSearch*int64(r.enumSize))
		if !r.enum[string(v)] {
			w.refuse(r, depth)
		}
	}
	switch v[0] {
	case '{':
		w.object(r, v, depth)
	case '[':
		w.array(r, v, depth)
	case '"':
		w.text(r, v, depth)
	case 't', 'f', 'n':
	default:
		w.number(r, v, depth)
	}
}

func (w *weigher) typed(r *rule, v []byte) bool {
	switch v[0] {
	case '{':
		return r.admits("object")
	case '[':
		return r.admits("array")
	case '"':
		return r.admits("string")
	case 't', 'f':
		return r.admits("boolean")
	case 'n':
		return r.admits("null")
	}
	w.spend(workNumber)
	exponent := bytes.IndexByte(v, 'e') >= 0
	if exponent {
		w.spend(workExponent)
	}
	return r.admits("number") || r.admits("integer") && !exponent && bytes.IndexByte(v, '.') < 0
}

func (r *rule) admits(jsonType string) bool {
	return len(r.types) == 0 || slices.Contains(r.types, jsonType)
}

func (w *weigher) number(r *rule, v []byte, depth int) {
	f, _ := strconv.ParseFloat(string(v), 64)
	b := r.bounds
	broken := b.minimum != nil && f < *b.minimum || b.maximum != nil && f > *b.maximum ||
		b.exclusiveMinimum != nil && f <= *b.exclusiveMinimum || b.exclusiveMax != nil && f >= *b.exclusiveMax
	if broken {
		w.refuse(r, depth)
	}
	if r.multiple {
		w.spend(workDivide)
		w.refuse(r, depth)
	}
}

func (w *weigher) text(r *rule, v []byte, depth int) {
	if b := r.bounds.length; b != (interval{0, -1}) && !b.admits(textLen(v)) {
		w.refuse(r, depth)
	}
	if r.pattern != nil {
		w.spend(workMatch * int64(len(v)) * int64(r.pattern.size))
		w.refuse(r, depth)
	}
	switch r.format {
	case "":
	case "regex":
		w.spend(workRegex * int64(len(v)))
		w.refuse(r, depth)
	default:
		w.spend(workFormat * int64(len(v)))
		w.refuse(r, depth)
	}
}

func (w *weigher) array(r *rule, v []byte, depth int) {
	n := 0
	seen := map[string]bool{}
	for item := range canonical.Elements(v) {
		if w.left < 0 {
			return
		}
		switch {
		case r.items != nil:
			w.weigh(r.items, item, depth+1)
		case n < len(r.tuple):
			w.weigh(r.tuple[n], item, depth+1)
		case len(r.tuple) > 0:
			w.weigh(r.rest, item, depth+1)
		}
		if r.contains != nil {
			w.weigh(r.contains, item, depth+1)
		}
		if r.unique {
			w.spend(workCompare + workByte*int64(len(item)))
			if seen[string(item)] {
				w.refuse(r, depth)
			}
			seen[string(item)] = true
		}
		n++
	}
	if !r.bounds.count.admits(n) || r.contains != nil {
		w.refuse(r, depth)
	}
}

func (w *weigher) object(r *rule, v []byte, depth int) {
	n := 0
	have := map[string]bool{}
	for key, value := range canonical.Members(v) {
		if !w.spend(workSearch * int64(len(r.fixed))) {
			return
		}
		name := canonical.Unescape(key)
		fixed := r.fixed[name]
		have[name] = true
		w.weigh(fixed, value, depth+1)
		for _, p := range r.patterns {
			w.spend(workCompile + (workCompile+workMatch*int64(len(name)))*int64(p.size))
			w.weigh(p.rule, value, depth+1)
		}
		if fixed == nil {
			w.weigh(r.others, value, depth+1)
		}
		if r.names != nil {
			w.weigh(r.names, quoteJSON(name), depth)
			w.refuse(r, depth)
		}
		if d, ok := r.dependent[name]; ok {
			w.weigh(d, v, depth)
			w.refuse(r, depth)
		}
		n++
	}
	if !r.bounds.size.admits(n) {
		w.refuse(r, depth)
	}
	for _, name := range r.required {
		if w.spend(workSearch); !have[name] {
			w.refuse(r, depth)
		}
	}
}

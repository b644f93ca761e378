package ledger

import (
	"math"
	"slices"
	"strconv"

	"github.com/gitledger/gitledger/internal/canonical"
)

func noBounds() bounds {
	open := interval{0, -1}
	return bounds{length: open, count: open, size: open}
}

// keyword reads one member of a schema. Names that are no keyword of the draft
// mean nothing, as JSON Schema has it.
func (r *schemaReader) keyword(path string, t *tree, name string, v *tree, out *rule) error {
	if known, err := r.subschemas(path, name, v, out); known || err != nil {
		return err
	}
	bad := func(rule string) error { return malformed(path, name, rule) }
	keep := func() error {
		text, err := canonicalJSON(v)
		if err != nil {
			return bad(jsonRule(err))
		}
		out.keywords = append(out.keywords, keyword{name, text})
		return nil
	}
	switch name {
	case "title", "description", "format", "pattern":
		if v.kind != kindString {
			return bad("must be a string")
		}
		switch name {
		case "format":
			out.format = v.text
			return nil // written by textFormat
		case "pattern":
			var why string
			if out.pattern, why = r.pattern(v.text); why != "" {
				return bad(why)
			}
		}
		return keep()
	case "type":
		var err error
		if out.types, err = r.types(path, v); err != nil {
			return err
		}
		return keep()
	case "const":
		if !r.draft.has(draft6) {
			return nil
		}
		return r.oneOf(bad, []*tree{v}, out, keep)
	case "enum":
		if v.kind != kindList || len(v.items) == 0 {
			return bad("must be a list of at least one value")
		}
		return r.oneOf(bad, v.items, out, keep)
	case "required":
		list, err := r.strings(path, name, v)
		if err != nil {
			return err
		}
		for _, n := range list {
			r.graph.names[n] = true
		}
		out.required = list
		return keep()
	case "uniqueItems":
		if v.kind != kindBool {
			return bad("must be true or false")
		}
		out.unique = v.truth
		return keep()
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		return r.interval(bad, name, v, out, keep)
	case "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return r.number(bad, t, name, v, out)
	}
	return nil
}

func (r *schemaReader) types(path string, v *tree) ([]string, error) {
	list := []string{v.text}
	if v.kind != kindString {
		var err error
		if list, err = r.strings(path, "type", v); err != nil {
			return nil, err
		}
	}
	for _, t := range list {
		if !isJSONType(t) {
			return nil, malformed(path, "type", "must be array, boolean, integer, null, number, object or string")
		}
	}
	if len(list) == 0 {
		return nil, malformed(path, "type", "must state at least one type")
	}
	return list, nil
}

func (r *schemaReader) oneOf(bad func(string) error, values []*tree, out *rule, keep func() error) error {
	if why := r.listed(len(values)); why != "" {
		return bad(why)
	}
	set := make(map[string]bool, len(values))
	for _, v := range values {
		text, err := canonicalJSON(v)
		if err != nil {
			return bad(jsonRule(err))
		}
		if set[string(text)] {
			return bad("must list different values")
		}
		set[string(text)] = true
	}
	if out.enum == nil {
		out.enum = set
	} else { // enum beside const: both apply
		for text := range out.enum {
			if !set[text] {
				delete(out.enum, text)
			}
		}
	}
	out.enumSize += len(values)
	return keep()
}

func (r *schemaReader) interval(bad func(string) error, name string, v *tree, out *rule, keep func() error) error {
	n, ok := v.integer()
	if !ok || n < 0 {
		return bad("must be a whole number that is not negative")
	}
	i := map[string]*interval{"Length": &out.bounds.length, "Items": &out.bounds.count, "Properties": &out.bounds.size}[name[3:]]
	if name[:3] == "min" {
		i.least = n
	} else {
		i.most = n
	}
	if i.most >= 0 && i.least > i.most {
		return bad("leaves nothing between the least and the most")
	}
	return keep()
}

// number reads a numeric keyword. The boolean bounds of draft 4 are written
// down in the form of the later drafts.
func (r *schemaReader) number(bad func(string) error, t *tree, name string, v *tree, out *rule) error {
	exclusive := name == "exclusiveMinimum" || name == "exclusiveMaximum"
	base := map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}[name]
	switch {
	case exclusive && v.kind == kindBool && r.draft != draft6 && r.draft != draft7:
		if t.get(base) == nil {
			return bad("needs " + base + " beside it")
		}
		return nil // minimum and maximum look for it
	case exclusive && r.draft == draft4, v.kind != kindNumber && exclusive:
		return bad("must be " + map[bool]string{true: "true or false", false: "a number"}[r.draft == draft4])
	case v.kind != kindNumber:
		return bad("must be a number")
	}
	text, err := canonicalJSON(v)
	if err != nil {
		return bad(jsonRule(err))
	}
	f, _ := strconv.ParseFloat(string(text), 64)
	if f != 0 && (math.Abs(f) > 1e30 || math.Abs(f) < 1e-30) {
		out.bounds.huge = true
	}
	if name == "multipleOf" {
		if f <= 0 {
			return bad("must be above 0")
		}
		out.multiple = true
	}
	if name == "minimum" || name == "maximum" {
		strict := "exclusive" + string(name[0]-'a'+'A') + name[1:]
		if e := t.get(strict); e != nil && e.kind == kindBool && e.truth {
			name = strict
		}
	}
	switch name {
	case "minimum":
		out.bounds.minimum = &f
	case "maximum":
		out.bounds.maximum = &f
	case "exclusiveMinimum":
		out.bounds.exclusiveMinimum = &f
	case "exclusiveMaximum":
		out.bounds.exclusiveMax = &f
	}
	out.keywords = append(out.keywords, keyword{name, text})
	return nil
}

// textFormat writes format for strings only, which is what it is about; the
// validating library would refuse numbers.
func (r *schemaReader) textFormat(out *rule) {
	if out.format == "" {
		return
	}
	text := slices.Concat([]byte(`{"format":`), quoteJSON(out.format), []byte(`}`))
	if len(out.types) > 0 && !slices.Contains(out.types, "number") && !slices.Contains(out.types, "integer") {
		out.keywords = append(out.keywords, keyword{"format", quoteJSON(out.format)})
		return
	}
	applies := &rule{bounds: noBounds(), keywords: []keyword{{"if", []byte(`{"type":"string"}`)}, {"then", text}}}
	for i, c := range out.children {
		if c.keyword == "allOf" {
			out.children[i].rules = append(slices.Clip(c.rules), applies)
			return
		}
	}
	out.children = append(out.children, child{keyword: "allOf", shape: listOfRules, rules: []*rule{applies}})
}

// textLen counts the Unicode characters of a canonical string.
func textLen(v []byte) int {
	s, _ := canonical.Text(v)
	n := 0
	for range s {
		n++
	}
	return n
}

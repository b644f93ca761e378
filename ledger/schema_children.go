package ledger

import "slices"

// subschemas reads a keyword that holds subschemas. known is false for one
// that does not.
func (r *schemaReader) subschemas(path, name string, v *tree, out *rule) (known bool, err error) {
	c := child{keyword: name}
	one := func(field **rule) {
		c.shape = oneRule
		var next *rule
		if next, err = r.read(at(path, name), v); err == nil {
			c.rules = []*rule{next}
			*field = next
		}
	}
	switch name {
	case "properties", "patternProperties", "dependencies":
		if c, err = r.byName(path, name, v); err == nil {
			err = r.keepNamed(path, c, out)
		}
	case "allOf", "anyOf", "oneOf":
		c.shape = listOfRules
		if c.rules, err = r.list(path, name, v); err == nil {
			out.inPlace = append(out.inPlace, c.rules...)
			out.exclusive = out.exclusive || name == "oneOf"
		}
	case "not", "if", "then", "else":
		if name != "not" && !r.draft.has(draft7) {
			return true, nil
		}
		var next *rule
		one(&next)
		switch {
		case err != nil:
		case name == "not":
			out.not = next
		default:
			out.inPlace = append(out.inPlace, next)
		}
	case "additionalProperties", "additionalItems":
		if v.kind == kindBool { // in draft 4 as well
			c.rules = []*rule{{constant: &v.truth, bounds: noBounds()}}
			if r.graph.count++; name == "additionalProperties" {
				out.others = c.rules[0]
			} else {
				out.rest = c.rules[0]
			}
			break
		}
		if name == "additionalProperties" {
			one(&out.others)
		} else {
			one(&out.rest)
		}
	case "propertyNames", "contains":
		if !r.draft.has(draft6) {
			return true, nil
		}
		if name == "contains" {
			one(&out.contains)
		} else {
			one(&out.names)
		}
	case "items":
		if v.kind != kindList {
			one(&out.items)
			break
		}
		c.shape = listOfRules
		if c.rules, err = r.list(path, name, v); err == nil {
			out.tuple = c.rules
		}
	default:
		return false, nil
	}
	if err == nil {
		out.children = append(out.children, c)
	}
	return true, err
}

func (r *schemaReader) list(path, name string, v *tree) ([]*rule, error) {
	if v.kind != kindList || len(v.items) == 0 {
		return nil, malformed(path, name, "must be a list of at least one schema")
	}
	var out []*rule
	for i, item := range v.items {
		next, err := r.read(index(at(path, name), i), item)
		if err != nil {
			return nil, err
		}
		out = append(out, next)
	}
	return out, nil
}

// byName reads an object of schemas; a dependency may be a list of names instead.
func (r *schemaReader) byName(path, name string, v *tree) (child, error) {
	c := child{keyword: name, shape: rulesByName}
	if v.kind != kindObject {
		return c, malformed(path, name, "must be an object")
	}
	if len(v.members) > maxRules {
		return c, tooManyRules()
	}
	for _, m := range v.members {
		c.names = append(c.names, m.name)
		if name == "dependencies" && m.value.kind == kindList {
			list, err := r.strings(path, name, m.value)
			if err != nil {
				return c, err
			}
			c.rules, c.lists = append(c.rules, nil), append(c.lists, namesJSON(list))
			continue
		}
		next, err := r.read(join(at(path, name), m.name), m.value)
		if err != nil {
			return c, err
		}
		c.rules, c.lists = append(c.rules, next), append(c.lists, nil)
	}
	return c, nil
}

// keepNamed keeps what is needed to weigh and to explain a value.
func (r *schemaReader) keepNamed(path string, c child, out *rule) error {
	for i, name := range c.names {
		switch c.keyword {
		case "properties":
			r.graph.names[name] = true
			if out.fixed == nil {
				out.fixed = make(map[string]*rule, len(c.names))
			}
			out.fixed[name] = c.rules[i]
		case "dependencies":
			r.graph.names[name] = true
			if out.dependent == nil {
				out.dependent = make(map[string]*rule, len(c.names))
			}
			out.dependent[name] = c.rules[i]
		case "patternProperties":
			p, why := r.pattern(name)
			if why != "" {
				return malformed(path, c.keyword, why)
			}
			out.patterns = append(out.patterns, patternRule{*p, c.rules[i]})
		}
	}
	return nil
}

// at names a keyword's place in the schema.
func at(path, keyword string) string {
	if path == "" {
		return keyword
	}
	return path + "." + keyword
}

func namesJSON(names []string) []byte {
	b := []byte{'['}
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, quoteJSON(name)...)
	}
	return append(b, ']')
}

func (r *schemaReader) strings(path, name string, v *tree) ([]string, error) {
	bad := malformed(path, name, "must be a list of different strings")
	if v.kind != kindList {
		return nil, bad
	}
	if why := r.listed(len(v.items)); why != "" {
		return nil, malformed(path, name, why)
	}
	seen := make(map[string]bool, len(v.items))
	var out []string
	for _, item := range v.items {
		if item.kind != kindString || seen[item.text] {
			return nil, bad
		}
		seen[item.text] = true
		out = append(out, item.text)
	}
	return slices.Clip(out), nil
}

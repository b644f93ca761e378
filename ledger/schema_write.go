package ledger

import "strconv"

// document writes the schema that the validating library compiles: draft 7,
// with a definition for each rule that a reference leads to.
func (g *schemaGraph) document() []byte {
	b := g.root.append(nil, "")
	switch string(b) {
	case "true":
		return []byte("{}")
	case "false":
		return []byte(`{"not":{}}`)
	}
	definitions := g.appendDefinitions(nil, "")
	if len(definitions) == 0 {
		return b
	}
	b = b[:len(b)-1] // the closing brace
	if len(b) > 1 {
		b = append(b, ',')
	}
	return append(append(append(b, `"definitions":{`...), definitions...), "}}"...)
}

// appendDefinitions writes the members of a definitions object. The prefix
// tells the definitions of several schemas in one document apart.
func (g *schemaGraph) appendDefinitions(b []byte, prefix string) []byte {
	for i, r := range g.targets {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), definitionName(prefix, i+1)...), `":`...)
		b = r.appendBody(b, prefix)
	}
	return b
}

// definitionName needs no escaping in JSON, in a pointer or in a URI.
func definitionName(prefix string, target int) string { return prefix + "r" + strconv.Itoa(target) }

// append writes a rule, by reference when it has a definition.
func (r *rule) append(b []byte, prefix string) []byte {
	if r.target > 0 {
		return append(append(append(b, `{"$ref":"#/definitions/`...), definitionName(prefix, r.target)...), `"}`...)
	}
	return r.appendBody(b, prefix)
}

func (r *rule) appendBody(b []byte, prefix string) []byte {
	switch {
	case r.constant != nil:
		return strconv.AppendBool(b, *r.constant)
	case r.ref != nil:
		return r.ref.append(b, prefix)
	}
	b = append(b, '{')
	start := len(b)
	member := func(name string) {
		if len(b) > start {
			b = append(b, ',')
		}
		b = append(append(b, quoteJSON(name)...), ':')
	}
	for _, k := range r.keywords {
		member(k.name)
		b = append(b, k.text...)
	}
	for _, c := range r.children {
		member(c.keyword)
		b = c.append(b, prefix)
	}
	return append(b, '}')
}

func (c child) append(b []byte, prefix string) []byte {
	switch c.shape {
	case oneRule:
		return c.rules[0].append(b, prefix)
	case listOfRules:
		b = append(b, '[')
		for i, r := range c.rules {
			if i > 0 {
				b = append(b, ',')
			}
			b = r.append(b, prefix)
		}
		return append(b, ']')
	}
	b = append(b, '{')
	for i, r := range c.rules {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, quoteJSON(c.names[i])...), ':')
		if r == nil {
			b = append(b, c.lists[i]...)
			continue
		}
		b = r.append(b, prefix)
	}
	return append(b, '}')
}

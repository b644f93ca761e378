package ledger

import "gopkg.in/yaml.v3"

// child finds one property of a mapping of which the others do not matter. The
// result is nil when n is no mapping or does not have it. One that comes through
// a merge key is refused: it would be a declaration that is not seen here, and
// that other readers of the file see.
func (r *yamlReader) child(path *configPath, n *yaml.Node, name string) (key, value *yaml.Node) {
	n = r.resolve(n)
	if n.Kind != yaml.MappingNode || !r.spend(n, path, len(n.Content)/2) {
		return nil, nil
	}
	var merged *yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := r.resolve(n.Content[i])
		if isMerge(k) && merged == nil && r.merges(path, n.Content[i+1], name) {
			merged = n.Content[i]
		}
		if is, ok := keyName(k); !ok || is != name {
			continue
		}
		if value != nil {
			r.fail(n.Content[i], ProblemDuplicate, path.property(name), "occurs twice", "state it once")
			break
		}
		key, value = n.Content[i], n.Content[i+1]
	}
	if value == nil && merged != nil {
		r.fail(merged, ProblemWrongKind, path.property(name), "stated through a merge key (<<)", "write it out, or use an alias as a value")
	}
	return key, value
}

// merges reports whether the value of a merge key has a property.
func (r *yamlReader) merges(path *configPath, n *yaml.Node, name string) bool {
	n = r.resolve(n)
	if !r.spend(n, path, 1+len(n.Content)) {
		return false
	}
	for i, item := range n.Content {
		switch {
		case n.Kind == yaml.SequenceNode:
			if r.merges(path, item, name) {
				return true
			}
		case n.Kind == yaml.MappingNode && i%2 == 0:
			k := r.resolve(item)
			if is, ok := keyName(k); ok && is == name || isMerge(k) && r.merges(path, n.Content[i+1], name) {
				return true
			}
		}
	}
	return false
}

// legacy looks for ledgers in repo-memory, which is an object or a list of them;
// nothing else of it matters here.
func (r *yamlReader) legacy(path *configPath, memory *yaml.Node) {
	memory = r.resolve(memory)
	items := memory.Content
	if memory.Kind != yaml.SequenceNode {
		items = nil
		if key, _ := r.child(path, memory, "ledger"); key != nil {
			r.refuseLegacy(r.at(key), path)
		}
	}
	for i, item := range items {
		if key, _ := r.child(path.element(i), item, "ledger"); key != nil {
			r.refuseLegacy(r.at(key), path.element(i))
		}
	}
}

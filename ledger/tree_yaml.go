package ledger

import (
	"math"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/gitledger/gitledger/internal/canonical"
)

// yamlReader turns YAML nodes into a tree. Aliases are followed within the
// bound on nodes, so an alias bomb ends as a problem, not as memory.
type yamlReader struct {
	*report
	offset int // lines before the YAML text in its file
	nodes  int
}

func (r *yamlReader) at(n *yaml.Node) spot { return spot{n.Line + r.offset, n.Column} }

func (r *yamlReader) fail(n *yaml.Node, code ProblemCode, path *configPath, text, advice string) *tree {
	r.report.fail(r.at(n), code, path, text, advice)
	return nil
}

// spend counts nodes, and says once that there are too many.
func (r *yamlReader) spend(n *yaml.Node, path *configPath, nodes int) bool {
	if r.nodes > maxTreeNodes {
		return false
	}
	if r.nodes += nodes; r.nodes > maxTreeNodes {
		r.fail(n, ProblemTooLarge, path, "more than 100000 values, aliases counted where they are used", "shorten the configuration")
		return false
	}
	return true
}

// resolve follows aliases to a node that is none.
func (r *yamlReader) resolve(n *yaml.Node) *yaml.Node {
	for hops := 0; n.Kind == yaml.AliasNode && n.Alias != nil && hops < maxTreeDepth; hops++ {
		n = n.Alias
	}
	return n
}

// read returns nil after a problem. The place of an alias is where it is used.
func (r *yamlReader) read(path *configPath, n *yaml.Node, depth int) *tree {
	used := n
	n = r.resolve(n)
	if depth > maxTreeDepth {
		return r.fail(used, ProblemTooDeep, path, "nested too deeply, or an anchor that contains itself", "flatten the value")
	}
	if !r.spend(used, path, 1) {
		return nil
	}
	switch n.Kind {
	case yaml.MappingNode:
		return r.object(path, n, used, depth)
	case yaml.SequenceNode:
		if !plainTag(n, "!!seq") {
			return r.fail(used, ProblemWrongKind, path, "a tagged list", "remove the tag")
		}
		t := &tree{kind: kindList, at: r.at(used)}
		for i, item := range n.Content {
			if item := r.read(path.element(i), item, depth+1); item != nil {
				t.items = append(t.items, item)
			}
		}
		return t
	case yaml.ScalarNode:
		return r.scalar(path, n, used)
	}
	return r.fail(used, ProblemWrongKind, path, "not a value", "state an object, a list or a scalar")
}

func (r *yamlReader) object(path *configPath, n, used *yaml.Node, depth int) *tree {
	if !plainTag(n, "!!map") {
		return r.fail(used, ProblemWrongKind, path, "a tagged object", "remove the tag")
	}
	t := &tree{kind: kindObject, at: r.at(used)}
	// What is refused before its value is read costs as much as what is read.
	if !r.spend(used, path, len(n.Content)/2) {
		return nil
	}
	seen := make(map[string]bool, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := r.resolve(n.Content[i])
		name, ok := keyName(key)
		switch {
		case isMerge(key):
			t.partial = true
			r.fail(n.Content[i], ProblemWrongKind, path, "a merge key (<<)", "write the properties out, or use an alias as a value")
			continue
		case !ok:
			t.partial = true
			r.fail(n.Content[i], ProblemWrongKind, path, "a property name that is not a string", "quote the name")
			continue
		case seen[name]:
			r.fail(n.Content[i], ProblemDuplicate, path.property(name), "occurs twice", "state it once")
			continue
		}
		seen[name] = true
		t.add(member{name: name, at: r.at(n.Content[i]), value: r.read(path.property(name), n.Content[i+1], depth+1)})
	}
	return t
}

func isMerge(key *yaml.Node) bool { return key.Kind == yaml.ScalarNode && key.ShortTag() == "!!merge" }

// keyName returns a mapping key's text. An unquoted decimal number is a name as
// well, since that is how ledgers and properties such as 2024 are written.
func keyName(key *yaml.Node) (string, bool) {
	if key.Kind != yaml.ScalarNode {
		return "", false
	}
	switch key.ShortTag() {
	case "!!str":
		return key.Value, true
	case "!!int":
		_, ok := decimal(key.Value)
		return key.Value, ok && key.Value[0] != '+'
	}
	return "", false
}

func (r *yamlReader) scalar(path *configPath, n, used *yaml.Node) *tree {
	t := &tree{at: r.at(used)}
	switch n.ShortTag() {
	case "!!null":
		t.kind = kindNull
	case "!!str", "!!timestamp": // an unquoted date is text, as in JSON
		t.kind, t.text = kindString, n.Value
	case "!!bool":
		if n.Decode(&t.truth) != nil {
			return r.fail(used, ProblemWrongKind, path, "not a boolean", "write true or false")
		}
		t.kind = kindBool
	case "!!int":
		var ok bool
		if t.text, ok = decimal(n.Value); !ok {
			return r.fail(used, ProblemWrongKind, path, "an integer that is not written in decimal", "write it in decimal, or quote it as a string")
		}
		t.kind = kindNumber
	case "!!float":
		var f float64
		if n.Decode(&f) != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			return r.fail(used, ProblemWrongKind, path, "not a finite number", "state a number that a double can carry")
		}
		t.kind, t.text = kindNumber, string(canonical.AppendNumber(nil, f))
	default:
		return r.fail(used, ProblemWrongKind, path, "a tagged value", "remove the tag")
	}
	return t
}

// decimal returns the JSON literal of a decimal integer, and whether s is one.
// Readers of YAML disagree about 010, 0x10 and 1_000.
func decimal(s string) (string, bool) {
	literal := strings.TrimPrefix(s, "+")
	digits := strings.TrimPrefix(literal, "-")
	if digits == "" || len(digits) > 1 && digits[0] == '0' {
		return "", false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return "", false
		}
	}
	return literal, true
}

// plainTag reports whether a collection has no tag but its own.
func plainTag(n *yaml.Node, own string) bool { return n.Tag == "" || n.ShortTag() == own }

package ledger

// schemaReader turns a schema's tree into rules.
type schemaReader struct {
	root    *tree
	draft   draft
	graph   *schemaGraph
	rules   map[*tree]*rule
	anchors map[string]*tree
	pending []reference
	entries int // of lists
	steps   int // of patterns
}

type reference struct {
	from *rule
	path string
	text string
}

// Bounds of one schema, so that compiling it ends soon.
const (
	maxRules   = 5_000 // subschemas
	maxTargets = 1_000 // of references
)

func tooManyRules() error { return &SchemaError{Rule: "has more than 5000 subschemas"} }

// readSchema understands a schema, and refuses what it cannot.
func readSchema(root *tree) (*schemaGraph, error) {
	d, err := dialect(root)
	if err != nil {
		return nil, err
	}
	r := schemaReader{root: root, draft: d, rules: map[*tree]*rule{}, anchors: map[string]*tree{},
		graph: &schemaGraph{names: map[string]bool{}}}
	if r.graph.root, err = r.read("", root); err != nil {
		return nil, err
	}
	for len(r.pending) > 0 { // resolving may find further references
		next := r.pending[0]
		r.pending = r.pending[1:]
		if err := r.follow(next); err != nil {
			return nil, err
		}
	}
	if err := r.graph.checkExpansion(); err != nil {
		return nil, err
	}
	return r.graph, nil
}

func (r *schemaReader) follow(ref reference) error {
	t, why := r.resolve(ref.text)
	if why == "" && t.kind != kindObject && t.kind != kindBool {
		why = "leads to something that is not a schema"
	}
	if why != "" {
		return malformed(ref.path, "$ref", why)
	}
	to, err := r.read(ref.path, t)
	if err != nil {
		return err
	}
	if to.target == 0 {
		if len(r.graph.targets) == maxTargets {
			return malformed("", "$ref", "leads to more than 1000 places")
		}
		r.graph.targets = append(r.graph.targets, to)
		to.target = len(r.graph.targets)
	}
	ref.from.ref = to
	return nil
}

// read makes the rule of a subschema, once for each subschema.
func (r *schemaReader) read(path string, t *tree) (*rule, error) {
	if known := r.rules[t]; known != nil {
		return known, nil
	}
	out := &rule{bounds: noBounds()}
	r.rules[t] = out
	if r.graph.count++; r.graph.count > maxRules {
		return nil, tooManyRules()
	}
	switch t.kind {
	case kindBool:
		if r.draft == draft4 {
			return nil, &SchemaError{Location: path, Rule: "must be an object; true and false are schemas from draft 6 on"}
		}
		out.constant = &t.truth
		return out, nil
	case kindObject:
	default:
		return nil, &SchemaError{Location: path, Rule: "must be a schema, which is an object"}
	}
	return out, r.object(path, t, out)
}

func (r *schemaReader) object(path string, t *tree, out *rule) error {
	if r.draft == draft4 || r.draft == anyDraft {
		if err := r.identify(path, t, "id"); err != nil {
			return err
		}
	}
	if r.draft.has(draft6) {
		if err := r.identify(path, t, "$id"); err != nil {
			return err
		}
	}
	if t != r.root && t.get("$schema") != nil {
		return malformed(path, "$schema", "may be stated for the whole schema only")
	}
	if definitions := t.get("definitions"); definitions != nil {
		if _, err := r.byName(path, "definitions", definitions); err != nil {
			return err
		}
	}
	if ref := t.get("$ref"); ref != nil {
		if ref.kind != kindString {
			return malformed(path, "$ref", "must be a string")
		}
		r.pending = append(r.pending, reference{out, path, ref.text})
		return nil
	}
	for _, m := range t.members {
		if err := r.keyword(path, t, m.name, m.value, out); err != nil {
			return err
		}
	}
	r.textFormat(out)
	return nil
}

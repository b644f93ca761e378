package ledger

import (
	"io/fs"
	"strings"
)

// declaration reads ledgers from a tree and collects everything that is wrong.
type declaration struct {
	*report  // shared with the reader of the tree
	files    fs.FS
	spelling spelling
}

// finish sorts the ledgers, or returns all problems and no ledgers.
func (d *declaration) finish(out Configs) (Configs, error) {
	if err := d.err(); err != nil {
		return nil, err
	}
	out.sort()
	return out, nil
}

// ledgers reads the value of tools.ledger in either form.
func (d *declaration) ledgers(path *configPath, t *tree) Configs {
	if t == nil {
		return nil
	}
	if t.kind == kindNull { // "ledger:" and nothing else
		t = &tree{kind: kindObject, at: t.at}
	}
	if t.kind != kindObject {
		d.fail(t.at, ProblemWrongKind, path, "not an object", "declare one ledger by its settings, or several by name; {} is one ledger with all defaults")
		return nil
	}
	d.expressions(path, t)
	if isSingle(t) {
		return d.single(path, t)
	}
	return d.named(path, t)
}

func (d *declaration) single(path *configPath, t *tree) Configs {
	settings := &tree{kind: kindObject, partial: t.partial, at: t.at}
	for _, m := range t.members {
		if !isSetting(m.name) && m.value.kind == kindObject {
			d.fail(m.at, ProblemMixedForms, path.property(m.name), "a named ledger beside the settings of a single ledger",
				"move the settings under a name of their own"+didYouMean(m.name, settingNames(d.spelling)))
			continue
		}
		settings.members = append(settings.members, m)
	}
	return Configs{d.ledger(path, DefaultName, settings)}
}

func (d *declaration) named(path *configPath, t *tree) Configs {
	var out Configs
	for _, m := range t.members {
		at := path.property(m.name)
		if m.value.kind != kindObject {
			advice := "declare the ledger by an object; {} is a ledger with all defaults"
			d.fail(m.value.at, ProblemWrongKind, at, "not an object", advice+didYouMean(m.name, settingNames(d.spelling)))
			continue
		}
		d.name(m.at, at, m.name)
		out = append(out, d.ledger(at, m.name, m.value))
	}
	return out
}

func (d *declaration) name(at spot, path *configPath, name string) {
	if !ValidName(name) && !strings.Contains(name, expressionMark) {
		d.fail(at, ProblemName, path, "not a ledger name", "use 1 to 64 letters, digits, hyphens and underscores, the first a letter or digit")
	}
}

// expressions refuses "${{" in every name and string: what the workflow engine
// would expand is not what was validated.
func (d *declaration) expressions(path *configPath, t *tree) {
	const advice = "state the value itself; expressions are not expanded in a ledger declaration"
	switch {
	case t.kind == kindString && strings.Contains(t.text, expressionMark):
		d.fail(t.at, ProblemExpression, path, "contains a workflow expression", advice)
	case t.kind == kindList:
		for i, item := range t.items {
			d.expressions(path.element(i), item)
		}
	case t.kind == kindObject:
		for _, m := range t.members {
			if strings.Contains(m.name, expressionMark) {
				d.fail(m.at, ProblemExpression, path.property(m.name), "a name that contains a workflow expression", advice)
			}
			d.expressions(path.property(m.name), m.value)
		}
	}
}

// legacy refuses the ledger property of tools.repo-memory (S7-09).
func (r *report) refuseLegacy(at spot, memory *configPath) {
	r.fail(at, ProblemLegacy, memory.property("ledger"), "ledgers are not declared here any more", "declare the ledger under tools.ledger")
}

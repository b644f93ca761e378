package ledger

// ParseJSON reads the runtime's form, in which a job is handed its ledgers:
// an array of objects with the properties name, type, key, schema,
// max_record_kb, max_segment_kb, max_patch_kb and branch_name, or an object of
// such objects by name, in which the name need not be repeated. What is absent
// has its default; a schema is an object, never a path; branch_name must be
// ledgers/<name>. The maintenance form has compaction besides: false, or an
// object with schedule, min_segments and max_segments.
//
// A declaration of tools.ledger that happens to be JSON is read by
// [ParseYAMLValue]: its properties are spelled with hyphens.
func ParseJSON(data []byte) (Configs, error) {
	if len(data) > maxYAMLBytes {
		return nil, Problems{{Code: ProblemTooLarge, Text: "the JSON is larger than 1 MiB", Advice: "shorten the schemas"}}
	}
	path := whole("ledgers")
	d := declaration{report: &report{}, spelling: underscored}
	return d.finish(d.runtime(path, readJSON(data, path, d.report)))
}

// ParseBase64 reads the environment form: [ParseJSON]'s in standard base64, at
// most 96 KiB of it.
func ParseBase64(encoded string) (Configs, error) {
	data, problems := decodeBase64(encoded)
	if problems != nil {
		return nil, problems
	}
	return ParseJSON(data)
}

func (d *declaration) runtime(path *configPath, t *tree) Configs {
	var out Configs
	seen := map[string]bool{}
	add := func(at *configPath, name string, t *tree) {
		if seen[name] {
			d.fail(t.at, ProblemDuplicate, at, "a ledger name that occurs twice", "state each ledger once")
			return
		}
		seen[name] = true
		d.name(t.at, at, name)
		out = append(out, d.ledger(at, name, d.identity(at, name, t)))
	}
	switch {
	case t == nil:
	case t.kind == kindList:
		d.expressions(path, t)
		for i, item := range t.items {
			at := path.element(i)
			name := item.get("name")
			if name == nil || name.kind != kindString {
				d.fail(item.at, ProblemName, at, "not an object with a name", "state each ledger as an object with its name")
				continue
			}
			add(at, name.text, item)
		}
	case t.kind == kindObject:
		d.expressions(path, t)
		for _, m := range t.members {
			at := path.property(m.name)
			if m.value.kind != kindObject {
				d.fail(m.value.at, ProblemWrongKind, at, "not an object", "state each ledger as an object")
				continue
			}
			add(at, m.name, m.value)
		}
	default:
		d.fail(t.at, ProblemWrongKind, path, "neither a list of ledgers nor an object of ledgers by name", "")
	}
	return out
}

// identity checks the properties that name the ledger and returns the others.
func (d *declaration) identity(path *configPath, name string, t *tree) *tree {
	rest := &tree{kind: kindObject, partial: t.partial, at: t.at}
	for _, m := range t.members {
		switch m.name {
		case "name":
			if m.value.kind != kindString || m.value.text != name {
				d.fail(m.value.at, ProblemName, path.property(m.name), "not the name that the ledger is listed by", "state the same name, or none")
			}
		case "branch_name":
			if m.value.kind != kindString || m.value.text != branchPrefix+name {
				d.fail(m.value.at, ProblemBranch, path.property(m.name), "not the branch of this ledger", "state "+branchPrefix+"<name>, or leave it out")
			}
		default:
			rest.members = append(rest.members, m)
		}
	}
	return rest
}

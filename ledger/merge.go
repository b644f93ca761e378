package ledger

import (
	"cmp"
	"slices"
)

// Workflow is one workflow's ledgers, for [Merge].
type Workflow struct {
	ID      string // such as the workflow file's name without its extension
	Ledgers Configs
}

// Merge brings the ledgers of several workflows together for maintenance, which
// serves all of a repository. Each name occurs once; of workflows that declare
// the same ledger the first in byte order of their IDs decides. Where another
// one differs in a way that matters to the shared branch (its type, key, schema,
// limits or compaction policy) a problem says so. The problems do not make the
// result unusable: they are for the people who maintain the workflows.
func Merge(workflows ...Workflow) (Configs, Problems) {
	ordered := slices.Clone(workflows)
	slices.SortStableFunc(ordered, func(a, b Workflow) int { return cmp.Compare(a.ID, b.ID) })
	var out Configs
	var problems Problems
	first := map[string]int{} // name to the index of the workflow that decides
	for i, w := range ordered {
		for _, c := range w.Ledgers {
			by, known := first[c.Name]
			if !known {
				first[c.Name] = i
				out = append(out, c)
				continue
			}
			decided, _ := ordered[by].Ledgers.Lookup(c.Name)
			for _, property := range decided.differences(c) {
				problems = append(problems, Problem{
					Code:   ProblemPolicyDiffers,
					Path:   join(quoted(w.ID)+": tools.ledger", c.Name) + "." + property,
					Text:   "differs from workflow " + quoted(ordered[by].ID) + ", whose declaration is used",
					Advice: "declare the ledger alike in both workflows",
				})
			}
		}
	}
	out.sort()
	return out, problems
}

// differences names the properties in which two declarations of a ledger differ.
func (c Config) differences(d Config) []string {
	var names []string
	if c.Type != d.Type {
		names = append(names, "type")
	}
	if c.Key != d.Key {
		names = append(names, "key")
	}
	if !c.Schema.Equal(d.Schema) {
		names = append(names, "schema")
	}
	for _, s := range limitSettings() {
		if *s.field(&c.Limits) != *s.field(&d.Limits) {
			names = append(names, s.declared)
		}
	}
	if c.Compaction != d.Compaction {
		names = append(names, "compaction")
	}
	return names
}

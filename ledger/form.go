package ledger

import "slices"

// tools.ledger has two forms: the settings of one ledger that is named
// "default", or an object of ledgers by name. Ledgers may be named like a
// setting, so names alone do not tell the forms apart; values do:
//
//   - type, key, a limit: a setting, unless its value is an object;
//   - compaction: a setting when it is no object, or has a property of a policy;
//   - schema: a setting when it is no object, or no property of a ledger is in
//     it: a type that is a ledger's and not JSON Schema's, a key, a limit, a
//     schema or a compaction policy;
//   - replay: a setting (which is refused) when it is no object, or has a
//     script or config.
//
// An object that could be either (schema: {} or compaction: {}) is a setting,
// unless another property is certainly a ledger. The declaration is of a single
// ledger when it is empty or has a setting.
func isSingle(t *tree) bool {
	if len(t.members) == 0 {
		return true
	}
	ambiguous, ledgers := false, false
	for _, m := range t.members {
		switch classify(m) {
		case setting:
			return true
		case either:
			ambiguous = true
		case aLedger:
			ledgers = true
		}
	}
	return ambiguous && !ledgers
}

type class uint8

const (
	neither class = iota // neither a setting nor a ledger: wrong in both forms
	setting
	aLedger
	either
)

func classify(m member) class {
	object := m.value.kind == kindObject
	switch {
	case !isSetting(m.name) && object:
		return aLedger
	case !isSetting(m.name):
		return neither
	case !object:
		return setting
	}
	switch m.name {
	case "compaction":
		return classifyBy(m.value, isPolicyProperty, isLedgerProperty)
	case "schema":
		if looksLikeLedger(m.value) {
			return aLedger
		}
		return classifyBy(m.value, func(string) bool { return true }, nil)
	case "replay":
		if m.value.get("script") != nil || m.value.get("config") != nil {
			return setting
		}
	}
	return aLedger
}

// classifyBy decides on an object by its properties; the first kind found wins.
func classifyBy(t *tree, isOfSetting, isOfLedger func(string) bool) class {
	ofLedger := false
	for _, m := range t.members {
		if isOfSetting(m.name) {
			return setting
		}
		ofLedger = ofLedger || isOfLedger != nil && isOfLedger(m.name)
	}
	if ofLedger {
		return aLedger
	}
	return either
}

func isPolicyProperty(name string) bool {
	return name == "schedule" || name == "min-segments" || name == "max-segments" || name == "script"
}

func isLedgerProperty(name string) bool { return isSetting(name) && name != "replay" }

// looksLikeLedger reports whether an object under the name schema declares a
// ledger. No keyword of JSON Schema is a ledger property except type, whose
// values are disjoint.
func looksLikeLedger(t *tree) bool {
	for _, m := range t.members {
		switch {
		case m.name == "type":
			if m.value.kind == kindString && !isJSONType(m.value.text) {
				return true
			}
		case isLedgerProperty(m.name):
			return true
		}
	}
	return false
}

func isJSONType(s string) bool {
	return slices.Contains([]string{"array", "boolean", "integer", "null", "number", "object", "string"}, s)
}

// spelling is how an input spells property names: with hyphens in workflow
// files, with underscores in the runtime's JSON.
type spelling uint8

const (
	hyphenated spelling = iota
	underscored
)

// isSetting reports whether name is a property of a ledger in a workflow file,
// or once was.
func isSetting(name string) bool {
	return name == "replay" || slices.Contains(settingNames(hyphenated), name)
}

func settingNames(s spelling) []string {
	names := []string{"type", "key", "schema", "compaction"}
	for _, l := range limitSettings() {
		names = append(names, l.name(s))
	}
	return names
}

func (l limit) name(s spelling) string {
	if s == underscored {
		return l.runtime
	}
	return l.declared
}

package ledger

import (
	"cmp"
	"strings"

	"github.com/xeipuuv/gojsonschema"

	"github.com/gitledger/gitledger/internal/canonical"
)

// SchemaError says which rule a value, or a schema itself, breaks. It holds
// names that the schema states, positions, and nothing of the value.
type SchemaError struct {
	Location string // such as runs[3].status; a property that the schema does not state is *; empty for the whole
	Keyword  string // the keyword that is broken; may be empty
	Rule     string // in words, such as "must be integer"
}

// Error returns "location: rule".
func (e *SchemaError) Error() string {
	return cmp.Or(e.Location, "(root)") + ": " + e.Rule
}

// malformed is the error of a schema: its location ends in the keyword.
func malformed(path, keyword, rule string) error {
	return &SchemaError{Location: at(path, keyword), Keyword: keyword, Rule: rule}
}

// broken maps the validating library's kinds of failure to keywords and words.
func broken(kind string) (keyword, rule string) {
	switch kind {
	case "false":
		return "false", "is not allowed here"
	case "required":
		return "required", "is required"
	case "invalid_type":
		return "type", "must be "
	case "number_any_of":
		return "anyOf", "must match at least one of the schemas of anyOf"
	case "number_one_of":
		return "oneOf", "must match exactly one of the schemas of oneOf"
	case "number_all_of":
		return "allOf", "must match all schemas of allOf"
	case "number_not":
		return "not", "must not match the schema of not"
	case "missing_dependency":
		return "dependencies", "needs further properties beside it"
	case "const":
		return "const", "must be the value of const"
	case "enum":
		return "enum", "must be one of the values of enum"
	case "array_no_additional_items":
		return "additionalItems", "must have no further items"
	case "array_min_items":
		return "minItems", "must have more items"
	case "array_max_items":
		return "maxItems", "must have fewer items"
	case "unique":
		return "uniqueItems", "must have different items"
	case "contains":
		return "contains", "must have an item that matches contains"
	case "array_min_properties":
		return "minProperties", "must have more properties"
	case "array_max_properties":
		return "maxProperties", "must have fewer properties"
	case "additional_property_not_allowed":
		return "additionalProperties", "must have no other properties than the ones declared"
	case "invalid_property_name":
		return "propertyNames", "must have property names that match propertyNames"
	case "string_gte":
		return "minLength", "must be longer"
	case "string_lte":
		return "maxLength", "must be shorter"
	case "pattern":
		return "pattern", "must match the pattern"
	case "format":
		return "format", "must have the declared format"
	case "multiple_of":
		return "multipleOf", "must be a multiple of multipleOf"
	case "number_gte":
		return "minimum", "must not be below the minimum"
	case "number_gt":
		return "exclusiveMinimum", "must be above the minimum"
	case "number_lte":
		return "maximum", "must not be above the maximum"
	case "number_lt":
		return "exclusiveMaximum", "must be below the maximum"
	case "condition_then":
		return "then", "must match the schema of then"
	case "condition_else":
		return "else", "must match the schema of else"
	}
	return "", "does not match the schema"
}

// combines reports whether a keyword only repeats what others found.
func combines(keyword string) bool {
	switch keyword {
	case "anyOf", "oneOf", "allOf", "then", "else", "":
		return true
	}
	return false
}

// explain makes one error of what the library found: a rule itself before the
// ones that combine rules, the first by place and kind. The library's own order
// varies from run to run.
func (g *schemaGraph) explain(value []byte, found []gojsonschema.ResultError) error {
	type key struct {
		combined  int
		place     string
		kind, why string
	}
	rank := func(f gojsonschema.ResultError) key {
		k := key{place: f.Context().String("\x00"), kind: f.Type(), why: f.Description()}
		if keyword, _ := broken(k.kind); combines(keyword) {
			k.combined = 1
		}
		return k
	}
	first, least := found[0], rank(found[0])
	for _, f := range found[1:] {
		k := rank(f)
		if cmp.Or(cmp.Compare(k.combined, least.combined), cmp.Compare(k.place, least.place),
			cmp.Compare(k.kind, least.kind), cmp.Compare(k.why, least.why)) < 0 {
			first, least = f, k
		}
	}
	e := &SchemaError{Location: g.location(value, first.Context())}
	e.Keyword, e.Rule = broken(first.Type())
	switch e.Keyword {
	case "type":
		expected, _ := first.Details()["expected"].(string)
		e.Rule += strings.ReplaceAll(strings.Trim(expected, "[]"), ",", " or ")
	case "required":
		if name, _ := first.Details()["property"].(string); g.names[name] {
			e.Location = join(e.Location, name)
		}
	}
	return e
}

// location states a place in a value by what the schema knows of it.
func (g *schemaGraph) location(value []byte, context *gojsonschema.JsonContext) string {
	const separator = "\x00"
	location := ""
	steps := strings.Split(context.String(separator), separator)
	for _, step := range steps[1:] { // the first stands for the root
		next := []byte(nil)
		switch {
		case canonical.IsArray(value):
			i := 0
			for item := range canonical.Elements(value) {
				if index("", i) == "["+step+"]" {
					next = item
					break
				}
				i++
			}
			location = index(location, i)
		default:
			shown := "*"
			if g.names[step] {
				shown = step
			}
			location = join(location, shown)
			for key, member := range canonical.Members(value) {
				if canonical.Unescape(key) == step {
					next = member
				}
			}
		}
		value = next
	}
	return location
}

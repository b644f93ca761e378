package ledger

import (
	"encoding/json"
	"fmt"
	"slices"
)

// object is a JSON object that marshals with sorted keys.
type object map[string]any

func (o object) json() json.RawMessage {
	b, err := json.Marshal(o)
	if err != nil { // every value is a string, a number, a list or valid JSON
		return nil
	}
	return b
}

// inputSchema states what a tool takes. With one form of input it is a plain
// object; with several, oneOf tells them apart by ledger and operation, and the
// properties of the whole state what is common, for readers that look no further.
// The oneOf is not at the top, where the interfaces of several models refuse it,
// but depends on a property that is always there.
func inputSchema(t *Tool, vs []variant, several bool) json.RawMessage {
	properties := object{"ledger": ledgerSchema(t.Ledgers), "temp_id": temporaryID()}
	required := requiredLedger(several)
	kinds := map[string]FieldKind{}
	var operations []string
	for _, v := range vs {
		if t.Operation == "" && v.operation.Name != "" && !slices.Contains(operations, v.operation.Name) {
			operations = append(operations, v.operation.Name)
		}
		for _, f := range v.fields() {
			kind, known := kinds[f.Name]
			if !known {
				kinds[f.Name] = f.Kind
				properties[f.Name] = describe(f, fieldSchema(f, Config{}))
			} else if kind != f.Kind { // a row here, any value there
				properties[f.Name] = describe(f, object{})
			}
		}
	}
	if operations != nil {
		properties["operation"] = object{"type": "string", "enum": operations, "description": "What to do; the fields depend on it."}
	}
	definitions := object{}
	if len(vs) == 1 {
		for _, f := range vs[0].fields() {
			properties[f.Name] = describe(f, vs[0].field(f, definitions))
		}
	}
	if len(vs) == 1 || plain(vs) {
		return toolSchema(properties, append(required, vs[0].required(t)...), definitions).json()
	}
	var forms []object
	for _, v := range vs {
		forms = append(forms, v.form(t, definitions))
	}
	if required == nil { // the forms are operations of one ledger
		required = []string{"operation"}
	}
	s := toolSchema(properties, required, definitions)
	s["dependencies"] = object{required[0]: object{"oneOf": forms}}
	return s.json()
}

func toolSchema(properties object, required []string, definitions object) object {
	s := object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	if len(definitions) > 0 {
		s["definitions"] = definitions
	}
	return s
}

// plain reports whether all variants take the same input but for the ledger's name.
func plain(vs []variant) bool {
	return !slices.ContainsFunc(vs, func(v variant) bool {
		return v.operation.Name != vs[0].operation.Name || v.config.Schema != nil || v.config.Key != "" || v.config.Type != vs[0].config.Type
	})
}

// fields are the fields of the variant's input besides operation.
func (v variant) fields() []Field {
	if v.config.Type == Raw {
		return []Field{{Name: "record", Kind: recordField}}
	}
	return v.operation.Fields
}

// recordField is the one field of a raw ledger's input.
const recordField FieldKind = 255

func (v variant) required(t *Tool) []string {
	var names []string
	if t.Operation == "" && v.operation.Name != "" {
		names = append(names, "operation")
	}
	for _, f := range v.fields() {
		if !f.Optional {
			names = append(names, f.Name)
		}
	}
	return names
}

// form is the branch of oneOf for one variant.
func (v variant) form(t *Tool, definitions object) object {
	properties := object{"ledger": object{"enum": []string{v.config.Name}}, "temp_id": object{}}
	if t.Operation == "" && v.operation.Name != "" {
		properties["operation"] = object{"enum": []string{v.operation.Name}}
	}
	for _, f := range v.fields() {
		properties[f.Name] = v.field(f, definitions)
	}
	return object{"properties": properties, "required": v.required(t), "additionalProperties": false}
}

// field states a field for one ledger, its value schema included.
func (v variant) field(f Field, definitions object) object {
	s := fieldSchema(f, v.config)
	if v.config.Schema != nil && (f.Kind == ValueField || f.Kind == RowField || f.Kind == recordField) {
		s = merge(s, v.config.Schema.embed(v.config.Name, definitions))
	}
	return s
}

// merge is a schema that requires both.
func merge(a, b object) object {
	if len(a) == 0 {
		return b
	}
	return object{"allOf": []object{a, b}}
}

// embed defines the schema in a document and returns a reference to it. A
// ledger's name holds no character that a reference would have to escape.
func (s *Schema) embed(name string, definitions object) object {
	definitions[name] = json.RawMessage(s.graph.root.appendBody(nil, name+"."))
	for i, r := range s.graph.targets {
		definitions[definitionName(name+".", i+1)] = json.RawMessage(r.appendBody(nil, name+"."))
	}
	return object{"$ref": "#/definitions/" + name}
}

func ledgerSchema(names []string) object {
	return object{"type": "string", "enum": names, "description": "The ledger to write to."}
}

func requiredLedger(several bool) []string {
	if several {
		return []string{"ledger"}
	}
	return nil
}

func temporaryID() object {
	return object{"type": "string", "pattern": TemporaryIDPattern,
		"description": "A name of your choice for this record. Other requests of this run to the same ledger refer to the record by the string #name."}
}

// fieldSchema states what a field's value must be, for a ledger of that configuration.
func fieldSchema(f Field, c Config) object {
	switch f.Kind {
	case RowField:
		s := object{"type": "object"}
		if c.Key != "" {
			s["required"], s["properties"] = []string{c.Key}, object{c.Key: object{"type": "string"}}
		}
		return s
	case PatchField:
		s := object{"type": "object"}
		if c.Key != "" {
			s["not"] = object{"required": []string{c.Key}}
		}
		return s
	case recordField:
		return object{"type": "object", "maxProperties": MaxObjectKeys,
			"propertyNames": object{"maxLength": MaxObjectKeyLen, "not": object{"enum": ReservedFields()}}}
	case KeyField:
		return object{"type": "string"}
	case NameField:
		return object{"type": "string", "minLength": 1}
	case AmountField:
		return object{"type": "integer", "minimum": 0, "maximum": int64(MaxAmount)}
	case TextField:
		return object{"type": "string", "minLength": 1, "maxLength": max(f.MaxBytes, f.MaxChars), "pattern": "[^" + blankChars + "]"}
	case NoteIDField:
		return object{"type": "string", "minLength": 1, "maxLength": f.MaxBytes}
	case VoteField:
		return object{"type": "string", "enum": []string{"up", "down"}}
	case CitationsField:
		return object{"type": "array", "minItems": 1, "maxItems": MaxCitations, "items": citationSchema()}
	}
	return object{}
}

// describe adds what a reader of the tool should know of a field.
func describe(f Field, s object) object {
	text := map[string]string{
		"value":     "The value; it must satisfy the ledger's schema.",
		"record":    "The record; it must satisfy the ledger's schema.",
		"key":       "The key.",
		"patch":     "Properties that replace those of the row. It cannot change the primary key; the row that results must satisfy the ledger's schema.",
		"name":      "The counter's name; a counter starts at zero.",
		"amount":    "A whole number, zero included.",
		"subject":   "What the note is about.",
		"note":      "The assertion.",
		"reason":    "Why.",
		"citations": fmt.Sprintf("1 to %d citations, each at most %d bytes of JSON.", MaxCitations, MaxCitationBytes),
		"note_id":   "The id of the note, as the notes table has it, or #name for a note of this run.",
		"vote":      "up when the evidence supports the note, down when it does not.",
	}[f.Name]
	if f.MaxBytes > 0 {
		text += fmt.Sprintf(" At most %d bytes of UTF-8.", f.MaxBytes)
	}
	if f.MaxChars > 0 {
		text += fmt.Sprintf(" At most %d characters.", f.MaxChars)
	}
	s["description"] = text
	return s
}

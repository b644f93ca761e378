package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"github.com/xeipuuv/gojsonschema"

	"github.com/gitledger/gitledger/internal/canonical"
)

// Bounds of a schema.
const (
	MaxSchemaBytes = 1 << 20
	MaxSchemaDepth = canonical.MaxDepth // 32

	maxSchemaNodes = 40_000 // JSON values, of any kind
)

// Schema is a compiled JSON Schema of draft 4, 6 or 7 for a ledger's values
// (S4.3-11). It is immutable and safe for concurrent use; a nil *Schema admits
// every value.
//
// Compiling reads nothing but the schema's own bytes: references lead to places
// inside it, all others are refused. What is handed to the validating library
// is not the schema as it was written but what was understood of it: known
// keywords of the right shape, and every reference rewritten to a definition.
type Schema struct {
	raw      []byte
	graph    *schemaGraph
	compiled *gojsonschema.Schema
}

// CompileSchema compiles a schema. It refuses text that is not JSON, is larger
// than 1 MiB or deeper than 32 levels, has duplicate keys, malformed keywords
// or patterns that RE2 does not know, refers to anything outside itself, or
// would take too long to apply. The error is a [*SchemaError] whose location is
// in the schema.
func CompileSchema(raw []byte) (*Schema, error) {
	if len(raw) > MaxSchemaBytes {
		return nil, &SchemaError{Rule: "is larger than 1 MiB"}
	}
	text, err := canonical.AppendExact(nil, raw)
	if err != nil {
		return nil, &SchemaError{Rule: jsonRule(err)}
	}
	root := readCanonical(text, maxSchemaNodes)
	if root == nil {
		return nil, &SchemaError{Rule: "has more than 40000 values"}
	}
	graph, err := readSchema(root)
	if err != nil {
		return nil, err
	}
	loader := gojsonschema.NewSchemaLoader()
	loader.Draft, loader.AutoDetect = gojsonschema.Draft7, false
	compiled, err := loader.Compile(gojsonschema.NewBytesLoader(graph.document()))
	if err != nil {
		return nil, &SchemaError{Rule: "is not a valid JSON Schema"}
	}
	return &Schema{raw: text, graph: graph, compiled: compiled}, nil
}

// jsonRule says in words why a text has no canonical form.
func jsonRule(err error) string {
	for _, known := range []error{canonical.ErrDuplicate, canonical.ErrDepth, canonical.ErrNumber, canonical.ErrInteger} {
		if errors.Is(err, known) {
			return "is refused: " + known.Error()
		}
	}
	return "is not valid JSON"
}

// Raw returns the schema as canonical JSON.
func (s *Schema) Raw() json.RawMessage { return slices.Clone(s.raw) }

// hasExpression reports whether the schema's text holds a workflow expression.
// Canonical JSON escapes none of its characters.
func (s *Schema) hasExpression() bool { return bytes.Contains(s.raw, []byte(expressionMark)) }

// isObject tells a schema that a configuration can hold from true and false.
func (s *Schema) isObject() bool { return canonical.IsObject(s.raw) }

// Equal reports whether two schemas, of which either may be nil, are the same text.
func (s *Schema) Equal(other *Schema) bool {
	if s == nil || other == nil {
		return s == other
	}
	return bytes.Equal(s.raw, other.raw)
}

// Validate checks one value, given as canonical JSON. The error is a
// [*SchemaError] that names the place by property names of the schema and by
// positions, and never by text of the value. A value for which the schema would
// take too long is refused like one that breaks it; which ones those are
// depends on nothing but the schema and the value.
func (s *Schema) Validate(value []byte) error {
	if s == nil {
		return nil
	}
	w := weigher{left: maxWork}
	if w.weigh(s.graph.root, value, 0); w.left < 0 {
		return &SchemaError{Rule: "is too complex for this schema", Keyword: "complexity"}
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return &SchemaError{Rule: "is not valid JSON"}
	}
	result, err := s.compiled.Validate(gojsonschema.NewRawLoader(v))
	if err != nil {
		return &SchemaError{Rule: "cannot be validated"}
	}
	if result.Valid() {
		return nil
	}
	return s.graph.explain(value, result.Errors())
}

package ledger

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/xeipuuv/gojsonschema"

	"github.com/gitledger/gitledger/internal/canonical"
)

// MaxSchemaBytes bounds the text of a schema.
const MaxSchemaBytes = 1 << 20

// Schema is a compiled JSON Schema (draft 4, 6 or 7) for a ledger's values. It
// is immutable and safe for concurrent use.
type Schema struct {
	raw      []byte
	compiled *gojsonschema.Schema
}

// CompileSchema compiles a schema.
func CompileSchema(raw []byte) (*Schema, error) {
	text, err := canonical.Append(nil, raw, canonical.Refuse)
	if err != nil {
		return nil, errors.New("schema: not valid JSON")
	}
	compiled, err := gojsonschema.NewSchema(gojsonschema.NewBytesLoader(text))
	if err != nil {
		return nil, errors.New("schema: not a valid JSON Schema")
	}
	return &Schema{raw: text, compiled: compiled}, nil
}

// Raw returns the schema as canonical JSON. Do not modify it.
func (s *Schema) Raw() json.RawMessage { return s.raw }

// SchemaError says which rule of a schema a value breaks.
type SchemaError struct {
	Location string
	Rule     string
}

func (e *SchemaError) Error() string { return e.Location + ": " + e.Rule }

// Validate checks one value, given as canonical JSON. The error is a [*SchemaError].
func (s *Schema) Validate(value []byte) error {
	var v any
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return &SchemaError{Location: "(root)", Rule: "not valid JSON"}
	}
	result, err := s.compiled.Validate(gojsonschema.NewRawLoader(v))
	if err != nil || !result.Valid() {
		return &SchemaError{Location: "(root)", Rule: "does not match the schema"}
	}
	return nil
}

package record

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"unicode/utf8"

	"github.com/gitledger/gitledger/internal/canonical"
)

var (
	errNoJSON  = errors.New("the value has no JSON form")
	errNotUTF8 = errors.New("a string is not UTF-8")
)

// Marshal returns the canonical JSON of a Go value: structs by their JSON
// tags, maps, slices, [json.RawMessage], anything that encoding/json takes. An
// integer that a double cannot carry is an error, never a silent change, and so
// is a string that is not UTF-8. A type that marshals itself answers for its
// own text.
func Marshal(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("record: marshal: %w", errNoJSON) // its text may hold values
	}
	// That is how encoding/json writes what is not UTF-8, and only that. It may
	// also come from a RawMessage, though, or follow a backslash.
	if bytes.Contains(text, []byte(`\ufffd`)) && holdsInvalidText(reflect.ValueOf(v)) {
		return nil, fmt.Errorf("record: marshal: %w", errNotUTF8)
	}
	out, err := canonical.AppendExact(nil, text)
	if err != nil {
		return nil, fmt.Errorf("record: marshal: %w", err)
	}
	return out, nil
}

// holdsInvalidText reports whether a value that encoding/json has taken, and
// which therefore has no cycle, holds a string that is not UTF-8.
func holdsInvalidText(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Invalid:
		return false
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return false
		}
	}
	if invalid, ok := marshalsItself(v); ok {
		return invalid
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return holdsInvalidText(v.Elem())
	case reflect.String:
		return !utf8.ValidString(v.String())
	case reflect.Map:
		for entry := v.MapRange(); entry.Next(); {
			if holdsInvalidText(entry.Key()) || holdsInvalidText(entry.Value()) {
				return true
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if holdsInvalidText(v.Index(i)) {
				return true
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			written := (field.IsExported() || field.Anonymous) && field.Tag.Get("json") != "-"
			if written && holdsInvalidText(v.Field(i)) {
				return true
			}
		}
	}
	return false
}

// marshalsItself reports whether v's type writes its own JSON, or its own text,
// and whether that text is invalid.
func marshalsItself(v reflect.Value) (invalid, ok bool) {
	if !v.CanInterface() {
		return false, false
	}
	if v.CanAddr() && v.Kind() != reflect.Pointer {
		v = v.Addr()
	}
	switch m := v.Interface().(type) {
	case json.Marshaler:
		return false, true
	case encoding.TextMarshaler:
		text, err := m.MarshalText()
		return err == nil && !utf8.Valid(text), true
	}
	return false, false
}

package ledger

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/gitledger/gitledger/internal/canonical"
)

// goReader turns decoded Go values into a tree: what a compiler holds after it
// has read YAML or JSON by its own means.
type goReader struct {
	*report
	nodes int
}

func (r *goReader) fail(code ProblemCode, path *configPath, text, advice string) *tree {
	r.report.fail(spot{}, code, path, text, advice)
	return nil
}

// read returns nil after a problem.
func (r *goReader) read(path *configPath, v any, depth int) *tree {
	if depth > maxTreeDepth {
		return r.fail(ProblemTooDeep, path, "nested too deeply", "flatten the value")
	}
	if r.nodes++; r.nodes > maxTreeNodes {
		if r.nodes == maxTreeNodes+1 {
			return r.fail(ProblemTooLarge, path, "more than 100000 values", "shorten the configuration")
		}
		return nil
	}
	switch v := v.(type) {
	case nil:
		return &tree{kind: kindNull}
	case bool:
		return &tree{kind: kindBool, truth: v}
	case string:
		return &tree{kind: kindString, text: v}
	case json.Number:
		if !validNumber(string(v)) {
			return r.fail(ProblemWrongKind, path, "not a JSON number", "state a number")
		}
		return &tree{kind: kindNumber, text: string(v)}
	case map[string]any:
		return r.object(path, v, depth)
	}
	return r.reflected(path, reflect.ValueOf(v), depth)
}

func (r *goReader) object(path *configPath, v map[string]any, depth int) *tree {
	names := make([]string, 0, len(v))
	for name := range v {
		names = append(names, name)
	}
	slices.Sort(names)
	t := &tree{kind: kindObject}
	for _, name := range names {
		t.add(member{name: name, value: r.read(path.property(name), v[name], depth+1)})
	}
	return t
}

// reflected reads the numeric kinds, and slices and maps of other element types.
func (r *goReader) reflected(path *configPath, v reflect.Value, depth int) *tree {
	switch v.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return &tree{kind: kindNumber, text: strconv.FormatInt(v.Int(), 10)}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &tree{kind: kindNumber, text: strconv.FormatUint(v.Uint(), 10)}
	case reflect.Float32, reflect.Float64:
		if f := v.Float(); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return &tree{kind: kindNumber, text: string(canonical.AppendNumber(nil, f))}
		}
		return r.fail(ProblemWrongKind, path, "not a finite number", "state a number")
	case reflect.String:
		return &tree{kind: kindString, text: v.String()}
	case reflect.Bool:
		return &tree{kind: kindBool, truth: v.Bool()}
	case reflect.Slice, reflect.Array:
		t := &tree{kind: kindList}
		for i := range v.Len() {
			if item := r.read(path.element(i), v.Index(i).Interface(), depth+1); item != nil {
				t.items = append(t.items, item)
			}
		}
		return t
	case reflect.Map:
		plain := make(map[string]any, v.Len())
		for iter := v.MapRange(); iter.Next(); {
			key := iter.Key()
			if key.Kind() == reflect.Interface {
				key = key.Elem()
			}
			if key.Kind() != reflect.String {
				return r.fail(ProblemWrongKind, path, "a property name is not a string", "quote the name")
			}
			if _, twice := plain[key.String()]; twice { // as keys of different types
				return r.fail(ProblemDuplicate, path.property(key.String()), "occurs twice", "state it once")
			}
			plain[key.String()] = iter.Value().Interface()
		}
		return r.object(path, plain, depth)
	}
	return r.fail(ProblemWrongKind, path, "a value that is neither an object, a list, a string, a number, a boolean nor null", "quote it as a string")
}

// hasLedger reports whether a map has the property ledger, whatever its value.
func hasLedger(v reflect.Value) bool {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.Kind() != reflect.Map {
		return false
	}
	name, key := reflect.ValueOf("ledger"), v.Type().Key()
	switch {
	case key.Kind() == reflect.String:
		name = name.Convert(key)
	case !name.Type().AssignableTo(key):
		return false
	}
	return v.MapIndex(name).IsValid()
}

// legacy looks for ledgers in repo-memory, which is an object or a list of them;
// nothing else of it matters here.
func (r *goReader) legacy(path *configPath, memory any) {
	v := reflect.ValueOf(memory)
	if hasLedger(v) {
		r.refuseLegacy(spot{}, path)
	}
	if v.Kind() == reflect.Slice {
		for i := range v.Len() {
			if hasLedger(v.Index(i)) {
				r.refuseLegacy(spot{}, path.element(i))
			}
		}
	}
}

package ledger

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/gitledger/gitledger/internal/canonical"
)

// jsonReader turns JSON text into a tree. Duplicate keys are refused. It does
// not use canonical form for the whole, since a schema of 32 levels lies deeper
// than that inside its configuration.
type jsonReader struct {
	nodes    int
	most     int // nodes
	problems Problems
}

func readJSON(data []byte) (*tree, Problems) {
	var compact bytes.Buffer
	if !utf8.Valid(data) || json.Compact(&compact, data) != nil {
		return nil, Problems{{Code: ProblemSyntax, Text: "not valid JSON", Advice: "state one JSON value and nothing else"}}
	}
	r := jsonReader{most: maxTreeNodes}
	t := r.read("", compact.Bytes(), 0)
	return t, r.problems
}

// readCanonical reads canonical text, or returns nil when it has more nodes than most.
func readCanonical(text []byte, most int) *tree {
	r := jsonReader{most: most}
	t := r.read("", text, 0)
	if r.problems != nil {
		return nil
	}
	return t
}

func (r *jsonReader) fail(code ProblemCode, path, text, advice string) {
	r.problems = append(r.problems, Problem{Code: code, Path: path, Text: text, Advice: advice})
}

// read reads compact JSON; the readers of canonical text need no more than that.
func (r *jsonReader) read(path string, v []byte, depth int) *tree {
	if depth > maxTreeDepth {
		r.fail(ProblemTooDeep, path, "nested too deeply", "flatten the value")
		return nil
	}
	if r.nodes++; r.nodes > r.most {
		if r.nodes == r.most+1 {
			r.fail(ProblemTooLarge, path, "more than 100000 values", "shorten the configuration")
		}
		return nil
	}
	switch {
	case canonical.IsObject(v):
		return r.object(path, v, depth)
	case canonical.IsArray(v):
		t := &tree{kind: kindList}
		for item := range canonical.Elements(v) {
			if r.nodes > r.most {
				break
			}
			if item := r.read(index(path, len(t.items)), item, depth+1); item != nil {
				t.items = append(t.items, item)
			}
		}
		return t
	case canonical.IsString(v):
		s, _ := canonical.Text(v)
		return &tree{kind: kindString, text: s}
	}
	switch string(v) {
	case "null":
		return &tree{kind: kindNull}
	case "true", "false":
		return &tree{kind: kindBool, truth: v[0] == 't'}
	}
	return &tree{kind: kindNumber, text: string(v)}
}

func (r *jsonReader) object(path string, v []byte, depth int) *tree {
	t := &tree{kind: kindObject}
	seen := map[string]bool{}
	for key, value := range canonical.Members(v) {
		if r.nodes > r.most {
			break
		}
		name := canonical.Unescape(key)
		if seen[name] {
			r.fail(ProblemDuplicate, join(path, name), "occurs twice", "state it once")
			continue
		}
		seen[name] = true
		if value := r.read(join(path, name), value, depth+1); value != nil {
			t.members = append(t.members, member{name: name, value: value})
		}
	}
	return t
}

// canonicalJSON writes a tree as canonical JSON.
func canonicalJSON(t *tree) ([]byte, error) {
	var b strings.Builder
	t.json(&b)
	return canonical.AppendExact(nil, []byte(b.String()))
}

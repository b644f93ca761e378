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
	*report
	nodes int
	most  int // nodes
}

// readJSON returns nil after a problem.
func readJSON(data []byte, path *configPath, to *report) *tree {
	var compact bytes.Buffer
	if !utf8.Valid(data) || json.Compact(&compact, data) != nil {
		to.add(Problem{Code: ProblemSyntax, Text: "not valid JSON", Advice: "state one JSON value and nothing else"})
		return nil
	}
	r := jsonReader{report: to, most: maxTreeNodes}
	return r.read(path, compact.Bytes(), 0)
}

// readCanonical reads canonical text, or returns nil when it has more nodes than most.
func readCanonical(text []byte, most int) *tree {
	r := jsonReader{report: &report{}, most: most}
	t := r.read(whole(""), text, 0)
	if r.problems != nil {
		return nil
	}
	return t
}

// read reads compact JSON; the readers of canonical text need no more than that.
func (r *jsonReader) read(path *configPath, v []byte, depth int) *tree {
	if depth > maxTreeDepth {
		r.fail(spot{}, ProblemTooDeep, path, "nested too deeply", "flatten the value")
		return nil
	}
	if r.nodes++; r.nodes > r.most {
		if r.nodes == r.most+1 {
			r.fail(spot{}, ProblemTooLarge, path, "more than 100000 values", "shorten the configuration")
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
			if item := r.read(path.element(len(t.items)), item, depth+1); item != nil {
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

func (r *jsonReader) object(path *configPath, v []byte, depth int) *tree {
	t := &tree{kind: kindObject}
	seen := map[string]bool{}
	for key, value := range canonical.Members(v) {
		if r.nodes > r.most {
			break
		}
		name := canonical.Unescape(key)
		if seen[name] {
			r.fail(spot{}, ProblemDuplicate, path.property(name), "occurs twice", "state it once")
			continue
		}
		seen[name] = true
		t.add(member{name: name, value: r.read(path.property(name), value, depth+1)})
	}
	return t
}

// canonicalJSON writes a tree as canonical JSON.
func canonicalJSON(t *tree) ([]byte, error) {
	var b strings.Builder
	t.json(&b)
	return canonical.AppendExact(nil, []byte(b.String()))
}

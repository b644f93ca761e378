package ledger

import (
	"net/url"
	"strconv"
	"strings"
)

// resolve finds what a local reference leads to. "#" is the whole schema,
// "#/a/b" a place in it, "#name" the subschema that is identified by that name.
func (r *schemaReader) resolve(ref string) (*tree, string) {
	fragment, local := strings.CutPrefix(ref, "#")
	if !local {
		return nil, "leads outside the schema; only references of the form #… are allowed"
	}
	pointer, err := url.PathUnescape(fragment)
	if err != nil {
		return nil, "is not a reference"
	}
	if pointer != "" && pointer[0] != '/' {
		if t := r.anchors[pointer]; t != nil {
			return t, ""
		}
		return nil, "leads to nothing in the schema"
	}
	at := r.root
	for _, token := range strings.Split(pointer, "/")[1:] {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		next := at.get(token)
		if at.kind == kindList {
			if i, err := strconv.Atoi(token); err == nil && strconv.Itoa(i) == token && i >= 0 && i < len(at.items) {
				next = at.items[i]
			}
		}
		if next == nil {
			return nil, "leads to nothing in the schema"
		}
		at = next
	}
	return at, ""
}

// identify checks $id (id in draft 4). It names a subschema for references when
// it is #name. On the whole schema it may be anything, since no reference is
// resolved against it; elsewhere another identifier would change what the
// references below it mean.
func (r *schemaReader) identify(path string, t *tree, keyword string) error {
	id := t.get(keyword)
	if id == nil {
		return nil
	}
	if id.kind != kindString {
		return malformed(path, keyword, "must be a string")
	}
	if name, local := strings.CutPrefix(id.text, "#"); local {
		if name != "" && r.anchors[name] != nil && r.anchors[name] != t {
			return malformed(path, keyword, "is stated twice")
		}
		r.anchors[name] = t
		return nil
	}
	if t != r.root {
		return malformed(path, keyword, "leads outside the schema; only identifiers of the form #name are allowed here")
	}
	return nil
}

// dialect reads $schema.
func dialect(root *tree) (draft, error) {
	v := root.get("$schema")
	if v == nil {
		return anyDraft, nil
	}
	if v.kind == kindString {
		uri := strings.TrimSuffix(v.text, "#")
		uri = strings.TrimPrefix(strings.TrimPrefix(uri, "https"), "http")
		switch uri {
		case "://json-schema.org/draft-04/schema":
			return draft4, nil
		case "://json-schema.org/draft-06/schema":
			return draft6, nil
		case "://json-schema.org/draft-07/schema":
			return draft7, nil
		}
	}
	return 0, malformed("", "$schema", "is not http://json-schema.org/draft-04/schema#, draft-06 or draft-07")
}

// draft is a version of JSON Schema. Without $schema, every keyword of the
// three drafts means what it means in any of them.
type draft uint8

const (
	anyDraft draft = iota
	draft4
	draft6
	draft7
)

// has reports whether a keyword that came with draft since exists.
func (d draft) has(since draft) bool { return d == anyDraft || d >= since }

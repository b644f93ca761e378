package txn

import (
	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
)

// tempIDOf returns a request's temporary ID without its hash sign.
func tempIDOf(text []byte) (string, *RequestError) {
	v := canonical.Get(text, "temp_id")
	if v == nil {
		return "", nil
	}
	id, ok := canonical.Text(v)
	if len(id) > 0 && id[0] == '#' {
		id = id[1:]
	}
	// A temporary ID has the form of a ledger's name.
	if !ok || !ledger.ValidName(id) {
		return "", &RequestError{Field: "temp_id", Reason: ReasonTempID,
			Detail: "use a letter or digit, then up to 63 letters, digits, underscores and hyphens"}
	}
	return id, nil
}

// reference is a temporary ID on its ledger.
type reference struct{ ledger, tempID string }

// references are the final IDs of temporary ones.
type references map[reference]record.ID

// resolve returns a payload in which each reference to another request of the
// batch on the same ledger is that record's ID (S5.2-04). What refers to
// nothing stays as it is.
func (r references) resolve(payload []byte, cfg ledger.Config) []byte {
	if len(r) == 0 {
		return payload
	}
	if cfg.Type != ledger.Notes {
		return r.rewrite(make([]byte, 0, len(payload)+64), payload, cfg.Name)
	}
	// The texts of notes are the agent's own words; only note_id refers.
	out := append(make([]byte, 0, len(payload)+64), '{')
	for k, v := range canonical.Members(payload) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, '"'), k...), `":`...)
		if string(k) == "note_id" && canonical.IsString(v) {
			out = r.rewrite(out, v, cfg.Name)
		} else {
			out = append(out, v...)
		}
	}
	return append(out, '}')
}

// rewrite appends a canonical value with its references resolved. Keys are not
// values and stay. An ID needs no escapes, so the result is canonical.
func (r references) rewrite(dst, v []byte, name string) []byte {
	switch {
	case canonical.IsString(v):
		if len(v) > 3 && v[1] == '#' {
			if id, ok := r[reference{name, string(v[2 : len(v)-1])}]; ok {
				return append(append(append(dst, '"'), id.String()...), '"')
			}
		}
		return append(dst, v...)
	case canonical.IsObject(v):
		dst = append(dst, '{')
		start := len(dst)
		for k, child := range canonical.Members(v) {
			if len(dst) > start {
				dst = append(dst, ',')
			}
			dst = append(append(append(dst, '"'), k...), `":`...)
			dst = r.rewrite(dst, child, name)
		}
		return append(dst, '}')
	case canonical.IsArray(v):
		dst = append(dst, '[')
		start := len(dst)
		for child := range canonical.Elements(v) {
			if len(dst) > start {
				dst = append(dst, ',')
			}
			dst = r.rewrite(dst, child, name)
		}
		return append(dst, ']')
	}
	return append(dst, v...)
}

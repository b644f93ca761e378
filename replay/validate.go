package replay

import (
	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
)

// Validate checks one operation as far as that needs no state: its fields and
// their kinds, the value against the schema, citations, amounts (S5.2-03,
// S8-02). In a raw ledger it checks the payload, without its id, against the
// schema. payload must be canonical JSON. The error is an [*Error].
func Validate(cfg ledger.Config, payload []byte) error {
	c := newChecker(cfg)
	var f fields
	if err := c.check(payload, &f); err != nil {
		return newError(cfg.Name, 0, record.ID{}, &f, err)
	}
	return nil
}

// checker knows what the operations of one ledger are.
type checker struct {
	cfg    ledger.Config
	shapes []shape
}

func newChecker(cfg ledger.Config) checker { return checker{cfg, shapes(cfg.Type)} }

// check reads the operation's fields into f, and returns the rule that it breaks.
func (c *checker) check(payload []byte, f *fields) error {
	if c.cfg.Type == ledger.Raw {
		return checkRaw(c.cfg.Schema, payload)
	}
	if !c.cfg.Type.Known() {
		return UnknownType
	}
	s := c.shape(f.read(payload))
	if s == nil {
		return UnsupportedOperation
	}
	f.operation = s.Name
	if c.cfg.Type == ledger.Notes && f.present&idField != 0 {
		return PayloadID
	}
	if f.present&s.required != s.required || f.present&^s.allowed != 0 {
		return InvalidFields
	}
	for i := range s.Fields {
		if err := c.checkField(&s.Fields[i], f); err != nil {
			return err
		}
	}
	return nil
}

// shape finds the operation that a payload names, or nil.
func (c *checker) shape(name []byte) *shape {
	text, ok := canonical.Text(name)
	for i := range c.shapes {
		if ok && c.shapes[i].Name == text {
			return &c.shapes[i]
		}
	}
	return nil
}

func (c *checker) checkField(spec *ledger.Field, f *fields) error {
	which := fieldNamed([]byte(spec.Name))
	if f.present&which == 0 {
		return nil
	}
	v := *f.at(which)
	switch spec.Kind {
	case ledger.ValueField:
		return checkSchema(c.cfg.Schema, v)
	case ledger.RowField:
		return c.checkRow(v)
	case ledger.PatchField:
		if !canonical.IsObject(v) || canonical.Get(v, c.cfg.Key) != nil {
			return InvalidPatch
		}
	case ledger.AmountField:
		if n, safe := canonical.Integer(v); !safe || n < 0 {
			return InvalidCounter
		}
	case ledger.CitationsField:
		return checkCitations(v)
	default:
		if s, ok := canonical.Text(v); !ok || !spec.Admits(s) {
			return brokenText(which)
		}
	}
	return nil
}

// checkRow checks a table's row before it meets the state.
func (c *checker) checkRow(v []byte) error {
	if !canonical.IsString(canonical.Get(v, c.cfg.Key)) {
		return InvalidRow
	}
	if len(v) > ledger.MaxRowBytes {
		return RowTooLarge
	}
	return checkSchema(c.cfg.Schema, v)
}

// brokenText is the rule of a field that is text.
func brokenText(which field) Code {
	switch which {
	case nameField:
		return InvalidCounter
	case reasonField:
		return InvalidReason
	case noteIDField, voteField:
		return InvalidVote
	case subjectField, noteField:
		return InvalidNote
	}
	return InvalidKey
}

// checkRaw checks a payload without the id that the gh-aw runtime adds.
func checkRaw(s *ledger.Schema, payload []byte) error {
	if s == nil {
		return nil
	}
	return checkSchema(s, withoutID(payload))
}

// withoutID returns an object without its member id, anything else as it is.
func withoutID(payload []byte) []byte {
	if canonical.Get(payload, "id") == nil {
		return payload
	}
	out := append(make([]byte, 0, len(payload)), '{')
	for k, v := range canonical.Members(payload) {
		if string(k) == "id" {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, '"'), k...), `":`...)
		out = append(out, v...)
	}
	return append(out, '}')
}

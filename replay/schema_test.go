package replay_test

import (
	"errors"
	"testing"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay"
)

// A schema is about the value of each operation that brings one, and about
// nothing else of the operation (S4-01, S4.3-11).
func TestSchemaIsForValues(t *testing.T) {
	// No envelope is one of these: none has a member n, and each has others.
	const schema = `{"type":"object","required":["n"],"additionalProperties":false,"properties":{"id":{"type":"string"},"n":{"type":"integer"}}}`
	for _, c := range []struct {
		typ            ledger.Type
		before, behind string // the operation around the value
	}{
		{ledger.Log, `{"operation":"append","value":`, `}`},
		{ledger.Set, `{"operation":"add","value":`, `}`},
		{ledger.Set, `{"operation":"remove","value":`, `}`},
		{ledger.Map, `{"operation":"put","key":"k","value":`, `}`},
		{ledger.Table, `{"operation":"insert","value":`, `}`},
		{ledger.Table, `{"operation":"upsert","value":`, `}`},
		{ledger.Raw, ``, ``},
	} {
		cfg := config(t, c.typ, schema)
		for value, want := range map[string]error{
			`{"id":"a","n":1}`:         nil,
			`{"id":"a","n":"1"}`:       replay.SchemaMismatch,
			`{"id":"a"}`:               replay.SchemaMismatch,
			`{"id":"a","n":1,"key":2}`: replay.SchemaMismatch,
		} {
			payload := canonical(t, c.before+value+c.behind)
			if err := replay.Validate(cfg, payload); !errors.Is(err, want) || (err == nil) != (want == nil) {
				t.Errorf("%s %s: %v, want %v", c.typ, payload, err, want)
			}
		}
	}
	for typ, payload := range map[ledger.Type]string{
		ledger.Map:   `{"operation":"delete","key":"k"}`,
		ledger.Table: `{"operation":"update","key":"k","patch":{"n":"1"}}`, // the merged row is judged
	} {
		if err := replay.Validate(config(t, typ, schema), canonical(t, payload)); err != nil {
			t.Errorf("%s: %v", payload, err)
		}
	}
}

// The row that an update makes is judged as a whole, and one that the schema
// refuses leaves the row as it was.
func TestSchemaOfMergedRow(t *testing.T) {
	s, err := replay.NewState(config(t, ledger.Table, `{"type":"object","required":["n"],"maxProperties":3,"properties":{"n":{"type":"integer"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Apply(operations(t, `{"operation":"insert","value":{"id":"a","n":1}}`)...); err != nil {
		t.Fatal(err)
	}
	for patch, want := range map[string]error{
		`{"n":"1"}`:     replay.SchemaMismatch,
		`{"x":1,"y":2}`: replay.SchemaMismatch, // neither is too much by itself
		`{"n":1}`:       nil,
	} {
		before := dump(s)
		err := s.Apply(operations(t, `{"operation":"update","key":"a","patch":`+patch+`}`)...)
		if !errors.Is(err, want) || (err == nil) != (want == nil) {
			t.Errorf("%s: %v, want %v", patch, err, want)
		}
		if after := dump(s); after != before {
			t.Errorf("%s: the row is %s, was %s", patch, after, before)
		}
	}
}

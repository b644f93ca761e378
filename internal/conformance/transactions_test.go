package conformance

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/txn"
)

// declaration is a ledger as the vectors state it.
type declaration struct {
	Type                                  ledger.Type
	Key                                   string
	Schema                                json.RawMessage
	MaxRecordKB, MaxPatchKB, MaxSegmentKB int64
}

func (d *declaration) UnmarshalJSON(data []byte) error {
	var v struct {
		Type         ledger.Type
		Key          string
		Schema       json.RawMessage
		MaxRecordKB  int64 `json:"max_record_kb"`
		MaxPatchKB   int64 `json:"max_patch_kb"`
		MaxSegmentKB int64 `json:"max_segment_kb"`
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		return err
	}
	*d = declaration(v)
	return nil
}

func (d declaration) config(t *testing.T, name string) ledger.Config {
	t.Helper()
	cfg := ledger.NewConfig(name, d.Type)
	cfg.Key = d.Key
	const kib = 1024
	cfg.Limits = ledger.Limits{RecordBytes: d.MaxRecordKB * kib, PatchBytes: d.MaxPatchKB * kib, SegmentBytes: d.MaxSegmentKB * kib}
	if d.Schema != nil {
		schema, err := ledger.CompileSchema(d.Schema)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Schema = schema
	}
	return cfg
}

func TestTransactions(t *testing.T) {
	type row struct {
		Name, Note, Reason string
		TransactionID      string `json:"transaction_id"`
		Ledgers            map[string]declaration
		Requests           []json.RawMessage
		Artifact           json.RawMessage
		Error              bool
	}
	eachRow(t, "transactions.jsonl", func(t *testing.T, v row) {
		var configs ledger.Configs
		for _, name := range slices.Sorted(maps.Keys(v.Ledgers)) {
			configs = append(configs, v.Ledgers[name].config(t, name))
		}
		var lines bytes.Buffer
		for _, r := range v.Requests {
			lines.Write(append(r, '\n'))
		}
		got, err := txn.Normalize(configs, v.TransactionID, &lines)
		if v.Error {
			if err == nil {
				t.Fatalf("accepted; want an error (%s)", v.Reason)
			}
			t.Log(err)
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := got.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		want, err := record.Canonicalize(nil, v.Artifact)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(text, want) {
			t.Errorf("artifact\n%s\nwant\n%s", text, want)
		}
		parsed, err := txn.Parse(v.Artifact)
		if err != nil {
			t.Fatalf("the vector's artifact does not parse: %v", err)
		}
		if again, err := parsed.MarshalJSON(); err != nil || !bytes.Equal(again, want) {
			t.Errorf("parsed and written again: %s, %v", again, err)
		}
	})
}

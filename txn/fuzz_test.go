package txn

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
)

func FuzzNormalize(f *testing.F) {
	configs := testConfigs(f)
	for _, request := range everyKind() {
		f.Add(request)
	}
	f.Add(strings.Join(everyKind(), "\n"))
	f.Add(`{"ledger":"free","temp_id":"#a","record":{"a":["#a",{"#a":"#a"},"#b"]}}`)
	f.Add(`{"ledger":"free","record":{"10":1,"9":2,"é":"\ud800","":-0}}`)
	f.Add("{\"record\":{}}\n\n[\n{\"type\":5}")
	f.Fuzz(func(t *testing.T, requests string) {
		tx, err := Normalize(configs, "42:1", strings.NewReader(requests))
		if err != nil {
			checkErrors(t, err, configs)
			return
		}
		text, err := tx.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		again, err := accept(text, configs)
		if err != nil {
			t.Fatalf("what Normalize gives is refused: %v\n%s", err, text)
		}
		if once, err := again.MarshalJSON(); err != nil || !bytes.Equal(once, text) {
			t.Fatalf("written again as\n%s\nwas\n%s", once, text)
		}
		for a := range tx.Appends() {
			if _, err := record.Seal(record.Draft{ID: a.ID, Type: recordType, Payload: a.Payload()}); err != nil {
				t.Fatalf("cannot be stored: %v", err)
			}
		}
	})
}

// checkErrors makes sure that each error names a request, a configured ledger
// or none, and a known field or none.
func checkErrors(t *testing.T, err error, configs ledger.Configs) {
	t.Helper()
	var errs *RequestErrors
	if !errors.As(err, &errs) || len(errs.Errors) == 0 {
		t.Fatalf("%v", err)
	}
	last := -2
	for _, e := range errs.Errors {
		if e.Ledger != "" {
			if _, ok := configs.Lookup(e.Ledger); !ok {
				t.Errorf("ledger %q", e.Ledger)
			}
		}
		if e.Reason == "" || e.Index < -1 || e.Index >= ledger.MaxRequests || e.Index == last {
			t.Errorf("%+v after %d", e, last)
		}
		last = e.Index
	}
}

func FuzzParse(f *testing.F) {
	configs := testConfigs(f)
	f.Add(artifactOf(f, configs, "42:1", everyKind()...))
	f.Add(artifactOf(f, configs, "é\n", appendLog))
	f.Add([]byte(`{"version":1,"transaction_id":"x","ledgers":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		tx, err := Parse(data)
		if err != nil {
			if !errors.Is(err, ErrArtifact) {
				t.Fatal(err)
			}
			return
		}
		text, err := tx.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if once, err := again.MarshalJSON(); err != nil || !bytes.Equal(once, text) {
			t.Fatalf("written again as\n%s\nwas\n%s", once, text)
		}
		if !json.Valid(text) {
			t.Fatalf("not JSON: %s", text)
		}
		_ = validate(tx.appends, configs) // must not panic
	})
}

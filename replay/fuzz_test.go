package replay_test

import (
	"errors"
	"testing"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/replay"
)

// Whatever a payload holds, it is applied or refused with a code; what Validate
// refuses is never applied.
func FuzzApply(f *testing.F) {
	for _, payload := range []string{
		`{"operation":"append","value":{"a":[1]}}`, `{"operation":"remove","value":"x"}`,
		`{"operation":"put","key":"\ud800","value":1}`, `{"operation":"delete","key":""}`,
		`{"operation":"update","key":"a","patch":{"9":1,"v":null}}`, `{"operation":"insert","value":{"id":"a"}}`,
		`{"operation":"increment","name":"n","amount":9007199254740991}`,
		note(cite("a/b")), `{"operation":"vote","note_id":"x","vote":"up","reason":"r"}`, `[]`, `"operation"`,
	} {
		f.Add([]byte(payload))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		payload, err := record.Canonicalize(nil, text)
		if err != nil {
			return
		}
		for _, typ := range append(ledger.Types(), ledger.Raw) {
			s, err := replay.NewState(config(t, typ, `{"type":["object","string","number"]}`))
			if err != nil {
				t.Fatal(err)
			}
			if typ == ledger.Table {
				_ = s.Apply(operations(t, `{"operation":"insert","value":{"id":"a","v":1}}`)...)
			}
			invalid := replay.Validate(config(t, typ, `{"type":["object","string","number"]}`), payload)
			before := dump(s)
			err = s.Apply(replay.Operation{ID: record.DeterministicID("fuzz", 0), Timestamp: "2026-01-02T03:04:05.000Z", Payload: payload})
			var e *replay.Error
			if err != nil && (!errors.As(err, &e) || e.Code == "" || dump(s) != before) {
				t.Fatalf("%s: %v", typ, err)
			}
			if invalid != nil && err == nil {
				t.Fatalf("%s: applied, but %v", typ, invalid)
			}
		}
	})
}

package replay_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/replay"
)

// operations makes operations of payloads, with IDs from their places.
func operations(tb testing.TB, payloads ...string) []replay.Operation {
	tb.Helper()
	var ops []replay.Operation
	for i, p := range payloads {
		p = strings.ReplaceAll(p, "$ID0", record.DeterministicID("tested", 0).String())
		ops = append(ops, replay.Operation{
			ID:        record.DeterministicID("tested", i),
			SHA:       record.Sum([]byte(p)),
			Timestamp: fmt.Sprintf("2026-01-02T03:04:%02d.000Z", i%60),
			Payload:   canonical(tb, p),
		})
	}
	return ops
}

// dump writes all rows of a state.
func dump(s *replay.State) string {
	var b strings.Builder
	for _, t := range s.Tables() {
		fmt.Fprintf(&b, "%s\n", t.Name)
		if t.Rows == nil {
			continue
		}
		for row := range t.Rows {
			fmt.Fprintf(&b, "\t%q\n", row)
		}
	}
	return b.String()
}

func TestApplyIsAllOrNothing(t *testing.T) {
	for _, tc := range []struct {
		t             ledger.Type
		before, batch []string
		index         int
		want          replay.Code
	}{
		{ledger.Log, []string{`{"operation":"append","value":1}`},
			[]string{`{"operation":"append","value":2}`, `{"operation":"append"}`}, 1, replay.InvalidFields},
		{ledger.Set, []string{`{"operation":"add","value":1}`},
			[]string{`{"operation":"add","value":2}`, `{"operation":"remove","value":1}`, `{"operation":"put","value":2}`}, 2, replay.UnsupportedOperation},
		{ledger.Map, []string{`{"operation":"put","key":"a","value":1}`, `{"operation":"put","key":"\ud800","value":1}`},
			[]string{`{"operation":"put","key":"a","value":2}`, `{"operation":"delete","key":"a"}`, `{"operation":"put","key":"b","value":2}`, `{"operation":"put","key":"\ud801","value":1}`}, 3, replay.KeyConflict},
		{ledger.Table, []string{`{"operation":"insert","value":{"id":"a","v":1}}`},
			[]string{`{"operation":"update","key":"a","patch":{"v":2}}`, `{"operation":"delete","key":"a"}`, `{"operation":"update","key":"a","patch":{}}`}, 2, replay.MissingKey},
		{ledger.Table, []string{`{"operation":"insert","value":{"id":"a","v":1}}`},
			[]string{`{"operation":"upsert","value":{"id":"b"}}`, `{"operation":"insert","value":{"id":"b"}}`}, 1, replay.DuplicateKey},
		{ledger.Counter, []string{`{"operation":"increment","name":"a","amount":9007199254740990}`},
			[]string{`{"operation":"increment","name":"b","amount":1}`, `{"operation":"increment","name":"a","amount":1}`, `{"operation":"increment","name":"a","amount":1}`}, 2, replay.CounterRange},
		{ledger.Notes, []string{note(cite("a"))},
			[]string{note(cite("a")), note(cite("b"))}, 0, replay.DuplicateNote},
		{ledger.Notes, []string{note(cite("a")), `{"operation":"vote","note_id":"$ID0","vote":"up"}`},
			[]string{`{"operation":"vote","note_id":"ldg-11111111-1111-4111-8111-111111111111","vote":"up"}`}, 0, replay.MissingNote},
		{ledger.Notes, nil,
			[]string{note(cite("a")), `{"operation":"vote","note_id":"$ID0","vote":"down"}`, `{"operation":"vote","note_id":"x","vote":"up"}`}, 2, replay.MissingNote},
	} {
		s, err := replay.NewState(config(t, tc.t, ""))
		if err != nil {
			t.Fatal(err)
		}
		before := operations(t, tc.before...)
		if err := s.Apply(before...); err != nil {
			t.Fatal(err)
		}
		want := dump(s)
		batch := operations(t, tc.batch...)
		if tc.want != replay.DuplicateNote && tc.before != nil {
			for i := range batch {
				batch[i].ID = record.DeterministicID("batch", i)
			}
		}
		err = s.Apply(batch...)
		var e *replay.Error
		if !errors.As(err, &e) || e.Code != tc.want || e.Index != tc.index || e.ID != batch[tc.index].ID || !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %s at %d", tc.t, err, tc.want, tc.index)
			continue
		}
		if got := dump(s); got != want {
			t.Errorf("%s: a refused batch changed the state:\n%s\nwas\n%s", tc.t, got, want)
		}
		if err := s.Apply(batch[:tc.index]...); err != nil {
			t.Errorf("%s: the batch without its invalid operation: %v", tc.t, err)
		}
	}
}

func TestVotesMayComeFirst(t *testing.T) {
	s, err := replay.NewState(config(t, ledger.Notes, ""))
	if err != nil {
		t.Fatal(err)
	}
	ops := operations(t, note(cite("a")), `{"operation":"vote","note_id":"$ID0","vote":"down","reason":"no"}`)
	if err := s.Apply(ops[1], ops[0]); err != nil {
		t.Fatal(err)
	}
	if got := dump(s); !strings.Contains(got, `"down" "no"`) {
		t.Error(got)
	}
}

func TestMergeKeepsWrittenOrder(t *testing.T) {
	cfg := config(t, ledger.Table, `{"properties":{"n":{"type":"integer"}}}`)
	s, err := replay.NewState(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Apply(operations(t,
		`{"operation":"insert","value":{"id":"a","9":1,"é":2,"n":1}}`,
		`{"operation":"update","key":"a","patch":{"10":3,"Z":4,"n":2}}`)...); err != nil {
		t.Fatal(err)
	}
	if got := dump(s); !strings.Contains(got, `"{\"9\":1,\"10\":3,\"Z\":4,\"id\":\"a\",\"n\":2,\"é\":2}"`) {
		t.Error(got)
	}
	if err := s.Apply(operations(t, `{"operation":"update","key":"a","patch":{"n":"x"}}`)...); !errors.Is(err, replay.SchemaMismatch) {
		t.Error(err)
	}
}

// Rows sort by UTF-16 code units: of the decoded key, but of a set's text as it is.
func TestRowOrder(t *testing.T) {
	for _, tc := range []struct {
		t        ledger.Type
		format   string
		in, want []string
	}{
		{ledger.Map, `{"operation":"put","key":%s,"value":1}`,
			[]string{`"\uffff"`, `"😀"`, `"\ud800"`, `"\n"`, `"\ue000"`, `"a"`, `"Z"`, `"\ufffd"`},
			[]string{"\n", "Z", "a", "\ufffd", "😀", "\ue000", "\uffff"}},
		{ledger.Set, `{"operation":"add","value":%s}`,
			[]string{`"\n"`, `"Z"`, `"]"`, `"\ufffd"`, `"😀"`, `3`, `"\ud800"`},
			[]string{`"Z"`, `"\n"`, `"\ud800"`, `"]"`, `"😀"`, "\"\ufffd\"", `3`}},
	} {
		s, err := replay.NewState(config(t, tc.t, ""))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range tc.in {
			err := s.Apply(operations(t, fmt.Sprintf(tc.format, v))...)
			if err != nil && !(v == `"\ufffd"` && errors.Is(err, replay.KeyConflict)) {
				t.Fatalf("%s: %v", v, err)
			}
		}
		var got []string
		for row := range s.Tables()[0].Rows {
			got = append(got, row[0].(string))
		}
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", tc.want) {
			t.Errorf("%s: %q, want %q", tc.t, got, tc.want)
		}
	}
}

func TestErrorsHoldNoPayload(t *testing.T) {
	s, err := replay.NewState(config(t, ledger.Map, ""))
	if err != nil {
		t.Fatal(err)
	}
	for _, payload := range []string{
		`{"operation":"SECRET","key":"SECRET","value":"SECRET"}`,
		`{"operation":"put","key":["SECRET"],"value":"SECRET"}`,
		`{"operation":"put","key":"SECRET","SECRET":"SECRET"}`,
	} {
		err := s.Apply(operations(t, payload)...)
		if err == nil || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%v", err)
		}
		if !strings.Contains(err.Error(), "tested") || !strings.Contains(err.Error(), "ldg-") {
			t.Errorf("no ledger or record in %v", err)
		}
	}
}

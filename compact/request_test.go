package compact_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/ledger"
)

// desk is a Dispatcher that writes down what it was asked.
type desk struct {
	asked []string
	err   error
}

func (d *desk) Dispatch(_ context.Context, operation, ledger string) error {
	d.asked = append(d.asked, operation+" "+ledger)
	return d.err
}

func ledgers(names ...string) (cs ledger.Configs) {
	for _, name := range names {
		cfg := ledger.NewConfig(strings.TrimPrefix(name, "-"), "")
		if name[0] == '-' {
			cfg.Compaction = ledger.Compaction{Disabled: true}
		}
		cs = append(cs, cfg)
	}
	slices.SortFunc(cs, func(a, b ledger.Config) int { return strings.Compare(a.Name, b.Name) })
	return cs
}

func TestRequests(t *testing.T) {
	for _, c := range []struct {
		name, request string
		ledgers       ledger.Configs
		want          string // the ledger that is dispatched
		err           error
	}{
		{"the only ledger", `{"type":"ledger_request_compaction"}`, ledgers("tasks"), "tasks", nil},
		{"the only one that can be compacted", `{}`, ledgers("tasks", "-metrics"), "tasks", nil},
		{"null is left out", `{"ledger":null,"reason":null}`, ledgers("tasks"), "tasks", nil},
		{"blank is left out", `{"ledger":" "}`, ledgers("tasks"), "tasks", nil},
		{"named, with a reason", `{"ledger":"tasks","reason":"many small segments"}`, ledgers("tasks", "notes"), "tasks", nil},
		{"white space around", `{"ledger":" notes\n"}`, ledgers("tasks", "notes"), "notes", nil},
		{"the last of two", `{"ledger":"tasks","ledger":"notes"}`, ledgers("tasks", "notes"), "notes", nil},
		{"other members", `{"ledger":"tasks","script":"rm -rf","ref":"evil"}`, ledgers("tasks", "notes"), "tasks", nil},
		{"not named among several", `{}`, ledgers("tasks", "notes"), "", compact.ErrLedgerRequired},
		{"unknown", `{"ledger":"secret-value"}`, ledgers("tasks"), "", compact.ErrUnknownLedger},
		{"another spelling", `{"ledger":"Tasks"}`, ledgers("tasks"), "", compact.ErrUnknownLedger},
		{"compaction disabled", `{"ledger":"metrics"}`, ledgers("tasks", "-metrics"), "", compact.ErrUnknownLedger},
		{"none can be compacted", `{}`, ledgers("-metrics"), "", compact.ErrUnknownLedger},
		{"no ledgers", `{}`, nil, "", compact.ErrUnknownLedger},
		{"another tool", `{"type":"ledger_append"}`, ledgers("tasks"), "", compact.ErrInvalidRequest},
		{"a ledger that is no string", `{"ledger":["tasks"]}`, ledgers("tasks"), "", compact.ErrInvalidRequest},
		{"a reason that is no string", `{"reason":{}}`, ledgers("tasks"), "", compact.ErrInvalidRequest},
		{"no object", `["tasks"]`, ledgers("tasks"), "", compact.ErrInvalidRequest},
		{"no JSON", `{`, ledgers("tasks"), "", compact.ErrInvalidRequest},
		{"no UTF-8", "{\"ledger\":\"\xff\"}", ledgers("tasks"), "", compact.ErrInvalidRequest},
		{"too large", `{"reason":"` + strings.Repeat("x", 64<<10) + `"}`, ledgers("tasks"), "", compact.ErrInvalidRequest},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := &desk{}
			r := compact.Requests{Ledgers: c.ledgers, Dispatcher: d}
			result, err := r.Handle(t.Context(), []byte(c.request))
			if c.err != nil {
				if result != nil || !errors.Is(err, c.err) || len(d.asked) > 0 {
					t.Errorf("%+v, %v, dispatched %v; want %v", result, err, d.asked, c.err)
				}
				if strings.Contains(fmt.Sprint(err), "secret") {
					t.Errorf("the error repeats the request: %v", err)
				}
				return
			}
			if err != nil || result.Ledger != c.want || result.Repeated || !slices.Equal(d.asked, []string{"compact_ledger " + c.want}) {
				t.Errorf("%+v, %v, dispatched %v", result, err, d.asked)
			}
		})
	}
}

func TestRequestsAreBoundedAndNotRepeated(t *testing.T) {
	d := &desk{}
	r := compact.Requests{Ledgers: ledgers("a", "b", "c"), Dispatcher: d, Max: 2}
	say := func(name string) (*compact.RequestResult, error) {
		return r.Handle(t.Context(), []byte(`{"ledger":"`+name+`"}`))
	}
	for _, step := range []struct {
		ledger   string
		repeated bool
		err      error
	}{{"a", false, nil}, {"a", true, nil}, {"b", false, nil}, {"c", false, compact.ErrTooManyRequests}, {"a", true, nil}} {
		result, err := say(step.ledger)
		if !errors.Is(err, step.err) || err == nil && result.Repeated != step.repeated {
			t.Errorf("%s: %+v, %v", step.ledger, result, err)
		}
	}
	if !slices.Equal(d.asked, []string{"compact_ledger a", "compact_ledger b"}) {
		t.Errorf("dispatched %v", d.asked)
	}
}

// A dispatch that failed may be asked for again, within the bound.
func TestRequestsThatFail(t *testing.T) {
	down := errors.New("down")
	d := &desk{err: down}
	r := compact.Requests{Ledgers: ledgers("a"), Dispatcher: d, Max: 2}
	for range 2 {
		if result, err := r.Handle(t.Context(), []byte(`{}`)); result != nil || !errors.Is(err, down) {
			t.Errorf("%+v, %v", result, err)
		}
	}
	d.err = nil
	if _, err := r.Handle(t.Context(), []byte(`{}`)); !errors.Is(err, compact.ErrTooManyRequests) {
		t.Errorf("got %v", err)
	}
	if len(d.asked) != 2 {
		t.Errorf("dispatched %v", d.asked)
	}
}

func TestRequestsWithoutADispatcher(t *testing.T) {
	r := compact.Requests{Ledgers: ledgers("a")}
	if result, err := r.Handle(t.Context(), []byte(`{}`)); result != nil || !errors.Is(err, compact.ErrNoDispatcher) {
		t.Errorf("%+v, %v", result, err)
	}
}

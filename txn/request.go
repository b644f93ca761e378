package txn

import (
	"errors"
	"slices"
	"strings"

	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/ledger"
)

// toolOf returns the tool that a request names by its type. A missing type is
// ledger_append; hyphens count as underscores.
func toolOf(request []byte) (ledger.ToolSpec, *RequestError) {
	name := ledger.ToolAppend
	if v := canonical.Get(request, "type"); v != nil {
		text, ok := canonical.Text(v)
		if !ok {
			text = ""
		}
		name = strings.ReplaceAll(text, "-", "_")
	}
	tools := ledger.AppendTools()
	i := slices.IndexFunc(tools, func(t ledger.ToolSpec) bool { return t.Name == name })
	if i < 0 {
		return ledger.ToolSpec{}, &RequestError{Field: "type", Reason: ReasonTool, Detail: "not a tool that appends to a ledger"}
	}
	return tools[i], nil
}

// request is one line, understood.
type request struct {
	cfg     ledger.Config
	tempID  string // without its hash sign; empty for none
	payload []byte // canonical operation or raw record, references as they came
}

// parseRequest reads one line. The error's Ledger is set once it is known.
func parseRequest(line []byte, configs ledger.Configs) (request, *RequestError) {
	text, err := canonical.Append(make([]byte, 0, len(line)), line, canonical.LastWins)
	if err != nil {
		return request{}, unreadable(err)
	}
	if !canonical.IsObject(text) {
		return request{}, &RequestError{Reason: ReasonNotObject, Detail: "a request is an object"}
	}
	t, e := toolOf(text)
	if e != nil {
		return request{}, e
	}
	var r request
	if r.cfg, e = targetOf(text, t, configs); e != nil {
		return request{}, e
	}
	if r.payload, e = payloadOf(text, t, r.cfg); e == nil {
		r.tempID, e = tempIDOf(text)
	}
	if e != nil {
		e.Ledger = r.cfg.Name
	}
	return r, e
}

func unreadable(err error) *RequestError {
	switch {
	case errors.Is(err, canonical.ErrDepth):
		return &RequestError{Reason: ReasonTooDeep, Detail: "nested too deeply to be stored"}
	case errors.Is(err, canonical.ErrDuplicate):
		return &RequestError{Reason: ReasonDuplicateKey, Detail: "an object has a key twice"}
	}
	return &RequestError{Reason: ReasonSyntax, Detail: "not JSON in UTF-8 with finite numbers"}
}

// targetOf returns the ledger that a request names, or the only one that it
// can mean.
func targetOf(text []byte, t ledger.ToolSpec, configs ledger.Configs) (ledger.Config, *RequestError) {
	v := canonical.Get(text, "ledger")
	if v == nil || string(v) == "null" || string(v) == `""` {
		return onlyLedger(t, configs)
	}
	name, ok := canonical.Text(v)
	cfg, found := configs.Lookup(name)
	if !ok || !found {
		return cfg, &RequestError{Field: "ledger", Reason: ReasonLedger, Detail: "no ledger of that name is configured"}
	}
	if t.Type != ledger.Raw && cfg.Type != t.Type {
		return cfg, &RequestError{Ledger: cfg.Name, Field: "ledger", Reason: ReasonToolType,
			Detail: t.Name + " serves ledgers of type " + string(t.Type) + " only"}
	}
	return cfg, nil
}

func onlyLedger(t ledger.ToolSpec, configs ledger.Configs) (ledger.Config, *RequestError) {
	var candidates ledger.Configs
	for _, c := range configs {
		if t.Type == ledger.Raw || c.Type == t.Type {
			candidates = append(candidates, c)
		}
	}
	switch len(candidates) {
	case 1:
		return candidates[0], nil
	case 0:
		return ledger.Config{}, &RequestError{Field: "ledger", Reason: ReasonToolType, Detail: "no ledger that " + t.Name + " serves is configured"}
	}
	return ledger.Config{}, &RequestError{Field: "ledger", Reason: ReasonLedgerMissing,
		Detail: "name the ledger, since several are configured"}
}

// payloadOf returns the raw record or the operation that a request asks for.
func payloadOf(text []byte, t ledger.ToolSpec, cfg ledger.Config) ([]byte, *RequestError) {
	value, operation := canonical.Get(text, "record"), canonical.Get(text, "operation")
	if cfg.Type == ledger.Raw {
		if !canonical.IsObject(value) || operation != nil {
			return nil, &RequestError{Field: "record", Reason: ReasonNoRecord,
				Detail: "a ledger without a type takes a record, which is an object, and no operation"}
		}
		if extra := without(text, "type", "ledger", "temp_id", "record"); len(extra) > len("{}") {
			return nil, &RequestError{Reason: ReasonField, Detail: "a request has a field beside ledger, record and temp_id"}
		}
		return value, nil
	}
	if canonical.Get(text, "id") != nil {
		return nil, &RequestError{Field: "id", Reason: ReasonField, Detail: "a record's ID is assigned, not requested"}
	}
	if t.Type != ledger.Raw {
		if operation != nil || value != nil {
			return nil, &RequestError{Field: "operation", Reason: ReasonField, Detail: t.Name + " takes the operation's fields only"}
		}
		text = withOperation(text, t.Operation)
	} else if value != nil || !canonical.IsString(operation) {
		return nil, &RequestError{Field: "operation", Reason: ReasonNoOperation,
			Detail: "a ledger of type " + string(cfg.Type) + " takes an operation and its fields, and no record"}
	}
	payload := without(text, "type", "ledger", "temp_id")
	return payload, strayKey(payload, cfg)
}

func withOperation(text []byte, name string) []byte {
	b := append(canonical.AppendQuoted([]byte(`{"operation":`), name), ',')
	b = append(b, text[1:]...)
	if len(text) == len("{}") {
		b = append(b[:len(b)-2], '}')
	}
	out, err := canonical.Append(nil, b, canonical.LastWins)
	if err != nil {
		return text
	}
	return out
}

// strayKey gives the usual mistake on tables an explanation of its own.
func strayKey(payload []byte, cfg ledger.Config) *RequestError {
	name, _ := canonical.Text(canonical.Get(payload, "operation"))
	if cfg.Type != ledger.Table || name != "insert" && name != "upsert" || canonical.Get(payload, "key") == nil {
		return nil
	}
	return &RequestError{Field: "key", Reason: ReasonStrayKey,
		Detail: "a row carries its key inside value, as " + cfg.Key + "; remove key from the request"}
}

package ledger

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/gitledger/gitledger/internal/canonical"
)

// The safe-output tools.
const (
	ToolAppend            = "ledger_append"
	ToolMapPut            = "ledger_map_put"
	ToolMapDelete         = "ledger_map_delete"
	ToolNoteAdd           = "ledger_note_add"
	ToolNoteVote          = "ledger_note_vote"
	ToolRequestCompaction = "ledger_request_compaction"
)

// Tool is one safe-output tool that an agent is offered. It
// marshals as an MCP tool definition: name, description and inputSchema.
//
// What the input schema admits is what validation accepts, but for what JSON
// Schema cannot state: sizes in bytes, an end_line before its start_line, the
// depth and key sizes of a record, and whatever depends on other requests or on
// the ledger's state. The descriptions state those.
type Tool struct {
	Name        string
	Description string
	InputSchema json.RawMessage // draft 7; references lead into it only
	Type        Type            // of the ledgers it writes; Raw for the tools that serve several
	Operation   string          // that it queues; empty for ledger_append, which is told, and for compaction
	Ledgers     []string        // that it serves, sorted; ledger is required when there are several
	fields      []string        // of its input, besides ledger
}

// Tools returns the tools that a configuration needs, and no other, in the
// order of the constants above: ledger_append when a ledger is raw or of type
// log, set, table or counter; the tools for maps and notes when there is such a
// ledger; ledger_request_compaction when compaction is enabled for a ledger.
func (cs Configs) Tools() []Tool {
	var tools []Tool
	add := func(t Tool, variants []variant, compose func(*Tool, []variant)) {
		if len(variants) == 0 {
			return
		}
		for _, v := range variants {
			if !slices.Contains(t.Ledgers, v.config.Name) {
				t.Ledgers = append(t.Ledgers, v.config.Name)
			}
		}
		compose(&t, variants)
		tools = append(tools, t)
	}
	add(Tool{Name: ToolAppend}, cs.variants(func(c Config, _ OperationSpec) bool { return c.Type != Map && c.Type != Notes }), composeAppend)
	for _, d := range dedicatedTools() {
		add(Tool{Name: d.name, Type: d.of, Operation: d.operation},
			cs.variants(func(c Config, s OperationSpec) bool { return c.Type == d.of && s.Name == d.operation }),
			func(t *Tool, vs []variant) { composeDedicated(t, vs, d.purpose) })
	}
	var compacted []variant
	for _, c := range cs.Compacted() {
		compacted = append(compacted, variant{config: c})
	}
	add(Tool{Name: ToolRequestCompaction}, compacted, composeCompaction)
	return tools
}

// A variant is one ledger with one of its operations; a raw ledger's has no name.
type variant struct {
	config    Config
	operation OperationSpec
}

func (cs Configs) variants(wanted func(Config, OperationSpec) bool) []variant {
	var out []variant
	for _, c := range cs {
		specs := Operations(c.Type)
		if c.Type == Raw {
			specs = []OperationSpec{{}}
		}
		for _, s := range specs {
			if wanted(c, s) {
				out = append(out, variant{c, s})
			}
		}
	}
	return out
}

type dedicated struct {
	name      string
	of        Type
	operation string
	purpose   string
}

func dedicatedTools() []dedicated {
	return []dedicated{
		{ToolMapPut, Map, "put", "Queue setting the value of a key of a map ledger; it replaces an earlier value."},
		{ToolMapDelete, Map, "delete", "Queue deleting a key of a map ledger; an absent key is harmless."},
		{ToolNoteAdd, Notes, "note", "Queue a note: an assertion for later runs, backed by at least one citation of a file in this repository."},
		{ToolNoteVote, Notes, "vote", "Queue a vote on an existing note. Check the cited evidence in the repository first: vote up when it supports the note, down when it does not."},
	}
}

// LookupTool returns the tool of that name, if the configuration has it.
func (cs Configs) LookupTool(name string) (Tool, bool) {
	tools := cs.Tools()
	i := slices.IndexFunc(tools, func(t Tool) bool { return t.Name == name })
	if i < 0 {
		return Tool{}, false
	}
	return tools[i], true
}

// What [Tool.Request] refuses.
var (
	ErrToolInput  = errors.New("ledger: tool input is not an object of the tool's fields")
	ErrToolLedger = errors.New("ledger: tool input names no ledger that the tool serves")
)

// Request turns a call of the tool into the request that safe-output validation
// takes: the low-level append with its ledger and operation. It only
// routes; the fields are validated with the request. ledger_request_compaction
// gives no such request: its Request holds the ledger and the reason alone.
func (t Tool) Request(input []byte) (json.RawMessage, error) {
	text, err := canonical.Append(nil, input, canonical.LastWins)
	if err != nil || !canonical.IsObject(text) {
		return nil, ErrToolInput
	}
	request := []byte{'{'}
	target := ""
	for key, value := range canonical.Members(text) {
		if string(key) == "ledger" {
			name, ok := canonical.Text(value)
			if !ok || !slices.Contains(t.Ledgers, name) {
				return nil, ErrToolLedger
			}
			target = name
			continue
		}
		if !slices.Contains(t.fields, string(key)) {
			return nil, ErrToolInput
		}
		request = append(append(append(append(request, '"'), key...), `":`...), value...)
		request = append(request, ',')
	}
	if target == "" {
		if len(t.Ledgers) != 1 {
			return nil, ErrToolLedger
		}
		target = t.Ledgers[0]
	}
	if t.Operation != "" {
		request = append(append(append(request, `"operation":`...), quoteJSON(t.Operation)...), ',')
	}
	request = append(append(request, `"ledger":`...), quoteJSON(target)...)
	return canonical.Append(nil, append(request, '}'), canonical.Refuse)
}

// MarshalJSON writes an MCP tool definition.
func (t Tool) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
	}{t.Name, t.Description, t.InputSchema})
}

const deferred = " The write is deferred: the answer only says that the request was queued. It becomes durable after this run has been validated and pushed, and it is not visible in this run's database."

func composeAppend(t *Tool, vs []variant) {
	var b strings.Builder
	b.WriteString("Queue a record for a ledger." + deferred + " Ledgers:")
	last := ""
	for _, v := range vs {
		if v.config.Name == last {
			continue
		}
		last = v.config.Name
		b.WriteString("\n- " + v.config.Name + ": " + forms(v.config))
	}
	t.Description = b.String()
	t.InputSchema, t.fields = inputSchema(t, vs)
}

// forms states what may be appended to a ledger.
func forms(c Config) string {
	if c.Type == Raw {
		return "record, an object of at most 128 properties without " + strings.Join(ReservedFields(), ", ")
	}
	var all []string
	for _, s := range Operations(c.Type) {
		all = append(all, s.String())
	}
	out := c.Type.String() + " with operation " + strings.Join(all, ", ")
	if c.Key != "" {
		out += "; rows have the string " + c.Key
	}
	return out
}

// String returns the operation in the manner of a call, such as put(key, value).
func (s OperationSpec) String() string {
	var names []string
	for _, f := range s.Fields {
		name := f.Name
		if f.Optional {
			name += "?"
		}
		names = append(names, name)
	}
	return s.Name + "(" + strings.Join(names, ", ") + ")"
}

func composeDedicated(t *Tool, vs []variant, purpose string) {
	t.Description = purpose + deferred + " Ledgers: " + strings.Join(t.Ledgers, ", ") + "."
	t.InputSchema, t.fields = inputSchema(t, vs)
}

func composeCompaction(t *Tool, _ []variant) {
	t.Description = "Ask Agentic Maintenance to consider compacting a ledger. This only dispatches the request: maintenance decides, and nothing is compacted in this run. Ledgers: " +
		strings.Join(t.Ledgers, ", ") + "."
	reason := Field{Name: "reason", Kind: TextField, MaxChars: MaxReasonChars}
	properties := object{"ledger": ledgerSchema(t.Ledgers), "reason": fieldSchema(reason, Config{})}
	t.InputSchema, t.fields = toolSchema(properties, requiredLedger(t.Ledgers), nil).json(), []string{"reason"}
}

package ledger

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
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
// the ledger's state. The descriptions state those. Validation also takes a
// ledger of null or "" for none.
type Tool struct {
	Name        string
	Description string
	InputSchema json.RawMessage // draft 7; references lead into it only
	Type        Type            // of the ledgers it writes; Raw for the tools that serve several
	Operation   string          // that it queues; empty for ledger_append, which is told, and for compaction
	Ledgers     []string        // that it serves, sorted; ledger is required when it could mean several
}

// ToolSpec says what a tool that appends to ledgers queues. A type of [Raw]
// stands for every type, and an empty operation for one that the input states.
type ToolSpec struct {
	Name      string
	Type      Type
	Operation string
}

// AppendTools returns the tools that append to ledgers. Safe-output validation
// reads requests by this table.
func AppendTools() []ToolSpec {
	return []ToolSpec{
		{ToolAppend, Raw, ""},
		{ToolMapPut, Map, "put"},
		{ToolMapDelete, Map, "delete"},
		{ToolNoteAdd, Notes, "note"},
		{ToolNoteVote, Notes, "vote"},
	}
}

// Tools returns the tools that a configuration needs, and no other, in the
// order of the constants above: ledger_append when a ledger is raw or of type
// log, set, table or counter; the tools for maps and notes when there is such a
// ledger; ledger_request_compaction when compaction is enabled for a ledger.
func (cs Configs) Tools() []Tool {
	var tools []Tool
	for _, spec := range AppendTools() {
		t := Tool{Name: spec.Name, Type: spec.Type, Operation: spec.Operation}
		vs := cs.variants(func(c Config, s OperationSpec) bool {
			if spec.Operation == "" {
				return c.Type != Map && c.Type != Notes
			}
			return c.Type == spec.Type && s.Name == spec.Operation
		})
		if len(vs) == 0 {
			continue
		}
		for _, v := range vs {
			if !slices.Contains(t.Ledgers, v.config.Name) {
				t.Ledgers = append(t.Ledgers, v.config.Name)
			}
		}
		// ledger_append could mean any ledger; the others their type's alone.
		several := len(t.Ledgers) > 1 || spec.Operation == "" && len(cs) > 1
		t.Description = purpose(t.Name) + deferred + " Ledgers: " + strings.Join(t.Ledgers, ", ") + "."
		if spec.Operation == "" {
			t.Description = appendDescription(vs)
		}
		t.InputSchema = inputSchema(&t, vs, several)
		tools = append(tools, t)
	}
	if compacted := cs.Compacted(); len(compacted) > 0 {
		tools = append(tools, compactionTool(compacted))
	}
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

// purpose says what a tool for one operation is for.
func purpose(tool string) string {
	switch tool {
	case ToolMapPut:
		return "Queue setting the value of a key of a map ledger; it replaces an earlier value."
	case ToolMapDelete:
		return "Queue deleting a key of a map ledger; an absent key is harmless."
	case ToolNoteAdd:
		return "Queue a note: an assertion for later runs, backed by at least one citation of a file in this repository."
	}
	return "Queue a vote on an existing note. Check the cited evidence in the repository first: vote up when it supports the note, down when it does not."
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

// MarshalJSON writes an MCP tool definition.
func (t Tool) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
	}{t.Name, t.Description, t.InputSchema})
}

const deferred = " The write is deferred: the answer only says that the request was queued. It becomes durable after this run has been validated and pushed, and it is not visible in this run's database."

func appendDescription(vs []variant) string {
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
	return b.String()
}

// forms states what may be appended to a ledger.
func forms(c Config) string {
	if c.Type == Raw {
		return fmt.Sprintf("record, an object of at most %d properties without ", MaxObjectKeys) + strings.Join(ReservedFields(), ", ")
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

func compactionTool(compacted Configs) Tool {
	t := Tool{Name: ToolRequestCompaction}
	for _, c := range compacted {
		t.Ledgers = append(t.Ledgers, c.Name)
	}
	t.Description = "Ask Agentic Maintenance to consider compacting a ledger. This only dispatches the request: maintenance decides, and nothing is compacted in this run. Ledgers: " +
		strings.Join(t.Ledgers, ", ") + "."
	reason := Field{Name: "reason", Kind: TextField, MaxChars: MaxReasonChars}
	properties := object{"ledger": ledgerSchema(t.Ledgers), "reason": describe(reason, fieldSchema(reason, Config{}))}
	t.InputSchema = toolSchema(properties, requiredLedger(len(compacted) > 1), nil).json()
	return t
}

package ledger_test

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/gitledger/gitledger/ledger"
)

func ExampleParseYAML() {
	configs, err := ledger.ParseYAML([]byte(`---
on: workflow_dispatch
tools:
  ledger:
    findings: { type: table, key: id, max-record-kb: 8 }
    metrics: { type: counter, compaction: false }
---
# Audit the repository
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range configs {
		fmt.Println(c.Name, c.Type, c.Branch(), c.Limits.RecordBytes, c.Compaction.Disabled)
	}
	// Output:
	// findings table ledgers/findings 8192 false
	// metrics counter ledgers/metrics 32768 true
}

func ExampleProblems() {
	_, err := ledger.ParseYAML([]byte("tools:\n  ledger:\n    runs:\n      type: tabel\n      max-record-kb: 64\n"))
	var problems ledger.Problems
	if errors.As(err, &problems) {
		for _, p := range problems {
			fmt.Printf("%d:%d %s (%s)\n", p.Line, p.Column, p.Path, p.Code)
		}
		fmt.Println(problems[1])
	}
	// Output:
	// 4:13 tools.ledger.runs.type (type)
	// 5:22 tools.ledger.runs.max-record-kb (limit)
	// line 5, column 22: tools.ledger.runs.max-record-kb: not a size that a ledger can have; state a whole number of KiB from 1 to 32
}

func ExampleConfigs_Tools() {
	configs, _ := ledger.ParseMap(map[string]any{"knowledge": map[string]any{"type": "notes"}, "seen": map[string]any{"type": "set"}})
	for _, tool := range configs.Tools() {
		fmt.Println(tool.Name, tool.Ledgers)
	}
	// Output:
	// ledger_append [seen]
	// ledger_note_add [knowledge]
	// ledger_note_vote [knowledge]
	// ledger_request_compaction [knowledge seen]
}

func ExampleConfig_MarshalJSON() {
	text, _ := json.Marshal(ledger.NewConfig("history", ledger.Log))
	fmt.Println(string(text))
	// Output:
	// {"name":"history","type":"log","max_record_kb":32,"max_segment_kb":100,"max_patch_kb":10,"branch_name":"ledgers/history"}
}

func ExampleSchema_Validate() {
	schema, _ := ledger.CompileSchema([]byte(`{"type": "object", "properties": {"runs": {"items": {"type": "integer"}}}}`))
	fmt.Println(schema.Validate([]byte(`{"runs":[1,2,"three"]}`)))
	// Output:
	// runs[2]: must be integer
}

func ExampleMerge() {
	first, _ := ledger.ParseMap(map[string]any{"shared": map[string]any{"compaction": false}})
	second, _ := ledger.ParseMap(map[string]any{"shared": map[string]any{}})
	configs, problems := ledger.Merge(ledger.Workflow{ID: "b", Ledgers: second}, ledger.Workflow{ID: "a", Ledgers: first})
	fmt.Println(configs[0].Compaction.Disabled)
	fmt.Println(problems[0])
	// Output:
	// true
	// b: tools.ledger.shared.compaction: differs from workflow a, whose declaration is used; declare the ledger alike in both workflows
}

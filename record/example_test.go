package record_test

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/gitledger/gitledger/record"
)

func seal(index int, payload string, parents ...record.Hash) record.Record {
	r, err := record.Seal(record.Draft{
		ID:      record.DeterministicID("run-42", index),
		Type:    "ledger_append",
		Time:    time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Parents: parents,
		Payload: []byte(payload),
	})
	if err != nil {
		log.Fatal(err)
	}
	return r
}

func line(r record.Record) []byte { return r.Line() }

func ExampleSeal() {
	r, err := record.Seal(record.Draft{
		ID:      record.DeterministicID("run-42", 0),
		Type:    "ledger_append",
		Time:    time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Payload: []byte(`{ "value": 1.0, "operation": "append" }`),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.SHA())
	fmt.Printf("%s\n", r.Payload())
	// Output:
	// sha256:37174feb791a4d5609e704e8850f353d5ab352683418bf7892f395e946c5a923
	// {"operation":"append","value":1}
}

func ExampleParse() {
	stored := line(seal(0, `{"value":"x"}`))
	r, err := record.Parse(stored)
	fmt.Println(r.ID(), err)

	forged := bytes.Replace(stored, []byte(`"x"`), []byte(`"y"`), 1)
	_, err = record.Parse(forged)
	fmt.Println(err, errors.Is(err, &record.Error{Code: record.InvalidSHA}))
	// Output:
	// ldg-a03ae659-a365-41a4-86ed-82335bbbc2d1 <nil>
	// record: invalid-sha true
}

func ExampleCanonicalize() {
	text, err := record.Canonicalize(nil, []byte(`{"b": 1e2, "10": "\u00e9", "9": [1.0]}`))
	fmt.Printf("%s %v\n", text, err)
	// Output: {"9":[1],"10":"é","b":100} <nil>
}

func ExampleMarshal() {
	text, err := record.Marshal(map[string]any{"key": "a", "n": uint64(1) << 40})
	fmt.Printf("%s %v\n", text, err)
	_, err = record.Marshal(uint64(1)<<60 + 1)
	fmt.Println(err)
	// Output:
	// {"key":"a","n":1099511627776} <nil>
	// record: marshal: integer exceeds what a double can carry
}

func ExampleLines() {
	shard := fmt.Appendf(nil, "%s\nnot a record\n%s\n", line(seal(0, "1")), line(seal(1, "2")))
	for line, err := range record.Lines(shard) {
		if err != nil {
			fmt.Println(line.Number, err)
			continue
		}
		fmt.Printf("%d %s\n", line.Number, line.Record.Payload())
	}
	// Output:
	// 1 1
	// 2 record: invalid-json
	// 3 2
}

func ExampleSort() {
	root := seal(0, `"root"`)
	left := seal(1, `"left"`, root.SHA())
	right := seal(2, `"right"`, root.SHA())
	join := seal(3, `"join"`, left.SHA(), right.SHA())

	records := []record.Record{join, right, left, root}
	order := record.Sort(records)
	for _, i := range order.Replay {
		fmt.Printf("%s ", records[i].Payload())
	}
	fmt.Println("heads:", len(order.Heads))
	// Output: "root" "left" "right" "join" heads: 1
}

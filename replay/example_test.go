package replay_test

import (
	"errors"
	"fmt"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/replay"
)

func ExampleState_Apply() {
	state, err := replay.NewState(ledger.NewConfig("metrics", ledger.Counter))
	if err != nil {
		fmt.Println(err)
		return
	}
	operation := func(i int, payload string) replay.Operation {
		return replay.Operation{ID: record.DeterministicID("run 1", i), Payload: []byte(payload)}
	}
	err = state.Apply(
		operation(0, `{"amount":3,"name":"reviews","operation":"increment"}`),
		operation(1, `{"amount":1,"name":"reviews","operation":"decrement"}`),
	)
	fmt.Println(err)

	err = state.Apply(operation(2, `{"amount":-1,"name":"reviews","operation":"increment"}`))
	fmt.Println(errors.Is(err, replay.InvalidCounter))

	for _, table := range state.Tables() {
		for row := range table.Rows {
			fmt.Println(table.Name, row)
		}
	}
	// Output:
	// <nil>
	// true
	// state [reviews 2]
}

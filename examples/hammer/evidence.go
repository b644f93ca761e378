package main

import (
	"encoding/json"
	"errors"
	"os"
)

// evidence is the record of a run: a line for the command, then one for each
// event in the order in which they were learnt. It is what a failed run leaves
// beside its store.
type evidence struct {
	file *os.File
	out  *json.Encoder
	err  error
}

func newEvidence(path string, o options) (*evidence, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, errors.New("cannot make the record of the run")
	}
	e := &evidence{file: file, out: json.NewEncoder(file)}
	e.add(map[string]any{"seed": o.seed, "store": o.store, "processes": o.processes, "writers": o.writers, "maintain": o.maintain,
		"turns": o.turns, "for": o.duration.String(), "faults": o.faults, "kill_every": o.killEvery})
	return e, e.err
}

func (e *evidence) add(event any) {
	if e.out.Encode(event) != nil && e.err == nil {
		e.err = errors.New("the record of the run cannot be written")
	}
}

func (e *evidence) close() error {
	if e.file.Close() != nil && e.err == nil {
		e.err = errors.New("the record of the run cannot be written")
	}
	return e.err
}

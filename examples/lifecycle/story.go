package main

import (
	"bytes"
	"embed"
	"errors"
	"os"
)

//go:embed testdata
var testdata embed.FS

// file reads name, or the embedded default when it is empty.
func file(name, fallback string) ([]byte, error) {
	if name == "" {
		return testdata.ReadFile("testdata/" + fallback)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, errors.New("lifecycle: cannot read the file that a flag names")
	}
	return data, nil
}

// batches splits a JSONL file of safe-output requests into the runs that made
// them: an empty line ends a run.
func batches(data []byte) [][]byte {
	var runs [][]byte
	for batch := range bytes.SplitSeq(data, []byte("\n\n")) {
		if batch = bytes.TrimSpace(batch); len(batch) > 0 {
			runs = append(runs, batch)
		}
	}
	return runs
}

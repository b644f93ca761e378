package ledger_test

import "github.com/gitledger/gitledger/record"

func canonicalValue(text []byte) ([]byte, error) { return record.Canonicalize(nil, text) }

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/shard"
	"github.com/gitledger/gitledger/txn"
)

// problem is a line that does not fit.
type problem struct {
	Line   int    `json:"line"` // 1-based
	Reason string `json:"reason"`
}

const (
	maxProblems = 100
	leastRecord = 128 // bytes that a record adds to its request, or more
	byteOrder   = "\ufeff"
)

// content is what a file holds.
type content struct {
	requests [][]byte
	gaps     map[int]bool // requests before which a line was left out
	unfit    int
	problems []problem // the first of them
}

func (c *content) refuse(line int, reason string) {
	c.gaps[len(c.requests)] = true
	if c.unfit++; len(c.problems) < maxProblems {
		c.problems = append(c.problems, problem{line, reason})
	}
}

// read makes requests of a file's lines. Blank lines are passed over, and so is a
// byte order mark. What could never be on one branch is refused before it takes up
// memory.
func read(ctx context.Context, r io.Reader, cfg ledger.Config, field string) (*content, error) {
	lines := bufio.NewReaderSize(r, txn.MaxLineBytes+2)
	configs := ledger.Configs{cfg}
	found := &content{gaps: map[int]bool{}}
	room := shard.ProjectionLimits().Bytes
	for number := 1; ; number++ {
		line, err := lines.ReadSlice('\n')
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		tooLong := errors.Is(err, bufio.ErrBufferFull)
		for long := tooLong; long; long = errors.Is(err, bufio.ErrBufferFull) {
			_, err = lines.ReadSlice('\n')
		}
		if number == 1 {
			line = bytes.TrimPrefix(line, []byte(byteOrder))
		}
		switch line = bytes.TrimSpace(line); {
		case tooLong:
			found.refuse(number, string(txn.ReasonLineSize))
		case len(line) > 0:
			request, reason := requestOf(cfg, line, field)
			if reason == "" {
				reason = check(configs, request)
			}
			if reason != "" {
				found.refuse(number, reason)
				break
			}
			if room -= int64(len(request)) + leastRecord; room < 0 {
				return nil, errTooMuch
			}
			found.requests = append(found.requests, request)
		}
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, errors.New("the file cannot be read")
		}
	}
}

// requestOf makes the request of one line, or says why it cannot be.
func requestOf(cfg ledger.Config, line []byte, field string) (request []byte, reason string) {
	value, err := canonical.Append(nil, line, canonical.Refuse)
	switch {
	case errors.Is(err, canonical.ErrDuplicate):
		return nil, string(txn.ReasonDuplicateKey)
	case errors.Is(err, canonical.ErrDepth):
		return nil, string(txn.ReasonTooDeep)
	case err != nil:
		return nil, string(txn.ReasonSyntax)
	case !canonical.IsObject(value):
		return nil, string(txn.ReasonNotObject)
	}
	build := func(format string, args ...any) []byte { return fmt.Appendf(nil, format, args...) }
	switch cfg.Type {
	case ledger.Raw:
		return build(`{"type":%q,"record":%s}`, ledger.ToolAppend, value), ""
	case ledger.Log:
		return build(`{"type":%q,"operation":"append","value":%s}`, ledger.ToolAppend, value), ""
	case ledger.Set:
		return build(`{"type":%q,"operation":"add","value":%s}`, ledger.ToolAppend, value), ""
	case ledger.Table:
		return build(`{"type":%q,"operation":"upsert","value":%s}`, ledger.ToolAppend, value), ""
	case ledger.Map:
		key := canonical.Get(value, field)
		if key == nil || !canonical.IsString(key) {
			return nil, "key-field"
		}
		return build(`{"type":%q,"key":%s,"value":%s}`, ledger.ToolMapPut, key, value), ""
	case ledger.Counter:
		return withFields(build(`{"type":%q,"operation":"increment"`, ledger.ToolAppend), value), ""
	default:
		return withFields(build(`{"type":%q`, ledger.ToolNoteAdd), value), ""
	}
}

// withFields ends a request with the fields of an object. One that the request
// has already would be read in its place, so it makes the line a duplicate.
func withFields(request, object []byte) []byte {
	if len(object) == len("{}") {
		return append(request, '}')
	}
	return append(append(request, ','), object[1:]...)
}

func check(configs ledger.Configs, request []byte) string {
	if _, err := canonical.Append(nil, request, canonical.Refuse); err != nil {
		return string(txn.ReasonField)
	}
	_, err := txn.Check(configs, request)
	var refused *txn.RequestErrors
	if errors.As(err, &refused) && len(refused.Errors) > 0 {
		e := refused.Errors[0]
		if e.Field != "" {
			return string(e.Reason) + " (" + e.Field + ")"
		}
		return string(e.Reason)
	}
	if err != nil {
		return "invalid"
	}
	return ""
}

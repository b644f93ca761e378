package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/internal/actions"
	"github.com/gitledger/gitledger/internal/artifact"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/replay/sqlite"
	"github.com/gitledger/gitledger/txn"
)

// agent is all that an agent may do. It is safe for concurrent use.
type agent struct {
	configs   ledger.Configs
	databases string // "" for where prepare puts them
	requests  string // the safe-output file

	mu     sync.Mutex
	open   map[string]*sqlite.DB
	queued int
}

func (a *agent) database(ctx context.Context, name string) (*sqlite.DB, error) {
	if name == "" && len(a.configs) == 1 {
		name = a.configs[0].Name
	}
	cfg, err := actions.Config(a.configs, name)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if db := a.open[name]; db != nil {
		return db, nil
	}
	path := cfg.DatabasePath()
	if a.databases != "" {
		path = filepath.Join(a.databases, cfg.Name, "ledger.db")
	}
	db, err := sqlite.Open(ctx, path, sqlite.Limits{})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNotPrepared
	}
	if err != nil {
		return nil, err
	}
	if a.open == nil {
		a.open = map[string]*sqlite.DB{}
	}
	a.open[name] = db
	return db, nil
}

func (a *agent) close() {
	for _, db := range a.open {
		_ = db.Close()
	}
}

func (a *agent) query(ctx context.Context, name, sql string, args []any) (*sqlite.Result, error) {
	db, err := a.database(ctx, name)
	if err != nil {
		return nil, err
	}
	return db.Query(ctx, sql, args...)
}

func (a *agent) records(ctx context.Context, name string, query []byte) (*sqlite.RecordPage, error) {
	var q sqlite.RecordQuery
	decoder := json.NewDecoder(bytes.NewReader(query))
	decoder.DisallowUnknownFields()
	if decoder.Decode(&q) != nil || decoder.More() {
		return nil, actions.Usage("the record query is not JSON of its form: see -h")
	}
	db, err := a.database(ctx, name)
	if err != nil {
		return nil, err
	}
	return db.Records(ctx, q)
}

// queue appends a request to the safe-output file when it is well-formed. That
// does not make it durable (S3-10), and several together may still be refused.
func (a *agent) queue(ctx context.Context, tool string, arguments []byte) (txn.Response, error) {
	if _, ok := a.configs.LookupTool(tool); !ok {
		return txn.Response{}, actions.Usage("the configuration has no tool of that name: see the command tools")
	}
	if len(arguments) > txn.MaxLineBytes {
		return txn.Response{}, actions.Usage("the arguments are too long")
	}
	request, err := withType(tool, arguments)
	if err != nil {
		return txn.Response{}, err
	}
	response := txn.Response{Result: "queued"}
	if tool == ledger.ToolRequestCompaction {
		_, err = (&compact.Requests{Ledgers: a.configs}).Handle(ctx, request)
		if errors.Is(err, compact.ErrNoDispatcher) { // all that is wrong with it here
			err = nil
		}
	} else {
		response, err = txn.Check(a.configs, request)
	}
	if err != nil {
		return txn.Response{}, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.queued == ledger.MaxRequests {
		return txn.Response{}, errTooMany
	}
	if artifact.AppendLine(a.requests, append(request, '\n')) != nil {
		return txn.Response{}, errors.New("the request cannot be written down")
	}
	a.queued++
	return response, nil
}

var errNotPrepared = actions.Usage("the ledger has no database there: run prepare first, or say with -databases where it put them")

var errTooMany = errors.New("as many requests as a run may have are queued")

// withType makes the canonical request of a tool's arguments, on one line.
func withType(tool string, arguments []byte) ([]byte, error) {
	text, err := record.Canonicalize(nil, arguments)
	if err != nil || !strings.HasPrefix(string(text), "{") {
		return nil, actions.Usage("the arguments are no JSON object")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, actions.Usage("the arguments are no JSON object")
	}
	if _, taken := fields["type"]; taken {
		return nil, actions.Usage("the arguments cannot have a type")
	}
	head := `{"type":"` + tool + `"`
	if len(fields) > 0 {
		head += ","
	}
	return append([]byte(head), text[1:]...), nil
}

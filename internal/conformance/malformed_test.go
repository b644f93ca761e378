package conformance

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay/sqlite"
	"github.com/gitledger/gitledger/shard"
	"github.com/gitledger/gitledger/shard/gitbranch"
	"github.com/gitledger/gitledger/txn"

	"github.com/gitledger/gitledger/internal/gittest"
)

// secret stands for a payload's value in malformed input.
const secret = "hunter2-payload"

// TestMalformedInputIsNamedAndNotShown feeds each kind of input to the job
// that takes it. The error names the ledger and the field, and shows neither a
// value, a path nor a library's text.
func TestMalformedInputIsNamedAndNotShown(t *testing.T) {
	configs, err := ledger.ParseYAML([]byte("tools:\n  ledger:\n    findings: { type: table, key: id }\n    audit:\n      schema: { type: object }\n"))
	if err != nil {
		t.Fatal(err)
	}
	findings, _ := configs.Lookup("findings")
	dir := t.TempDir()
	repository := filepath.Join(dir, "repository.git")
	if err := gittest.InitBare(repository); err != nil {
		t.Fatal(err)
	}
	repo, err := gitbranch.Open(t.Context(), gitbranch.Options{URL: repository})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	branch, err := repo.Branch(findings.Branch())
	if err != nil {
		t.Fatal(err)
	}

	workflow := func(text string) func() error {
		return func() error { _, err := ledger.ParseYAML([]byte(text)); return err }
	}
	request := func(line string) func() error {
		return func() error { _, err := txn.Normalize(configs, "42:1", strings.NewReader(line)); return err }
	}
	artifact := func(text string) func() error {
		return func() error {
			branches := func(context.Context, ledger.Config) (shard.Branch, error) { return branch, nil }
			_, err := txn.Persist(t.Context(), branches, configs, []byte(text), txn.Options{})
			return err
		}
	}
	plan := func(text string) func() error {
		return func() error {
			_, err := compact.Apply(t.Context(), branch, findings, []byte(text), compact.ApplyOptions{})
			return err
		}
	}
	for name, c := range map[string]struct {
		run   func() error
		names []string
	}{
		"workflow key":     {workflow("tools:\n  ledger:\n    findings: { type: table, key: 7, description: " + secret + " }\n"), []string{"findings", "key"}},
		"workflow limit":   {workflow("tools:\n  ledger:\n    findings: { type: table, key: id, max-record-kb: " + secret + " }\n"), []string{"findings", "max-record-kb"}},
		"workflow syntax":  {workflow("tools:\n  ledger: [" + secret + "\n"), []string{"line"}},
		"workflow replay":  {workflow("tools:\n  ledger:\n    findings: { replay: { script: " + secret + " } }\n"), []string{"findings", "replay"}},
		"request":          {request(`{"ledger":"findings","operation":"insert","value":{"id":7,"x":"` + secret + `"}}`), []string{"findings", "value"}},
		"artifact version": {artifact(`{"version":2,"transaction_id":"42:1","ledgers":{},"x":"` + secret + `"}`), []string{"artifact"}},
		"artifact ledger":  {artifact(`{"version":1,"transaction_id":"42:1","ledgers":{"` + secret + `":{"appends":[]}}}`), []string{"ledger"}},
		"artifact record":  {artifact(`{"version":1,"transaction_id":"42:1","ledgers":{"findings":{"appends":[{"ledger":"findings","transaction_id":"42:1","index":0,"record":{"operation":"insert","value":{"id":7,"x":"` + secret + `"},"id":"ldg-5d1e0714-8bcf-4be2-998b-3eb810b7f1f7"}}]}}}`), []string{"findings", "value"}},
		"plan":             {plan(`{"version":"` + secret + `"}`), []string{"findings", "plan", "version"}},
		"plan ledger":      {plan(`{"ledger":"` + secret + `"`), []string{"findings", "plan-malformed"}},
	} {
		t.Run(name, func(t *testing.T) { checkError(t, c.run(), dir, c.names) })
	}

	t.Run("shard", func(t *testing.T) {
		id, err := shard.NewID()
		if err != nil {
			t.Fatal(err)
		}
		data := []byte(`{"id":"` + secret + `"}` + "\n")
		if _, err := branch.Commit(t.Context(), "", shard.Change{Add: []shard.Addition{{ID: id, Data: data}}, Message: "damage"}); err != nil {
			t.Fatal(err)
		}
		_, err = sqlite.Prepare(t.Context(), branch, findings, filepath.Join(dir, "ledger.db"), sqlite.Options{})
		if !errors.Is(err, ledger.ErrMalformed) {
			t.Errorf("%v does not match ledger.ErrMalformed", err)
		}
		checkError(t, err, dir, []string{"findings", "1 invalid-envelope"})
	})
}

func checkError(t *testing.T, err error, dir string, names []string) {
	t.Helper()
	if err == nil {
		t.Fatal("accepted")
	}
	t.Log(err)
	for _, name := range names {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%q does not name %s", err, name)
		}
	}
	for _, leak := range []string{secret, dir, "yaml:", "json:", "gojsonschema", "sqlite3", "git2go", "0x", "no such"} {
		if strings.Contains(err.Error(), leak) {
			t.Errorf("%q shows %s", err, leak)
		}
	}
}

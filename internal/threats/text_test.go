//go:build cgo

package threats_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/txn"
)

// Texts that mean something to SQL, JSON paths or LIKE, in each field of each
// type: the state holds exactly them, and every table is still there (X-01).
func TestThreatSQLInEveryField(t *testing.T) {
	w := newWorld(t)
	configs, err := ledger.ParseYAMLValue([]byte(`{m: {type: map}, c: {type: counter}, r: {type: table, key: "order"}, s: {type: set}, l: {type: log}, n: {type: notes}}`))
	if err != nil {
		t.Fatal(err)
	}
	w.configs = configs
	texts := []string{`'); DROP TABLE records; --`, `x" OR "1"="1`, `%`, `_`, `$.a`, `?1`, `:a`, `@b`, "`state`", `[state]`, "x/*", "é\u0301", "NULL"}
	var requests []string
	for _, text := range texts {
		q, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		requests = append(requests,
			fmt.Sprintf(`{"type":"ledger_map_put","ledger":"m","key":%[1]s,"value":%[1]s}`, q),
			fmt.Sprintf(`{"type":"ledger_append","ledger":"c","operation":"increment","name":%s,"amount":7}`, q),
			fmt.Sprintf(`{"type":"ledger_append","ledger":"r","operation":"insert","value":{"order":%[1]s,%[1]s:1}}`, q),
			fmt.Sprintf(`{"type":"ledger_append","ledger":"s","operation":"add","value":%s}`, q),
			fmt.Sprintf(`{"type":"ledger_append","ledger":"l","operation":"append","value":%s}`, q),
			fmt.Sprintf(`{"type":"ledger_note_add","ledger":"n","subject":%[1]s,"note":%[1]s,"reason":%[1]s,"citations":[{"type":"repository","path":%[1]s,"start_line":1,"end_line":2}]}`, q))
	}
	w.run(requests[:len(requests)/2]...)
	w.run(requests[len(requests)/2:]...)
	for name, columns := range map[string][]string{
		"m": {"state.key", "state.value ->> '$'"}, "c": {"state.name"}, "r": {"state.key"}, "s": {"state.value ->> '$'"},
		"l": {"state.value ->> '$'"}, "n": {"notes.subject", "notes.note", "notes.reason", "note_citations.path"},
	} {
		db := w.database(name)
		for _, column := range columns {
			table, _, _ := strings.Cut(column, ".")
			got, err := db.Query(t.Context(), "SELECT "+column+" FROM "+table)
			if err != nil {
				t.Errorf("%s: %v", column, err)
				continue
			}
			have := map[any]int{}
			for _, row := range got.Rows {
				have[row[0]]++
			}
			for _, text := range texts {
				if have[text] != 1 {
					t.Errorf("%s: %s: %q is there %d times", name, column, text, have[text])
				}
			}
			if len(got.Rows) != len(texts) {
				t.Errorf("%s: %s: %d rows", name, column, len(got.Rows))
			}
		}
		if got, err := db.Query(t.Context(), "SELECT count(*) FROM records"); err != nil || got.Rows[0][0] != int64(len(texts)) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// A transaction ID is text of the artifact's: what is said of it is one short
// line of printable text (S9-13).
func TestThreatHostileTransactionID(t *testing.T) {
	w := newWorld(t)
	for _, id := range []string{"1:1\n::add-mask::" + canary, "\x1b[2J" + canary, "##[add-mask]" + canary, "\u202e" + canary, strings.Repeat("é", 128)} {
		tx, err := txn.Normalize(w.configs, id, strings.NewReader(`{"type":"ledger_append","ledger":"seen","operation":"add","value":1}`))
		if err != nil {
			continue // refused is right as well
		}
		artifact, err := tx.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		audit := filepath.Join(t.TempDir(), "audit.jsonl")
		opts := impatient()
		opts.AuditFile = audit
		if _, err := txn.Persist(t.Context(), w.branches, w.configs, artifact, opts); err != nil {
			t.Fatal(err)
		}
		entry, err := os.ReadFile(audit)
		if err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(string(entry), "\n"); lines != 1 || len(entry) > 2<<10 {
			t.Errorf("%q: %d lines of %d bytes", id, lines, len(entry))
		}
		message := w.git("log", "-1", "--format=%B", "ledgers/seen")
		for _, line := range obeyed(tx.String() + "\n" + message + "\n" + string(entry)) {
			t.Errorf("%q: %q", id, line)
		}
		if n := len(strings.Split(strings.TrimSpace(message), "\n")); n != 3 {
			t.Errorf("%q: a message of %d lines", id, n)
		}
	}
}

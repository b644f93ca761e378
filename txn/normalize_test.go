package txn

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/replay"
)

func normalize(t testing.TB, configs ledger.Configs, requests ...string) (*Transaction, *RequestErrors) {
	t.Helper()
	tx, err := Normalize(configs, "42:1", strings.NewReader(strings.Join(requests, "\n")))
	if err == nil {
		return tx, nil
	}
	var errs *RequestErrors
	if !errors.As(err, &errs) {
		t.Fatal(err)
	}
	return nil, errs
}

// A request that is refused, and what is said of it.
func TestRefusedRequests(t *testing.T) {
	configs := testConfigs(t)
	deep := strings.Repeat("[", 40) + strings.Repeat("]", 40)
	for _, test := range []struct {
		name, request string
		ledger, field string
		reason        Reason
	}{
		{"no JSON", `{"ledger":`, "", "", ReasonSyntax},
		{"not UTF-8", "{\"ledger\":\"free\",\"record\":{\"a\":\"\xff\"}}", "", "", ReasonSyntax},
		{"infinite number", `{"ledger":"free","record":{"a":1e999}}`, "", "", ReasonSyntax},
		{"an array", `[1]`, "", "", ReasonNotObject},
		{"deep", `{"ledger":"free","record":{"a":` + deep + `}}`, "", "", ReasonTooDeep},
		{"as deep as a record is not stored", `{"ledger":"free","record":` + strings.Repeat(`{"a":`, 31) + `{"a":1}` + strings.Repeat(`}`, 31) + `}`, "", "", ReasonTooDeep},
		{"another tool", `{"type":"create_issue","title":"canary"}`, "", "type", ReasonTool},
		{"tool is no text", `{"type":5}`, "", "type", ReasonTool},
		{"unknown ledger", `{"ledger":"canary","record":{}}`, "", "ledger", ReasonLedger},
		{"a path", `{"ledger":"../../canary","record":{}}`, "", "ledger", ReasonLedger},
		{"no ledger", `{"record":{}}`, "", "ledger", ReasonLedgerMissing},
		{"map tool on a log", `{"type":"ledger_map_put","ledger":"history","key":"k","value":1}`, "history", "ledger", ReasonToolType},
		{"note tool on a map", `{"type":"ledger_note_vote","ledger":"repositories","note_id":"x","vote":"up"}`, "repositories", "ledger", ReasonToolType},
		{"operation for a tool that has one", `{"type":"ledger_map_put","operation":"delete","key":"k"}`, "repositories", "operation", ReasonField},
		{"record for a tool", `{"type":"ledger_map_put","record":{}}`, "repositories", "operation", ReasonField},
		{"value for delete", `{"type":"ledger_map_delete","key":"k","value":1}`, "repositories", "", Reason(replay.InvalidFields)},
		{"no key", `{"type":"ledger_map_put","value":1}`, "repositories", "key", Reason(replay.InvalidFields)},
		{"stray key on insert", `{"ledger":"findings","operation":"insert","key":"a","value":{"id":"a","severity":"x"}}`, "findings", "key", ReasonStrayKey},
		{"stray key on upsert", `{"ledger":"findings","operation":"upsert","key":"a","value":{"id":"a","severity":"x"}}`, "findings", "key", ReasonStrayKey},
		{"unknown operation", `{"ledger":"findings","operation":"canary"}`, "findings", "operation", Reason(replay.UnsupportedOperation)},
		{"no operation", `{"ledger":"findings","value":{}}`, "findings", "operation", ReasonNoOperation},
		{"operation on raw", `{"ledger":"free","operation":"append"}`, "free", "record", ReasonNoRecord},
		{"record is an array", `{"ledger":"free","record":[]}`, "free", "record", ReasonNoRecord},
		{"a field beside record", `{"ledger":"free","record":{},"canary":1}`, "free", "", ReasonField},
		{"reserved", `{"ledger":"free","record":{"payload_sha":1}}`, "free", "payload_sha", ReasonReserved},
		{"reserved, escaped", `{"ledger":"free","record":{"\u0073ha":1}}`, "free", "sha", ReasonReserved},
		{"key of 257 bytes", `{"ledger":"free","record":{"a":[{"` + strings.Repeat("é", 128) + `x":1}]}}`, "free", "", ReasonKeyLength},
		{"schema", `{"ledger":"findings","operation":"insert","value":{"id":"a","severity":["canary"]}}`, "findings", "value", Reason(replay.SchemaMismatch)},
		{"temporary ID", `{"ledger":"free","temp_id":"##a","record":{}}`, "free", "temp_id", ReasonTempID},
		{"temporary ID null", `{"ledger":"free","temp_id":null,"record":{}}`, "free", "temp_id", ReasonTempID},
		{"blank note", `{"type":"ledger_note_add","subject":"s","note":" ","reason":"r","citations":[{"type":"repository","path":"a"}]}`, "knowledge", "note", Reason(replay.InvalidNote)},
		{"citation", `{"type":"ledger_note_add","subject":"s","note":"n","reason":"r","citations":[{"type":"repository","path":"canary/../.."}]}`, "knowledge", "citations", Reason(replay.InvalidCitation)},
		{"vote", `{"type":"ledger_note_vote","note_id":"x","vote":"canary"}`, "knowledge", "vote", Reason(replay.InvalidVote)},
		{"note ID", `{"type":"ledger_note_vote","note_id":"","vote":"up"}`, "knowledge", "note_id", Reason(replay.InvalidVote)},
		{"amount", `{"ledger":"metrics","operation":"increment","name":"a","amount":-1}`, "metrics", "amount", Reason(replay.InvalidCounter)},
		{"name", `{"ledger":"metrics","operation":"increment","name":"","amount":1}`, "metrics", "name", Reason(replay.InvalidCounter)},
		{"patch", `{"ledger":"findings","operation":"update","key":"a","patch":[]}`, "findings", "patch", Reason(replay.InvalidPatch)},
		{"map key", `{"type":"ledger_map_put","key":1,"value":1}`, "repositories", "key", Reason(replay.InvalidKey)},
		{"record size", `{"ledger":"free","record":{"a":"` + strings.Repeat("x", 32<<10) + `"}}`, "free", "", ReasonRecordSize},
		{"line size", `{"ledger":"free","record":{"a":"` + strings.Repeat("x", MaxLineBytes) + `"}}`, "", "", ReasonLineSize},
	} {
		t.Run(test.name, func(t *testing.T) {
			// It is the second request, and the first and third are sound.
			_, errs := normalize(t, configs, appendLog, test.request, appendLog)
			if errs == nil || len(errs.Errors) != 1 {
				t.Fatalf("%v", errs)
			}
			e := errs.Errors[0]
			if e.Index != 1 || e.Ledger != test.ledger || e.Field != test.field || e.Reason != test.reason {
				t.Errorf("%+v", e)
			}
			if strings.Contains(errs.Error(), "canary") {
				t.Errorf("a value is shown: %v", errs)
			}
			if !errors.Is(errs, &RequestError{Reason: test.reason}) {
				t.Error("not found by its reason")
			}
			if _, err := Check(configs, []byte(test.request)); err == nil {
				t.Error("Check accepts it")
			}
		})
	}
}

func TestAllErrorsAtOnce(t *testing.T) {
	configs := testConfigs(t)
	_, errs := normalize(t, configs,
		`{"ledger":"nope","record":{}}`,
		appendLog,
		``,
		`{"ledger":"free","temp_id":"a","record":{}}`,
		`{"ledger":"free","temp_id":"#a","record":{}}`,
		`{"ledger":"history","operation":"append"}`,
		`{"type":"noop"}`)
	if errs == nil || len(errs.Errors) != 4 || len(errs.Unwrap()) != 4 {
		t.Fatalf("%v", errs)
	}
	for i, want := range []string{
		"request 0: ledger: unknown-ledger: no ledger of that name is configured",
		"request 3: ledger free: temp_id: temp-id-repeated: another request on this ledger has it",
		"request 4: ledger history: value: invalid-fields: missing",
		"request 5: type: unknown-tool: not a tool that appends to a ledger",
	} {
		if got := errs.Errors[i].Error(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestLimits(t *testing.T) {
	configs := testConfigs(t)
	free := `{"ledger":"free","record":{}}`
	if _, errs := normalize(t, configs, repeat(free, 100)...); errs != nil {
		t.Errorf("100 requests: %v", errs)
	}
	if _, errs := normalize(t, configs, repeat(free, 101)...); errs == nil || errs.Errors[0].Reason != ReasonCount {
		t.Errorf("101 requests: %v", errs)
	}
	// A record is bounded as it is written, with its id and without escapes
	// that are not needed.
	const around = len(`{"a":"","id":"ldg-5d1e0714-8bcf-4be2-998b-3eb810b7f1f7"}`)
	configs[1].Limits.PatchBytes = configs[1].Limits.RecordBytes
	fits := `{"ledger":"free","record":{"a":"` + strings.Repeat(`\u0061`, 32<<10-around) + `"}}`
	if _, errs := normalize(t, configs, fits); errs != nil {
		t.Errorf("a record of 32 KiB: %v", errs)
	}
	over := strings.Replace(fits, `"a":"`, `"a":"x`, 1)
	if _, errs := normalize(t, configs, over); errs == nil || len(errs.Errors) != 1 || errs.Errors[0].Reason != ReasonRecordSize {
		t.Errorf("a record of 32 KiB and a byte: %v", errs)
	}
	// The batch is bounded for each ledger by the sum of its records.
	if _, errs := normalize(t, configs, fits, free, free); errs == nil || len(errs.Errors) != 1 || errs.Errors[0].Index != 1 || errs.Errors[0].Reason != ReasonBatchSize {
		t.Errorf("a batch over the bound: %v", errs)
	}
	huge := strings.NewReader(strings.Repeat(strings.Repeat(" ", 1000)+"\n", MaxArtifactBytes/1000))
	if _, err := Normalize(configs, "42:1", huge); !errors.Is(err, &RequestError{Index: 0, Reason: ReasonTotalSize}) {
		t.Errorf("too much text: %v", err)
	}
	if _, err := Normalize(configs, "42:1", failing{}); !errors.Is(err, ErrRead) || strings.Contains(err.Error(), "canary") {
		t.Errorf("a reader that fails: %v", err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("canary") }

func repeat(s string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = s
	}
	return out
}

func TestRequestsAreTakenAsTheyCome(t *testing.T) {
	one := ledger.Configs{ledger.NewConfig("knowledge", ledger.Notes)}
	note := `"subject":"S","note":"N","reason":"R","citations":[{"type":"repository","path":"a"}]`
	for _, request := range []string{
		`{"type":"ledger_note_add",` + note + `}`,
		`{"type":"ledger-note-add","ledger":null,` + note + `}`,
		`{"type":"ledger_note_add","ledger":"","temp_id":"x",` + note + `}`,
		`{"operation":"note",` + note + `}`,
		`{"type":"ledger_append","ledger":"nope","ledger":"knowledge","operation":"note",` + note + `}`, // the last one counts
		"\t {\"operation\" : \"note\" , " + note + "}\r",
	} {
		tx, errs := normalize(t, one, request)
		if errs != nil {
			t.Errorf("%s: %v", request, errs)
			continue
		}
		want := `{"citations":[{"path":"a","type":"repository"}],"note":"N","operation":"note","reason":"R","subject":"S"}`
		if got := string(tx.appends[0].Payload()); got != want {
			t.Errorf("%s became %s", request, got)
		}
		if answer, err := Check(one, []byte(request)); err != nil || answer.Result != "queued" {
			t.Errorf("%+v, %v", answer, err)
		}
	}
	if _, errs := normalize(t, one, `{"type":"ledger_map_put","key":"k","value":1}`); errs == nil || errs.Errors[0].Reason != ReasonToolType {
		t.Errorf("a map tool without a map: %v", errs)
	}
}

func TestResponseSaysQueuedOnly(t *testing.T) {
	answer, err := Check(testConfigs(t), []byte(appendLog))
	text, _ := json.Marshal(answer)
	if err != nil || string(text) != `{"result":"queued"}` {
		t.Errorf("%s, %v", text, err)
	}
}

func TestParseIsStrict(t *testing.T) {
	configs := testConfigs(t)
	sound := string(artifactOf(t, configs, "42:1", `{"ledger":"free","record":{"a":{"b":1}}}`, appendLog))
	if _, err := Parse([]byte(sound)); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, old, new string
		reason         Reason
	}{
		{"version 2", `"version":1`, `"version":2`, ReasonVersion},
		{"version as text", `"version":1`, `"version":"1"`, ReasonVersion},
		{"no version", `,"version":1`, ``, ReasonShape},
		{"another key", `"version":1`, `"version":1,"x":1`, ReasonShape},
		{"version twice", `"version":1`, `"version":1,"version":1`, ReasonDuplicateKey},
		{"a ledger twice", `"ledgers":{`, `"ledgers":{"free":{"appends":[1]},`, ReasonDuplicateKey},
		{"a key of a record twice", `"b":1`, `"b":1,"b":1`, ReasonDuplicateKey},
		{"the same key escaped", `"b":1`, `"b":1,"\u0062":1`, ReasonDuplicateKey},
		{"trailing text", `"version":1}`, `"version":1}}`, ReasonSyntax},
		{"a path for a name", `"ledgers":{"free"`, `"ledgers":{"../free"`, ReasonLedger},
		{"another ledger inside", `"ledger":"free"`, `"ledger":"history"`, ReasonLedger},
		{"another transaction inside", `"transaction_id":"42:1"}]},"history"`, `"transaction_id":"43:1"}]},"history"`, ReasonTransactionID},
		{"no transaction ID", `"transaction_id":"42:1","version"`, `"transaction_id":"","version"`, ReasonTransactionID},
		{"a transaction ID that is no text", `"transaction_id":"42:1","version"`, `"transaction_id":"\ud800","version"`, ReasonTransactionID},
		{"another index", `"index":0`, `"index":5`, ReasonID},
		{"a repeated index", `"index":1`, `"index":0`, ReasonID},
		{"a negative index", `"index":0`, `"index":-1`, ReasonIndex},
		{"an index beyond the bound", `"index":0`, `"index":100`, ReasonIndex},
		{"a fraction", `"index":0`, `"index":0.5`, ReasonIndex},
		{"another ID", `"id":"ldg-5d1e0714`, `"id":"ldg-5d1e0715`, ReasonID},
		{"no appends", `"free":{"appends":[`, `"free":{"append":[`, ReasonShape},
		{"an entry with another key", `"index":0`, `"index":0,"x":1`, ReasonShape},
		{"ledgers is a list", sound, `{"version":1,"transaction_id":"x","ledgers":[]}`, ReasonShape},
		{"an empty list", sound, `{"version":1,"transaction_id":"x","ledgers":{"free":{"appends":[]}}}`, ReasonShape},
		{"nothing", sound, ``, ReasonSyntax},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(sound, test.old) {
				t.Fatalf("%s is not in %s", test.old, sound)
			}
			text := strings.Replace(sound, test.old, test.new, 1)
			_, err := Parse([]byte(text))
			if !errors.Is(err, ErrArtifact) || !errors.Is(err, reason(test.reason)) {
				t.Errorf("%v, want %s", err, test.reason)
			}
		})
	}
	if _, err := Parse(make([]byte, MaxArtifactBytes+1)); !errors.Is(err, reason(ReasonTotalSize)) {
		t.Errorf("a large artifact: %v", err)
	}
	// A lone surrogate inside is not the U+FFFD that it is decoded to.
	odd := string(artifactOf(t, configs, "\ufffd", appendLog))
	if _, err := Parse([]byte(odd)); err != nil {
		t.Error(err)
	}
	if _, err := Parse([]byte(strings.Replace(odd, "\ufffd", `\ud800`, 1))); !errors.Is(err, reason(ReasonTransactionID)) {
		t.Errorf("a lone surrogate: %v", err)
	}
	// An index that is missing, with every ID right.
	gap := strings.Replace(sound, `"history":{"appends":[{"index":1`, `"history":{"appends":[{"index":2`, 1)
	gap = strings.Replace(gap, "ldg-b774d9ea-71ac-4a52-87ba-85dcdd555f93", idOf("42:1", 2), 1)
	if _, err := Parse([]byte(gap)); !errors.Is(err, reason(ReasonIndex)) {
		t.Errorf("a gap: %v", err)
	}
}

func reason(r Reason) error { return &RequestError{Reason: r} }

func TestPersistRevalidatesTheArtifact(t *testing.T) {
	configs := testConfigs(t)
	sound := string(artifactOf(t, configs, "42:1", `{"ledger":"free","record":{"a":{"b":1}}}`, appendLog, insertRow))
	b := storeFor(configs)
	for name, replace := range map[string][2]string{
		"operation":       {`"operation":"append"`, `"operation":"remove"`},
		"schema":          {`"severity":"high"`, `"severity":5`},
		"field":           {`"value":"x"`, `"value":"x","more":1`},
		"reserved":        {`"a":{"b":1}`, `"sha":{"b":1}`},
		"unknown ledger":  {`free`, `elsewhere`},
		"record size":     {`"b":1`, `"b":"` + strings.Repeat("x", 33<<10) + `"`},
		"key length":      {`"b":1`, `"` + strings.Repeat("k", 257) + `":1`},
		"raw with a type": {`"a":{"b":1}`, `"timestamp":"x"`},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.ReplaceAll(sound, replace[0], replace[1])
			got, err := Persist(t.Context(), b.branches, configs, []byte(text), fast())
			if !errors.Is(err, ErrArtifact) || got != nil {
				t.Errorf("%v, %+v", err, got)
			}
			for name, branch := range b {
				if branch.Head() != "" {
					t.Errorf("%s was written", name)
				}
			}
		})
	}
}

func TestArtifactFile(t *testing.T) {
	configs := testConfigs(t)
	tx, _ := normalize(t, configs, everyKind()...)
	path := filepath.Join(t.TempDir(), "transactions.json")
	if err := WriteFile(path, tx); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(path, tx); !errors.Is(err, os.ErrExist) {
		t.Errorf("written twice: %v", err)
	}
	data, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse(data)
	if err != nil || again.String() != tx.String() || again.Len() != len(everyKind()) || again.ID() != "42:1" {
		t.Errorf("%v, %v", again, err)
	}
	if err := os.Truncate(path, MaxArtifactBytes+1); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(path); !errors.Is(err, ErrArtifact) {
		t.Errorf("a large file: %v", err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(link); !errors.Is(err, ErrArtifact) {
		t.Errorf("a symlink: %v", err)
	}
	if _, err := ReadFile(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// Ledgers whose names are numbers come first in canonical JSON.
func TestArtifactIsCanonical(t *testing.T) {
	configs := ledger.Configs{ledger.NewConfig("10", ledger.Raw), ledger.NewConfig("9", ledger.Raw), ledger.NewConfig("a", ledger.Raw)}
	tx, errs := normalize(t, configs, `{"ledger":"a","record":{}}`, `{"ledger":"10","record":{"id2":1,"2":1}}`, `{"ledger":"9","record":{}}`)
	if errs != nil {
		t.Fatal(errs)
	}
	text, err := tx.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	nine, ten, a := bytes.Index(text, []byte(`"9":`)), bytes.Index(text, []byte(`"10":`)), bytes.Index(text, []byte(`"a":`))
	if nine < 0 || nine > ten || ten > a || !bytes.Contains(text, []byte(`"record":{"2":1,"id":"`+idOf("42:1", 1)+`","id2":1}`)) {
		t.Errorf("%s", text)
	}
}

func ExampleNormalize() {
	configs := ledger.Configs{ledger.NewConfig("knowledge", ledger.Notes)}
	requests := strings.NewReader(`
		{"type":"ledger_note_add","temp_id":"n","subject":"Build","note":"make test runs everything","reason":"Makefile","citations":[{"type":"repository","path":"Makefile"}]}
		{"type":"ledger_note_vote","note_id":"#n","vote":"up"}`)
	tx, err := Normalize(configs, "42:1", requests)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tx)
	for a := range tx.Appends() {
		fmt.Println(a.Index, a.Ledger, a.ID)
	}
	// Output:
	// transaction 42:1 (records 2, ledgers 1)
	// 0 knowledge ldg-5d1e0714-8bcf-4be2-998b-3eb810b7f1f7
	// 1 knowledge ldg-b774d9ea-71ac-4a52-87ba-85dcdd555f93
}

func idOf(transactionID string, index int) string {
	return record.DeterministicID(transactionID, index).String()
}

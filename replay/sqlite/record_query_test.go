package sqlite_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay/sqlite"
)

func TestRecords(t *testing.T) {
	m := &memory{}
	m.add(t,
		`{"n":1,"s":"alpha","user":{"login":"a"}}`,
		`{"n":2.5,"s":"alphabet","b":true}`,
		`{"n":"2","s":"beta","b":false}`,
		`{"n":null,"s":"é","b":1}`,
		`{"n":-3,"s":"alp%a"}`,
		`{"n":1e300,"s":"10","10":{"x":null}}`,
		`["n"]`,
		`"n"`,
		`7`)
	path := filepath.Join(t.TempDir(), "ledger.db")
	prepare(t, m, config(ledger.Raw), path)
	db := open(t, path, sqlite.Limits{})
	for query, want := range map[string]string{
		`{}`:                                   "[0 1 2 3 4 5 6 7 8]",
		`{"type":"ledger_append","limit":500}`: "[0 1 2 3 4 5 6 7 8]",
		`{"type":"other"}`:                     "[]",
		`{"filters":[{"path":"n","op":"eq","value":1}]}`:                                            "[0]",
		`{"filters":[{"path":"n","op":"eq","value":1.0}]}`:                                          "[0]",
		`{"filters":[{"path":"n","op":"eq","value":"2"}]}`:                                          "[2]",
		`{"filters":[{"path":"n","op":"eq","value":null}]}`:                                         "[3]",
		`{"filters":[{"path":"b","op":"eq","value":true}]}`:                                         "[1]",
		`{"filters":[{"path":"b","op":"eq","value":1}]}`:                                            "[3]",
		`{"filters":[{"path":"b","op":"in","value":[false,1]}]}`:                                    "[2 3]",
		`{"filters":[{"path":"n","op":"in","value":[]}]}`:                                           "[]",
		`{"filters":[{"path":"b","op":"exists"}]}`:                                                  "[1 2 3]",
		`{"filters":[{"path":"b","op":"exists","value":false}]}`:                                    "[0 4 5 6 7 8]",
		`{"filters":[{"path":"user.login","op":"eq","value":"a"}]}`:                                 "[0]",
		`{"filters":[{"path":"10.x","op":"exists"}]}`:                                               "[5]",
		`{"filters":[{"path":"s","op":"prefix","value":"alp"}]}`:                                    "[0 1 4]",
		`{"filters":[{"path":"s","op":"prefix","value":"alp%"}]}`:                                   "[4]",
		`{"filters":[{"path":"s","op":"prefix","value":""}]}`:                                       "[0 1 2 3 4 5]",
		`{"filters":[{"path":"n","op":"gt","value":1}]}`:                                            "[1 5]",
		`{"filters":[{"path":"n","op":"gte","value":1}]}`:                                           "[0 1 5]",
		`{"filters":[{"path":"n","op":"lt","value":1}]}`:                                            "[4]",
		`{"filters":[{"path":"n","op":"lte","value":1}]}`:                                           "[0 4]",
		`{"filters":[{"path":"s","op":"gte","value":"beta"}]}`:                                      "[2 3]",
		`{"filters":[{"path":"s","op":"prefix","value":"alpha"},{"path":"n","op":"gt","value":2}]}`: "[1]",
	} {
		var q sqlite.RecordQuery
		if err := json.Unmarshal([]byte(query), &q); err != nil {
			t.Fatal(err)
		}
		page, err := db.Records(t.Context(), q)
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		got := []int64{}
		for i, r := range page.Records {
			got = append(got, r.Ordinal)
			if i > 0 && r.SHA <= page.Records[i-1].SHA {
				t.Errorf("%s: not ascending by SHA", query)
			}
		}
		slices.Sort(got)
		if fmt.Sprint(got) != want || page.HasMore || page.NextCursor != "" {
			t.Errorf("%s: %v, want %s; %v %q", query, got, want, page.HasMore, page.NextCursor)
		}
	}
	many := strings.Repeat(`{"path":"n","op":"exists"},`, 8)
	choices := "[" + strings.Repeat(`"x",`, 32) + `"x"]`
	for _, query := range []string{
		`{"limit":501}`, `{"limit":-1}`, `{"cursor":"x"}`, `{"cursor":"sha256:x"}`,
		`{"filters":[` + many + `{"path":"n","op":"exists"}]}`,
		`{"filters":[{"path":"n","op":"like","value":"x"}]}`,
		`{"filters":[{"path":"n","op":"eq"}]}`,
		`{"filters":[{"path":"n","op":"eq","value":{}}]}`,
		`{"filters":[{"path":"n","op":"eq","value":[1]}]}`,
		`{"filters":[{"path":"n","op":"in","value":1}]}`,
		`{"filters":[{"path":"n","op":"in","value":` + choices + `}]}`,
		`{"filters":[{"path":"n","op":"gt","value":true}]}`,
		`{"filters":[{"path":"n","op":"prefix","value":1}]}`,
		`{"filters":[{"path":"n","op":"exists","value":1}]}`,
		`{"filters":[{"path":"","op":"exists"}]}`,
		`{"filters":[{"path":"a..b","op":"exists"}]}`,
		`{"filters":[{"path":"a\"b","op":"exists"}]}`,
		`{"filters":[{"path":"$[0]","op":"exists"}]}`,
		`{"filters":[{"path":"n","op":"eq","value":"` + strings.Repeat("x", 5000) + `"}]}`,
	} {
		var q sqlite.RecordQuery
		if err := json.Unmarshal([]byte(query), &q); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Records(t.Context(), q); !errors.Is(err, sqlite.ErrRequest) {
			t.Errorf("%.90s: %v", query, err)
		}
	}
	widest := `{"filters":[` + strings.TrimSuffix(strings.Repeat(`{"path":"n","op":"in","value":["2",`+strings.Repeat(`"x",`, 30)+`"x"]},`, 8), ",") + `]}`
	var q sqlite.RecordQuery
	if err := json.Unmarshal([]byte(widest), &q); err != nil {
		t.Fatal(err)
	}
	if page, err := db.Records(t.Context(), q); err != nil || len(page.Records) != 1 {
		t.Errorf("the widest query: %v, %v", page, err)
	}
}

// Pages follow one another without a gap or a repetition, whatever their size.
func TestRecordPages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	prepare(t, grown(t, ledger.Raw, 1234), config(ledger.Raw), path)
	for _, tc := range []struct{ limit, bytes int }{{0, 0}, {1, 0}, {500, 0}, {500, 2000}, {617, 0}} {
		db := open(t, path, sqlite.Limits{Bytes: tc.bytes})
		seen, cursor := map[int64]bool{}, ""
		for pages := 0; ; pages++ {
			page, err := db.Records(t.Context(), sqlite.RecordQuery{Limit: tc.limit, Cursor: cursor, Type: "ledger_append"})
			if tc.limit > sqlite.MaxPage {
				if !errors.Is(err, sqlite.ErrRequest) {
					t.Error(err)
				}
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range page.Records {
				if seen[r.Ordinal] || r.SHA <= cursor {
					t.Fatalf("record %d again", r.Ordinal)
				}
				seen[r.Ordinal] = true
			}
			if !page.HasMore {
				if len(seen) != 1234 {
					t.Errorf("limit %d: %d records in %d pages", tc.limit, len(seen), pages+1)
				}
				break
			}
			cursor = page.NextCursor
		}
	}
}

package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/replay"
	"github.com/gitledger/gitledger/replay/sqlite"
	"github.com/gitledger/gitledger/shard"
)

type replayRow struct {
	Name   string
	Config json.RawMessage
	Lines  []string
	Tables map[string]replayTable
	Error  bool
	Reason string
}

type replayTable struct {
	Columns []string
	Rows    [][]any
}

// config reads a vector's configuration, which has no name. An unknown type is
// an error of the configuration already.
func (v replayRow) config() (ledger.Config, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(v.Config, &members); err != nil {
		return ledger.Config{}, err
	}
	members["name"] = json.RawMessage(`"vector"`)
	named, err := json.Marshal(members)
	if err != nil {
		return ledger.Config{}, err
	}
	var cfg ledger.Config
	err = json.Unmarshal(named, &cfg)
	return cfg, err
}

func (v replayRow) history(t *testing.T) *ledger.History {
	t.Helper()
	id, err := shard.NewID()
	if err != nil {
		t.Fatal(err)
	}
	var data []byte
	for _, line := range v.Lines {
		data = append(append(data, line...), '\n')
	}
	snap := &shard.Snapshot{Shards: []shard.Shard{{Name: id.FileName(), ID: id, Size: int64(len(data)), Data: data}}}
	h, err := ledger.Reconstruct(t.Context(), snap)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// plain gives a table's value the type that a decoded vector has.
func plain(v any) any {
	if n, ok := v.(int64); ok {
		return float64(n)
	}
	return v
}

func (want replayTable) compare(t *testing.T, name string, columns []string, rows [][]any) {
	t.Helper()
	if !slices.Equal(columns, want.Columns) {
		t.Errorf("%s has columns %v, want %v", name, columns, want.Columns)
	}
	if got, want := fmt.Sprintf("%q", rows), fmt.Sprintf("%q", want.Rows); got != want {
		t.Errorf("%s holds\n%s\nwant\n%s", name, got, want)
	}
}

func TestReplay(t *testing.T) {
	eachRow(t, "replay.jsonl", func(t *testing.T, v replayRow) {
		cfg, err := v.config()
		if err != nil {
			if !v.Error {
				t.Fatal(err)
			}
			return
		}
		s, err := replay.Replay(t.Context(), v.history(t), cfg)
		if v.Error {
			if err == nil {
				t.Fatalf("accepted; the runtime says %q", v.Reason)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, table := range s.Tables() {
			if table.Rows == nil {
				continue
			}
			names = append(names, table.Name)
			var columns []string
			for _, c := range table.Columns {
				columns = append(columns, c.Name)
			}
			var rows [][]any
			for row := range table.Rows {
				copied := make([]any, len(row))
				for i, cell := range row {
					copied[i] = plain(cell)
				}
				rows = append(rows, copied)
			}
			if len(rows) != table.Len {
				t.Errorf("%s says it has %d rows, and has %d", table.Name, table.Len, len(rows))
			}
			v.Tables[table.Name].compare(t, table.Name, columns, rows)
		}
		if len(names) != len(v.Tables) {
			t.Errorf("tables %s, want %d", strings.Join(names, ", "), len(v.Tables))
		}
	})
}

// TestReplayInSQLite reads the same tables from a prepared database.
func TestReplayInSQLite(t *testing.T) {
	eachRow(t, "replay.jsonl", func(t *testing.T, v replayRow) {
		cfg, err := v.config()
		if err != nil {
			return // TestReplay decides whether it may be
		}
		path := filepath.Join(t.TempDir(), "ledger.db")
		_, err = sqlite.Write(t.Context(), v.history(t), cfg, path, sqlite.Options{})
		if v.Error {
			if _, none := os.Stat(path); err == nil || none == nil {
				t.Fatalf("prepared; the runtime says %q", v.Reason)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		db, err := sqlite.Open(t.Context(), path, sqlite.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		for name, want := range v.Tables {
			got, err := db.Query(t.Context(), "SELECT * FROM "+name)
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range got.Rows {
				for i, cell := range row {
					row[i] = plain(cell)
				}
			}
			want.compare(t, name, got.Columns, got.Rows)
		}
	})
}

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/replay/sqlite"
	"github.com/gitledger/gitledger/shard"
)

// binary is the program, which the tests run as an agent would.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "agent-")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "agent")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// world is what an agent finds: databases, and a safe-output file to append to.
type world struct {
	t         *testing.T
	configs   ledger.Configs
	databases string
	requests  string
	env       []string
}

const hostile = "a\x1b[2Jb\u202e\n::set-output name=x::y"

func newWorld(t *testing.T) *world {
	t.Helper()
	configs, err := ledger.ParseYAMLValue([]byte("{seen: {type: set}, audit: {}, knowledge: {type: notes}}"))
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := configs.Base64()
	if err != nil {
		t.Fatal(err)
	}
	if configs, err = ledger.ParseBase64(encoded); err != nil { // without what maintenance alone is told
		t.Fatal(err)
	}
	w := &world{t: t, configs: configs, databases: t.TempDir(), requests: filepath.Join(t.TempDir(), "requests.jsonl")}
	w.env = []string{ledger.EnvConfig + "=" + encoded, "GH_AW_SAFE_OUTPUTS=" + w.requests, "GITHUB_ACTIONS=true"}
	text, _ := json.Marshal(hostile)
	w.prepare("seen", `{"operation":"add","value":"octo/web#7"}`, `{"operation":"add","value":`+string(text)+`}`)
	w.prepare("audit", `{"status":"ok","run":1}`, `{"status":"bad","run":2}`, `{"status":"ok","run":3}`)
	w.prepare("knowledge")
	return w
}

func (w *world) prepare(name string, payloads ...string) {
	w.t.Helper()
	dir, err := shard.OpenDir(w.t.TempDir())
	if err != nil {
		w.t.Fatal(err)
	}
	defer dir.Close()
	for i, payload := range payloads {
		r, err := record.Seal(record.Draft{ID: record.DeterministicID(name, i), Type: "ledger_append", Payload: []byte(payload)})
		if err != nil {
			w.t.Fatal(err)
		}
		snap, err := dir.Snapshot(w.t.Context(), shard.ProjectionLimits())
		if err != nil {
			w.t.Fatal(err)
		}
		id, err := shard.NewID()
		if err != nil {
			w.t.Fatal(err)
		}
		if _, err := dir.Commit(w.t.Context(), snap.Head, shard.Change{Add: []shard.Addition{{ID: id, Data: append(r.Line(), '\n')}}}); err != nil {
			w.t.Fatal(err)
		}
	}
	cfg, _ := w.configs.Lookup(name)
	path := filepath.Join(w.databases, name, "ledger.db")
	if _, err := sqlite.Prepare(w.t.Context(), dir, cfg, path, sqlite.Options{}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(w.t.Context(), binary, append([]string{"-databases", w.databases}, args...)...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, w.env...)
	return cmd
}

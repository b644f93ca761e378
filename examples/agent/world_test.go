package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/replay/sqlite"
	"github.com/gitledger/gitledger/shard"
	"github.com/gitledger/gitledger/shard/gitbranch"
	"github.com/gitledger/gitledger/txn"
)

// program is the built agent.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "agent-")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(dir, "agent")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		panic(string(out))
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

const hostile = "\x1b[31mred\x07\u202e\u009b\x7f\r\n::set-output name=a::b\n  ::error::c\n##[add-path]d"

// stage is a repository with four ledgers and their databases.
type stage struct {
	t       *testing.T
	dir     string
	configs ledger.Configs
	repo    *gitbranch.Repository
}

func newStage(t *testing.T) *stage {
	s := &stage{t: t, dir: t.TempDir()}
	findings, free := ledger.NewConfig("findings", ledger.Table), ledger.NewConfig("free", ledger.Raw)
	findings.Key = "id"
	free.Limits.PatchBytes, free.Limits.SegmentBytes = 10240<<10, 10240<<10
	s.configs = ledger.Configs{findings, free, ledger.NewConfig("knowledge", ledger.Notes), ledger.NewConfig("seen", ledger.Set)}
	path := filepath.Join(s.dir, "repo.git")
	s.must(gittest.InitBare(path))
	repo, err := gitbranch.Open(t.Context(), gitbranch.Options{URL: path})
	s.must(err)
	t.Cleanup(func() { repo.Close() })
	s.repo = repo
	text, err := json.Marshal(hostile)
	s.must(err)
	s.persist("seed", `{"ledger":"findings","operation":"upsert","value":{"id":"F-1","severity":"high"}}
{"ledger":"findings","operation":"upsert","value":{"id":"F-2","severity":"low"}}
{"ledger":"free","record":{"n":1,"text":`+string(text)+`}}
{"ledger":"seen","operation":"add","value":"a"}`)
	for _, cfg := range s.configs {
		reader, err := repo.Reader(cfg.Branch())
		s.must(err)
		_, err = sqlite.Prepare(t.Context(), reader, cfg, s.database(cfg.Name), sqlite.Options{Seal: true})
		s.must(err)
		t.Cleanup(func() { os.Chmod(filepath.Dir(s.database(cfg.Name)), 0o755) })
	}
	return s
}

func (s *stage) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) database(name string) string { return filepath.Join(s.dir, "db", name, "ledger.db") }

func (s *stage) requests() string { return filepath.Join(s.dir, "requests.jsonl") }

// lines returns the lines of the safe-output file.
func (s *stage) lines() []string {
	data, err := os.ReadFile(s.requests())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	s.must(err)
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// persist does what the trusted jobs do with the requests.
func (s *stage) persist(transaction, requests string) {
	s.t.Helper()
	tx, err := txn.Normalize(s.configs, transaction, strings.NewReader(requests))
	s.must(err)
	artifact, err := json.Marshal(tx)
	s.must(err)
	branches := func(_ context.Context, cfg ledger.Config) (shard.Branch, error) { return s.repo.Branch(cfg.Branch()) }
	_, err = txn.Persist(s.t.Context(), branches, s.configs, artifact, txn.Options{})
	s.must(err)
}

// history returns the payloads on a ledger's branch.
func (s *stage) history(name string) (payloads []string) {
	cfg, _ := s.configs.Lookup(name)
	reader, err := s.repo.Reader(cfg.Branch())
	s.must(err)
	snap, err := reader.Snapshot(s.t.Context(), shard.ProjectionLimits())
	s.must(err)
	h, err := ledger.Reconstruct(s.t.Context(), snap)
	s.must(err)
	s.must(h.Err())
	for _, r := range h.Records() {
		payloads = append(payloads, string(r.Payload()))
	}
	return payloads
}

func (s *stage) environment() []string {
	encoded, err := s.configs.Base64()
	s.must(err)
	return append(os.Environ(), "HOME="+s.dir, "TMPDIR="+s.dir, envRequests+"="+s.requests(), ledger.EnvConfig+"="+encoded)
}

// command is the agent as a process, in the stage's folder.
func (s *stage) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(s.t.Context(), program, append([]string{args[0], "-databases", filepath.Join(s.dir, "db")}, args[1:]...)...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = s.dir, s.environment(), 10*time.Second
	return cmd
}

// shell runs a command and returns its exit code.
func (s *stage) shell(stdin string, args ...string) (stdout, stderr string, code int) {
	s.t.Helper()
	cmd := s.command(args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		s.t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// client is a session of the SDK's client with the agent.
type client struct {
	*mcp.ClientSession
	t       *testing.T
	cmd     *exec.Cmd
	outputs map[string]*jsonschema.Resolved // schemas by tool
}

func (s *stage) connect(flags ...string) *client {
	s.t.Helper()
	cmd := s.command(append([]string{"mcp"}, flags...)...)
	cmd.Stderr = os.Stderr
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := c.Connect(s.t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	s.must(err)
	s.t.Cleanup(func() { session.Close() })
	out := &client{session, s.t, cmd, map[string]*jsonschema.Resolved{}}
	for tool, err := range session.Tools(s.t.Context(), nil) {
		s.must(err)
		text, err := json.Marshal(tool.OutputSchema)
		s.must(err)
		var schema jsonschema.Schema
		s.must(json.Unmarshal(text, &schema))
		out.outputs[tool.Name], err = schema.Resolve(nil)
		s.must(err)
	}
	return out
}

// call calls a tool and returns its structured result, which its output schema must
// admit, or the code of its error.
func (c *client) call(ctx context.Context, tool, arguments string) (result map[string]any, code string) {
	r, err := c.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		if ctx.Err() == nil {
			c.t.Errorf("%s: %v", tool, err)
		}
		return nil, "protocol"
	}
	if len(r.Content) != 1 {
		c.t.Fatalf("%d contents", len(r.Content))
	}
	text := r.Content[0].(*mcp.TextContent).Text
	if r.IsError {
		var f failure
		if err := json.Unmarshal([]byte(text), &f); err != nil || f.Code == "" || f.Message == "" || r.StructuredContent != nil {
			c.t.Errorf("error %s: %v", text, err)
		}
		if strings.Contains(text, "canary") || strings.Contains(text, "/") {
			c.t.Errorf("an error with a value or a path: %s", text)
		}
		return nil, f.Code
	}
	if err := c.outputs[tool].Validate(r.StructuredContent); err != nil {
		c.t.Errorf("%s: %v", tool, err)
	}
	structured, err := record.Marshal(r.StructuredContent)
	if plain, _ := record.Canonicalize(nil, []byte(text)); err != nil || !bytes.Equal(plain, structured) {
		c.t.Errorf("text and structure differ: %s, %s", text, structured)
	}
	result, _ = r.StructuredContent.(map[string]any)
	return result, ""
}

// inventory is every file below the stage's folder, with what could change.
func (s *stage) inventory() map[string]string {
	files := map[string]string{}
	s.must(filepath.WalkDir(s.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		content := ""
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			content = record.Sum(data).String()
		}
		files[path] = fmt.Sprint(info.Mode(), info.ModTime().UnixNano(), content)
		if path == s.dir { // a new file changes its time
			files[path] = ""
		}
		return nil
	}))
	return files
}

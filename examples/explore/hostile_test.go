//go:build cgo && unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// site is a repository into which anything is written.
type site struct {
	gittest.Loose
	t      *testing.T
	commit string
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{gittest.Loose{Path: t.TempDir()}, t, ""}
	s.must(s.Init())
	return s
}

func (s *site) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// put makes a commit of those files on a ledger's branch.
func (s *site) put(name string, files map[string]gittest.LooseFile) {
	s.t.Helper()
	tree, err := s.Files(files)
	s.must(err)
	var parents []string
	if s.commit != "" {
		parents = []string{s.commit}
	}
	s.commit, err = s.Commit(tree, parents...)
	s.must(err)
	s.must(s.Branch("ledgers/"+name, s.commit))
}

// lines seals records, none of which has a parent, or each the one before it.
func lines(t *testing.T, kind, seed string, payloads []string, chained bool) []byte {
	t.Helper()
	var all bytes.Buffer
	var parents []record.Hash
	for i, payload := range payloads {
		r, err := record.Seal(record.Draft{ID: record.DeterministicID(seed, i), Type: kind, Parents: parents,
			Time: time.Date(2026, 3, 1, 12, 0, i, 0, time.UTC), Payload: []byte(payload)})
		if err != nil {
			t.Fatal(err)
		}
		if chained {
			parents = []record.Hash{r.SHA()}
		}
		all.Write(append(r.Line(), '\n'))
	}
	return all.Bytes()
}

func freshPath(n int) string {
	return shard.ID(record.FoldUUID(record.Sum(fmt.Append(nil, n)))).Path()
}

// A branch in which everything that can be chosen was chosen by an attacker.
func TestMalformed(t *testing.T) {
	s := newSite(t)
	files := map[string]gittest.LooseFile{
		freshPath(0): {Data: append(lines(t, attack[:100], "x", []string{`{"a":1}`}, true), "{\n<script>window.hacked=5</script>\n"...)},
		freshPath(1): {Mode: "120000", Data: []byte("/etc/passwd")},
		shard.Folder + "/\x1b[2J::error::<img src=x onerror=window.hacked=6>\u202e\xff.jsonl": {Data: []byte("{}\n")},
		shard.Folder + "/::error::x.jsonl": {Data: []byte("{}\n")},
		shard.StatePath:                    {Data: fmt.Appendf(nil, `{"last_applied_at":"2026-03-01T12:00:00.000Z","last_plan_id":"%s","last_trigger":"scheduled","ledger":"other","recent_plan_ids":[],"version":"gh-aw/ledger-compaction-state/v1"}`+"\n", record.Sum(nil))},
	}
	s.put("audit", files)
	files[shard.StatePath] = gittest.LooseFile{Mode: "120000", Data: []byte("x")}
	s.put("audit", files)
	o := options{repo: s.Path, ledger: "audit", newest: 5}
	code, out, errs := run(t, o, false)
	if code != 0 || !strings.Contains(out, "Malformed (") || !strings.Contains(out, "No state") || strings.Contains(out, "Compactions (") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	plain(t, out)
	code, out, _ = run(t, o, true)
	plain(t, out)
	if code != 0 || !json.Valid([]byte(out)) {
		t.Errorf("exit code %d, %s", code, out)
	}
	b := newBrowser(t)
	page := pageOf(t, b, o)
	harmless(t, b, page, "malformed")
	if got := b.eval("document.body.textContent.includes('<img src=x onerror=window.hacked=6>\\\\u202e')"); got != true {
		t.Error("the file's name is not shown")
	}
}

// However large a ledger is, what is shown of it is not.
func TestLarge(t *testing.T) {
	s := newSite(t)
	const subjects, voters = maxNotes + 150, 1500
	var notes, votes []string
	for i := range subjects {
		notes = append(notes, fmt.Sprintf(`{"operation":"note","subject":"s%d","note":%q,"reason":"r","citations":[{"type":"repository","path":"Makefile"}]}`, i, strings.Repeat("n", 2*maxText)))
	}
	oldest := record.DeterministicID("notes", 0)
	for i := range voters {
		votes = append(votes, fmt.Sprintf(`{"operation":"vote","note_id":%q,"vote":"up","reason":"vote %d"}`, oldest, i))
	}
	config := filepath.Join(t.TempDir(), "workflow.md")
	s.must(os.WriteFile(config, []byte("tools: {ledger: {knowledge: {type: notes}}}"), 0o600))
	whole := map[string]gittest.LooseFile{freshPath(1000): {Data: lines(t, "ledger_append", "votes", votes, true)}}
	for i, line := range bytes.SplitAfter(lines(t, "ledger_append", "notes", notes, false), []byte("\n")) {
		path := freshPath(i / 50)
		whole[path] = gittest.LooseFile{Data: append(whole[path].Data, line...)}
	}
	s.put("knowledge", whole)

	var v view
	o := options{repo: s.Path, ledger: "knowledge", config: config, newest: 500}
	code, out, errs := run(t, o, true)
	if code != 0 || json.Unmarshal([]byte(out), &v) != nil {
		t.Fatalf("exit code %d %s", code, errs)
	}
	if v.Records != subjects+voters || v.NoteCount != subjects || len(v.Notes) != maxNotes || len(v.Heads) != maxHeads || v.HeadCount != subjects+1 {
		t.Errorf("%d records, %d of %d notes, %d of %d heads", v.Records, len(v.Notes), v.NoteCount, len(v.Heads), v.HeadCount)
	}
	// The oldest note is the first by its votes, and the other ones are the newest.
	if first := v.Notes[0]; first.Subject != "s0" || first.Up != voters || len(first.Votes) != maxVotes || first.Votes[0].Reason != fmt.Sprintf("vote %d", voters-1) || len([]rune(first.Note)) != maxText+1 {
		t.Errorf("the first note: %d votes of %q, %+v", first.Up, first.Subject, first.Votes)
	}
	if second, last := v.Notes[1].Subject, v.Notes[maxNotes-1].Subject; second != fmt.Sprintf("s%d", subjects-1) || last != fmt.Sprintf("s%d", subjects-maxNotes+1) {
		t.Errorf("then notes %q to %q", second, last)
	}
	if code, out, _ := run(t, options{repo: s.Path, ledger: "knowledge", config: config, newest: 20}, false); code != 0 || !strings.Contains(out, fmt.Sprintf("Notes (20 of %d)", subjects)) || strings.Count(out, "\n") > 120 {
		t.Errorf("exit code %d, %d lines", code, strings.Count(out, "\n"))
	}
	b := newBrowser(t)
	page := pageOf(t, b, o)
	harmless(t, b, page, "large")
	if got := b.eval("[document.querySelectorAll('.graph circle').length, document.querySelectorAll('.notes > li').length].join()"); got != fmt.Sprintf("%d,%d", maxGraph, maxNotes) {
		t.Errorf("records of the graph and notes: %v", got)
	}
}

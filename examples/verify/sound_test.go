package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/ledger"
)

func TestSound(t *testing.T) {
	w := newWorld(t, lived(t))
	w.from(0, "README.md", []byte("kept\n"))
	w.write()
	found, s, errs := w.verify(t.Context())
	for _, f := range found {
		t.Error(f)
	}
	for _, err := range errs {
		t.Error(err)
	}
	if !s.Sound() || s.Commits != 6 || s.Appends != 5 || s.Compactions != 1 || s.Merges != 0 ||
		s.Records != 10 || s.Shards != 3 || s.Heads != 1 || s.Contents != 6 || s.Bytes == 0 ||
		string(s.Head) != w.commits[latest] || s.Branch != "ledgers/tasks" {
		t.Errorf("%+v", s)
	}
}

func TestAbsentBranch(t *testing.T) {
	w := newWorld(t, lived(t))
	found, s, errs := w.verify(t.Context())
	if len(found)+len(errs) > 0 || !s.Sound() || s.Head != "" || s.Commits != 0 {
		t.Errorf("%v %v %+v", found, errs, s)
	}
}

func TestRemote(t *testing.T) {
	server, err := gittest.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	url, path, err := server.Create("repo.git")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, lived(t))
	w.Path = path
	w.write()
	found, s, errs := verifyAt(t.Context(), t, url)
	if len(found)+len(errs) > 0 || !s.Sound() || s.Commits != 6 {
		t.Errorf("%v %v %+v", found, errs, s)
	}
}

// Two lines of descent of unequal length that were merged, as another program
// may do: no record is lost, so nothing is bad.
func TestMerge(t *testing.T) {
	for name, keep := range map[string]bool{"keeps all": true, "loses one side": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, lived(t))
			at := w.more() // beside the two appends, from the compaction on
			w.parents[at] = []int{compacted}
			for _, path := range append(w.new(fourth), w.new(latest)...) {
				delete(w.versions[at], path)
			}
			root := w.recordsOf(w.versions[compacted][w.new(compacted)[0]].Data)[0].SHA()
			data := w.seal(idOf("beside"), `{"operation":"append","value":1}`, root)
			w.from(at, freshPath(1), data)
			merged := w.more()
			w.parents[merged] = []int{latest, at}
			for path, f := range w.versions[latest] {
				w.versions[merged][path] = f
			}
			if !keep {
				delete(w.versions[merged], freshPath(1))
			}
			w.write()
			found, s, errs := w.verify(t.Context())
			if len(errs) > 0 || s.Merges != 1 || s.Commits != 8 {
				t.Errorf("%v %+v", errs, s)
			}
			switch {
			case keep && (len(found) > 0 || s.Records != 11):
				t.Errorf("%v %+v", found, s)
			case !keep && (len(found) != 1 || found[0].Kind != ledger.RecordsLost || found[0].Count != 1 ||
				string(found[0].Commit) != w.commits[merged]):
				t.Errorf("%v", found)
			}
		})
	}
}

func TestContextEnds(t *testing.T) {
	w := newWorld(t, lived(t))
	w.write()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	found, s, errs := w.verify(ctx)
	if len(found) > 0 || len(errs) != 1 || !errors.Is(errs[0], context.Canceled) || s.Complete || s.Sound() {
		t.Errorf("%v %v %+v", found, errs, s)
	}
}

func TestCommand(t *testing.T) {
	w := newWorld(t, lived(t))
	w.write()
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{w.Path, "tasks"}, &out, &errs); code != exitSound || !strings.Contains(out.String(), "ledgers/tasks: sound") {
		t.Errorf("code %d\n%s%s", code, &out, &errs)
	}
	out.Reset()
	if code := run(t.Context(), []string{"-json", w.Path, "tasks"}, &out, &errs); code != exitSound {
		t.Errorf("code %d", code)
	}
	var line struct{ Summary *ledger.Summary }
	if err := json.Unmarshal(out.Bytes(), &line); err != nil || line.Summary == nil || !line.Summary.Sound() || line.Summary.Records != 10 {
		t.Errorf("%v: %s", err, &out)
	}

	w.from(latest, w.new(latest)[0], nil)
	w.write()
	out.Reset()
	if code := run(t.Context(), []string{"-json", w.Path, "tasks"}, &out, &errs); code != exitSound {
		t.Errorf("code %d: an append that never was is not missed\n%s", code, &out)
	}
	w.from(latest, w.new(fourth)[0], nil)
	w.write()
	out.Reset()
	if code := run(t.Context(), []string{w.Path, "tasks"}, &out, &errs); code != exitBad || !strings.Contains(out.String(), "records-lost") {
		t.Errorf("code %d\n%s", code, &out)
	}
	for _, args := range [][]string{{}, {w.Path}, {w.Path, "../x"}, {"-no", w.Path, "tasks"}, {"-projection", "x", w.Path, "tasks"}} {
		if code := run(t.Context(), args, &out, &errs); code != exitUsage {
			t.Errorf("%q: code %d", args, code)
		}
	}
	errs.Reset()
	if code := run(t.Context(), []string{"-h"}, &out, &errs); code != exitSound || !strings.Contains(errs.String(), "Exit codes") {
		t.Errorf("-h: code %d\n%s", code, &errs)
	}
	if code := run(t.Context(), []string{t.TempDir(), "tasks"}, &out, &errs); code != exitUnchecked {
		t.Errorf("no repository: code %d", code)
	}
}

func TestReadOnly(t *testing.T) {
	w := newWorld(t, lived(t))
	w.write()
	before := treeOf(t, w.Path)
	w.verify(t.Context())
	if after := treeOf(t, w.Path); !bytes.Equal(before, after) {
		t.Error("the repository changed")
	}
}

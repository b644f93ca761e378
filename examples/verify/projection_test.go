package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/replay/sqlite"
)

func TestProjection(t *testing.T) {
	b := lived(t)
	dir := t.TempDir()
	database, workflow := filepath.Join(dir, "ledger.db"), filepath.Join(dir, "workflow.md")
	if _, err := sqlite.Prepare(t.Context(), b, tasks(), database, sqlite.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(workflow, []byte("---\ntools:\n  ledger:\n    tasks:\n      type: log\n---\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, b)
	w.write()
	compare := func(database string) (int, string) {
		var out, errs bytes.Buffer
		code := run(context.Background(), []string{"-config", workflow, "-projection", database, w.Path, "tasks"}, &out, &errs)
		return code, out.String() + errs.String()
	}
	if code, out := compare(database); code != exitSound || !strings.Contains(out, "equals a rebuild") {
		t.Errorf("code %d\n%s", code, out)
	}
	add(t, b, 9) // which the database does not have
	w = newWorld(t, b)
	w.write()
	if code, out := compare(database); code != exitBad || !strings.Contains(out, "differs from a rebuild") {
		t.Errorf("an old projection: code %d\n%s", code, out)
	}
	if code, out := compare(filepath.Join(dir, "absent.db")); code != exitUnchecked {
		t.Errorf("no projection: code %d\n%s", code, out)
	}
	if code, out := compare(workflow); code != exitBad {
		t.Errorf("no database: code %d\n%s", code, out)
	}
}

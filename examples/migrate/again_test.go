//go:build cgo

package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// A run finds what earlier ones wrote, although the limits are others, the file has
// grown, and lines that were left out are mended; what is mended comes last.
func TestAnotherRun(t *testing.T) {
	s := newSite(t)
	var lines []string
	for i := range 150 {
		lines = append(lines, fmt.Sprintf(`{"n":%d}`, i))
	}
	bad := slices.Clone(lines)
	bad[3], bad[70] = "canary", `["canary"]`
	expect := func(what string, o options, file []string, fresh, present int) {
		t.Helper()
		o.ledger = "log"
		code, result, said := s.migrate(t.Context(), o, file...)
		if code != 0 || result.New != fresh || result.Present != present || strings.Contains(said, "canary") {
			t.Errorf("%s: exit code %d, %s", what, code, said)
		}
	}
	expect("with bad lines", options{skip: true}, bad, 148, 0)
	text, err := os.ReadFile(s.config)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.config, []byte(strings.Replace(string(text), "max-patch-kb: 1 ", "max-patch-kb: 100 ", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	expect("with another limit", options{skip: true}, bad, 0, 148)
	bad[70] = lines[70]
	expect("with a line mended", options{skip: true}, bad, 1, 148)
	expect("with all lines mended", options{}, lines, 1, 149)
	if err := os.WriteFile(s.config, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for i := 150; i < 180; i++ {
		lines = append(lines, fmt.Sprintf(`{"n":%d}`, i))
	}
	expect("grown", options{}, lines, 30, 150)
	expect("as it was", options{}, lines, 0, 180)
	if got := s.rows("log", "SELECT count(*), count(DISTINCT value), (SELECT group_concat(value, ' ') FROM (SELECT value FROM state WHERE position IN (148, 149) ORDER BY position)) FROM state"); got != `[[180 180 {"n":70} {"n":3}]]` {
		t.Errorf("%s", got)
	}
}

package branchtest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/shard/branchtest"
)

func TestCorrectBranch(t *testing.T) {
	branchtest.Test(t, func() (*branchtest.Store, error) { return newMemory().store(), nil })
	if err := branchtest.Check(t.Context(), func() (*branchtest.Store, error) { return newMemory().store(), nil }); err != nil {
		t.Errorf("Check: %v", err)
	}
}

// caught says which rule must find each flaw.
var caught = map[flaw]string{
	ignoresHead: "stale-head", comparesTooEarly: "race", dropsDeletion: "delete", showsHalf: "whole-visible",
	publishesEarly: "not-yet-visible", overwrites: "collision", refusesSame: "same-bytes", recreates: "deleted-branch",
	forgetsOthers: "unrelated-files", ignoresMissing: "delete-missing", keepsState: "state", dropsState: "state",
	sharesBytes: "ownership", unordered: "round-trip", ignoresContext: "context", ignoresFiles: "limit-files",
	ignoresBytes: "limit-bytes", ignoresFileBytes: "limit-file-bytes", countsLarge: "limit-file-bytes",
	acceptsInvalid: "invalid-change", halfRefused: "collision", writesOnRead: "read-only", trimsBytes: "round-trip",
	staleHeads: "create", leaksPath: "stale-head", twoErrors: "stale-head", anyName: "names", anyState: "state-size",
	writableReader: "reader", panics: "unknown-head", vanishes: "delete",
}

// TestBrokenBranches: each flaw is found, by the rule that is about it.
func TestBrokenBranches(t *testing.T) {
	for _, f := range allFlaws {
		t.Run(string(f), func(t *testing.T) {
			err := branchtest.Check(t.Context(), func() (*branchtest.Store, error) { return newMemory(f).store(), nil })
			if err == nil {
				t.Fatal("not found")
			}
			if want := fmt.Sprintf("rule %q broken", caught[f]); !strings.Contains(err.Error(), want) {
				t.Errorf("found, but not by rule %q:\n%v", caught[f], err)
			}
		})
	}
}

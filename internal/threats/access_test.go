//go:build cgo

package threats_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/shard"
)

// References whose names are like a ledger's branch are not it.
func TestThreatReferencesLikeOurs(t *testing.T) {
	w := newWorld(t)
	head := strings.TrimSpace(w.git("rev-parse", "ledgers/events"))
	likeOurs := []string{"refs/heads/ledgers/SEEN", "refs/heads/ledgers/seen2", "refs/heads/LEDGERS/seen", "refs/heads/seen",
		"refs/tags/ledgers/seen", "refs/remotes/origin/ledgers/seen", "refs/heads/refs/heads/ledgers/seen", "refs/ledgers/seen",
		"refs/heads/ledgers/ſeen", "refs/notes/ledgers/seen"}
	for _, ref := range likeOurs {
		w.git("update-ref", ref, head)
	}
	if snap := w.snapshot("seen"); snap.Head != "" || len(snap.Shards) > 0 {
		t.Errorf("an absent branch is at %s", snap.Head)
	}
	w.run(`{"type":"ledger_append","ledger":"seen","operation":"add","value":1}`)
	if n := w.history("seen").Len(); n != 1 {
		t.Errorf("%d records", n)
	}
	for _, ref := range likeOurs {
		if at := strings.TrimSpace(w.git("rev-parse", ref)); at != head {
			t.Errorf("%s moved to %s", ref, at)
		}
	}
}

// The agent has the repository's address, and no credential or a wrong one.
func TestThreatNoCredential(t *testing.T) {
	w := newWorld(t)
	plan, artifact, before := w.plan().Append(nil), w.artifact(`{"type":"ledger_append","ledger":"events","record":{}}`), w.content()
	snap, b := w.snapshot("events"), w.branch("events")
	w.server.Require("Basic b25seTp0aGUgam9i")
	for name, try := range map[string]func() error{
		"a commit": func() error {
			_, err := b.Commit(t.Context(), snap.Head, shard.Change{Delete: []shard.ID{snap.Shards[0].ID}})
			return err
		},
		"a transaction": func() error { _, err := w.persist(artifact); return err },
		"a plan":        func() error { _, err := w.apply(plan); return err },
	} {
		if err := try(); !errors.Is(err, shard.ErrUnauthorized) {
			t.Errorf("%s: %v", name, err)
		}
		w.unchanged(before, name)
	}
	jobs, err := ledger.Jobs(w.configs)
	if err != nil || len(jobs) != 6 {
		t.Fatalf("%d jobs, %v", len(jobs), err)
	}
	for _, job := range jobs {
		writes := false
		for _, p := range job.Permissions {
			writes = writes || p.Scope == "contents" && p.Access == "write"
		}
		switch job.Name {
		case "persist", "apply":
			if !writes || job.Trust != ledger.Trusted || job.RunsAgent {
				t.Errorf("%s: %+v", job.Name, job)
			}
		default:
			if writes {
				t.Errorf("%s may write", job.Name)
			}
		}
		if job.RunsAgent && len(job.Credentials) > 0 {
			t.Errorf("%s runs the agent beside %+v", job.Name, job.Credentials)
		}
	}
}

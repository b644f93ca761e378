package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/gitledger/gitledger/ledger"
)

// A draft is durable before it is at its place, and its place is afterwards.
// When it cannot be made durable, what was there before stays.
func TestDraftIsDurable(t *testing.T) {
	full := errors.New("no space")
	cfg := ledger.NewConfig("tested", ledger.Log)
	for name, fails := range map[string]error{"sound": nil, "full": full} {
		dir := t.TempDir()
		path := filepath.Join(dir, "ledger.db")
		if err := os.WriteFile(path, []byte("before"), 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := newDraft(t.Context(), path, &cfg, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(d.temp, []byte("after"), 0o600); err != nil {
			t.Fatal(err)
		}
		var seen []string
		d.sync = func(f *os.File) error {
			there, err := os.ReadFile(path)
			if err != nil {
				t.Error(err)
			}
			what := "folder"
			if f.Name() == d.temp {
				what = "file"
			}
			seen = append(seen, what, string(there))
			return fails
		}
		want, left := []string{"file", "before", "folder", "after"}, "after"
		if runtime.GOOS == "windows" {
			want = want[:2]
		}
		if fails != nil {
			want, left = want[:2], "before"
		}
		if err := d.publish(false); !errors.Is(err, fails) && !errors.Is(err, ErrStorage) || (err == nil) != (fails == nil) {
			t.Errorf("%s: %v", name, err)
		}
		d.discard()
		if !slices.Equal(seen, want) {
			t.Errorf("%s: synced %q, want %q", name, seen, want)
		}
		if there, err := os.ReadFile(path); err != nil || string(there) != left {
			t.Errorf("%s: %q, %v is left", name, there, err)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("%s: left %v, %v", name, entries, err)
		}
	}
}

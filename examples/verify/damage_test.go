package main

import (
	"context"
	"encoding/binary"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/internal/randtest"
	"github.com/gitledger/gitledger/ledger"
)

// Whatever is damaged in a repository, verifying it ends, does not panic, and
// says so, or the damage did not matter.
func FuzzDamage(f *testing.F) {
	pristine := templates(f)
	f.Add([]byte{0})
	f.Add([]byte{1, 200, 3, 1, 2, 3, 4})
	f.Fuzz(func(t *testing.T, data []byte) { pristine.damage(t, data) })
}

// TestDamage does what the fuzzer does, with random damage. GITLEDGER_SEED repeats
// a run.
func TestDamage(t *testing.T) {
	random := randtest.New(t)
	pristine := templates(t)
	harmful := 0
	for range 150 {
		data := make([]byte, 1+8*(1+random.IntN(3)))
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		if pristine.damage(t, data) {
			harmful++
		}
	}
	if harmful < 75 {
		t.Errorf("only %d of 150 damages were noticed", harmful)
	}
}

// template is a sound repository, as the files of its folder.
type template struct {
	names   []string
	files   map[string][]byte
	summary ledger.Summary
	heads   map[string]bool // its commits
}

type templateSet []template

// templates are one history, once in loose objects and once in a pack.
func templates(t testing.TB) templateSet {
	t.Helper()
	w := newWorld(t, lived(t))
	w.from(0, "docs/readme.md", []byte("text\n"))
	w.write()
	loose := load(t, w)
	for _, args := range [][]string{{"repack", "-q", "-a", "-d"}, {"pack-refs", "--all"}, {"prune-packed", "-q"}} {
		cmd := exec.Command("git", append([]string{"-C", w.Path}, args...)...)
		cmd.Env = gittest.Environ()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v %s", args[0], err, out)
		}
	}
	return templateSet{loose, load(t, w)}
}

func load(t testing.TB, w *world) template {
	t.Helper()
	p := template{files: map[string][]byte{}, heads: map[string]bool{}}
	err := filepath.WalkDir(w.Path, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(w.Path, path)
		if err != nil {
			return err
		}
		p.names = append(p.names, name)
		p.files[name], err = os.ReadFile(path)
		return err
	})
	w.must(err)
	found, s, errs := w.verify(context.Background())
	if len(found)+len(errs) > 0 || !s.Sound() {
		t.Fatal(found, errs, s)
	}
	p.summary = s
	for _, c := range w.commits {
		p.heads[c] = true
	}
	return p
}

// damage spoils a copy as data says, and reports whether that was noticed. The
// first byte chooses the template; each eight bytes after it are a damage.
func (s templateSet) damage(t testing.TB, data []byte) bool {
	t.Helper()
	if len(data) == 0 || len(data) > 1<<10 {
		return false
	}
	p := s[int(data[0])%len(s)]
	files := map[string][]byte{}
	for name, text := range p.files {
		files[name] = append([]byte{}, text...)
	}
	for data = data[1:]; len(data) >= 8; data = data[8:] {
		spoil(files, p.names, binary.LittleEndian.Uint64(data))
	}
	path := t.TempDir()
	for name, text := range files {
		to := filepath.Join(path, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"objects", "refs/heads"} {
		if err := os.MkdirAll(filepath.Join(path, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	found, sum, errs := verifyAt(ctx, t, path)
	if ctx.Err() != nil {
		t.Fatal("it does not end")
	}
	if len(found)+len(errs) > 0 {
		return true
	}
	if sum.Head == "" || string(sum.Head) != string(p.summary.Head) && p.heads[string(sum.Head)] {
		return true // the branch is gone, or is an older state of itself
	}
	if !reflect.DeepEqual(sum, p.summary) {
		t.Fatalf("unnoticed: %+v, want %+v", sum, p.summary)
	}
	return false
}

// spoil does one damage to one file: a byte, a cut, a deletion, or another
// file's bytes in its place.
func spoil(files map[string][]byte, names []string, how uint64) {
	name := names[how%uint64(len(names))]
	how /= uint64(len(names))
	text := files[name]
	at := 0
	if len(text) > 0 {
		at = int((how >> 8) % uint64(len(text)))
	}
	switch kind := how % 8; {
	case kind < 4 && len(text) > 0:
		text[at] ^= byte(how>>3) | 1
	case kind < 6:
		files[name] = text[:at]
	case kind == 6:
		delete(files, name)
	default:
		files[name] = append([]byte{}, files[names[(how>>8)%uint64(len(names))]]...)
	}
}
